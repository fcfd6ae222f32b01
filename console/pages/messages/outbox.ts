// What one has written and the server has not taken yet: kept while the network is away, sent in order, and never twice.
import { signal } from "@preact/signals";
import { type ApiError, type Message, sendConversationMessage } from "../../../client/mod.ts";
import { connected } from "../../state/live.ts";
import { onlineManager, queries, refresh } from "../../state/query.ts";
import { requestKey } from "../../state/request_key.ts";
import { session, user } from "../../state/session.ts";
import type { Thread } from "./read_thread.ts";

export interface Outgoing {
  /** Names it, to the server too: what arrives again is the same message. */
  readonly key: string;
  readonly conversationId: string;
  readonly content: string;
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
  mark(key, undefined);
  void flush();
}

function mark(key: string, refused: string | undefined): void {
  outbox.value = outbox.peek().map((one) => one.key === key ? { ...one, refused } : one);
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
async function send({ key, conversationId, content }: Outgoing): Promise<boolean> {
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
    if (!away) mark(key, message);
    else timer = setTimeout(() => void flush(), PAUSE);
    waiting.value = away;
    return !away;
  }
}

/** Shows a message as sent at once, not only when the thread was read anew. */
function add(conversationId: string, message: Message): void {
  queries.setQueriesData<Thread>(
    { queryKey: ["messages", "thread", conversationId] },
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
