// Reading a conversation as far back as somebody has gone.
import { listConversationMessages, type Message } from "../../../client/mod.ts";

/** Messages that are read at once. */
export const STEP = 50;

export interface Thread {
  /** The newest first. */
  readonly messages: readonly Message[];
  /** As many as there are. */
  readonly total: number;
}

/** @param count The newest ones, a multiple of `STEP`. */
export async function readThread(id: string, count: number, signal: AbortSignal): Promise<Thread> {
  // By id: what is sent meanwhile moves the last of one page to the next.
  const found = new Map<string, Message>();
  let total = 0;
  for (let page = 1; (page - 1) * STEP < count; page++) {
    const query = { page, limit: STEP };
    const { data, pagination } = await listConversationMessages({ path: { id }, query, signal });
    for (const message of data) found.set(message.id, message);
    total = pagination.total;
    if (page >= pagination.totalPages) break;
  }
  return { messages: [...found.values()], total };
}
