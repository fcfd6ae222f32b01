// What one has written and the server has not taken yet: kept while the network is away, sent in order, and never twice.
import { signal } from "@preact/signals";
import { type ApiError, type Message, sendConversationMessage } from "../../../client/mod.ts";
import { connected } from "../../state/live.ts";
import { onlineManager, queries, refresh } from "../../state/query.ts";
import { requestKey } from "../../state/request_key.ts";
import { session, user } from "../../state/session.ts";
import { newestId } from "./arrived.ts";
import type { Thread } from "./read_thread.ts";

export interface Outgoing {
  /** Names it, to the server too: what arrives again is the same message. */
  readonly key: string;
  readonly conversationId: string;
  readonly content: string;
  /** The newest message of the conversation when it was sent first, by its id; absent before, and where that is unknown. */
  readonly after?: string;
  /** Why the server has refused it. */
  readonly refused?: string;
}

/** In the order in which they were written. */
export const outbox = signal<readonly Outgoing[]>([]);

/** Whether the network is away. */
export const waiting = signal(false);

/** Milliseconds until it is tried again where nothing tells that the network is back. */
const PAUSE = 5000;

/** Whose the outbox is: it is sent for nobody else. */
let writer = user.peek()?.id;
let sending = false;
let timer: ReturnType<typeof setTimeout> | undefined;

export function post(conversationId: string, content: string): void {
  outbox.value = [...outbox.peek(), { key: requestKey(), conversationId, content }];
  void flush();
}

export function discard(key: string): void {
  outbox.value = outbox.peek().filter((one) => one.key !== key);
}

/** Tries again what was refused. */
export function repeat(key: string): void {
  change(key, { refused: undefined });
  void flush();
}

function change(key: string, fields: Partial<Outgoing>): void {
  outbox.value = outbox.peek().map((one) => one.key === key ? { ...one, ...fields } : one);
}

async function flush(): Promise<void> {
  clearTimeout(timer);
  if (sending) return;
  sending = true;
  try {
    while (user.peek()?.id === writer) {
      const next = outbox.peek().find(({ refused }) => refused === undefined);
      if (!next || !await send(next)) return;
    }
  } finally {
    sending = false;
  }
}

/** @returns Whether the next one may be tried. */
async function send({ key, conversationId, content, after }: Outgoing): Promise<boolean> {
  if (after === undefined) change(key, { after: newestIn(conversationId) });
  try {
    const { data } = await sendConversationMessage({
      path: { id: conversationId },
      body: { content },
      headers: { "Idempotency-Key": key },
    });
    add(conversationId, data);
    discard(key);
    waiting.value = false;
    refresh("messages", "conversations");
    return true;
  } catch (error) {
    const { status, message } = error as ApiError;
    // Where the session has ended, it goes on when its writer is back.
    const away = status === 0 || status === 429 || status >= 502 || !session.signedIn;
    if (!away) change(key, { refused: message, after: undefined });
    else timer = setTimeout(() => void flush(), PAUSE);
    waiting.value = away;
    return !away;
  }
}

const threadOf = (conversationId: string) => ({ queryKey: ["messages", "thread", conversationId] });

/** The newest message that is read of a conversation; undefined while none is. */
function newestIn(conversationId: string): string | undefined {
  const threads = queries.getQueriesData<Thread>(threadOf(conversationId))
    .flatMap(([, thread]) => thread ?? []);
  return threads.length === 0 ? undefined : newestId(threads.flatMap(({ messages }) => messages));
}

/** Shows a message as sent at once, not only when the thread was read anew. */
function add(conversationId: string, message: Message): void {
  queries.setQueriesData<Thread>(
    threadOf(conversationId),
    (thread) =>
      thread && !thread.messages.some(({ id }) => id === message.id)
        ? { messages: [message, ...thread.messages], total: thread.total + 1 }
        : thread,
  );
}

connected.subscribe((open) => void (open && flush()));
onlineManager.subscribe((online) => void (online && flush()));

// What one has written is not for whoever signs in next, but for oneself where one's session has ended meanwhile.
user.subscribe((now) => {
  if (!now) return;
  if (now.id !== writer) {
    writer = now.id;
    outbox.value = [];
    waiting.value = false;
  }
  void flush();
});

addEventListener("beforeunload", (event) => {
  if (outbox.peek().length > 0) event.preventDefault();
});
