// Whether what is being sent is in the thread already: the event of a message may come before the answer to who sends it.
import type { Message } from "../../../client/mod.ts";

/** The newest message, by the ids, which are in the order of time; empty where there is none. */
export function newestId(messages: readonly Pick<Message, "id">[]): string {
  return messages.reduce((newest, { id }) => id > newest ? id : newest, "");
}

/**
 * Whether a message that is being sent is among those of its conversation.
 *
 * @param message.after See `Outgoing`.
 * @param writerId Who sends it.
 */
export function hasArrived(
  { content, after }: { readonly content: string; readonly after?: string },
  messages: readonly Pick<Message, "id" | "senderId" | "content">[],
  writerId: string | undefined,
): boolean {
  return after !== undefined &&
    messages.some((message) =>
      message.id > after && message.senderId === writerId && message.content === content
    );
}
