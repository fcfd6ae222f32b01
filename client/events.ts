// Following what happens: the server's stream of events (HTML standard, 9.2), resumed where it broke off.
import { ApiError, errorOf } from "./errors.ts";
import { browser } from "./platform.ts";
import type { Upstream } from "./upload.ts";

export interface RecordEvent {
  /** The position in the journal, to resume at. */
  readonly id: string;
  /** `documents.updated`, …; `reset` where `data.collections`, null for all, are to be loaded anew: not all is told one by one. */
  readonly type: string;
  readonly data: {
    readonly id?: string;
    readonly collection?: string;
    readonly op?: "created" | "updated" | "removed";
    readonly at?: string;
    readonly rev?: string;
    readonly actor?: string | null;
    readonly record?: unknown;
    readonly [more: string]: unknown;
  };
}

export interface EventOptions {
  /** @default all that the caller may see */
  readonly collections?: readonly string[];
  /** Whether events carry the record as it is now. @default false */
  readonly records?: boolean;
  /** The id of the last event that was handled, or `earliest`. @default with what comes */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** Told when the stream is open (true) and when it has broken off (false), for what a page shows of it. */
  readonly onConnection?: (open: boolean) => void;
}

/** Milliseconds before the first try to connect again, until the server says otherwise. */
const RETRY = 3000;
/** Milliseconds at most between two tries. */
const LONGEST_WAIT = 30_000;
/** Milliseconds of silence after which a stream counts as broken: the server says something every 15 seconds. */
const SILENCE = 45_000;

/**
 * Ends when the signal does.
 *
 * @throws {ApiError} where the server refuses: nobody is signed in any more, or the request is wrong.
 */
export async function* followEvents(
  upstream: Upstream,
  { collections, records, after, signal, onConnection }: EventOptions = {},
): AsyncGenerator<RecordEvent, void, undefined> {
  const query = new URLSearchParams();
  if (collections) query.set("collections", collections.join(","));
  if (records) query.set("records", "true");
  let last = after;
  let retry = RETRY;
  let failures = 0;
  while (!signal?.aborted) {
    const watch = new Watch(signal);
    try {
      if (last !== undefined) query.set("lastEventId", last);
      const response = await open(upstream, query, watch.signal);
      onConnection?.(true);
      for await (const message of messagesIn(response.body!, watch)) {
        failures = 0;
        if (message.retry !== undefined) retry = message.retry;
        if (message.id !== undefined) last = message.id;
        if (message.data === undefined) continue;
        yield { id: last ?? "", type: message.type, data: JSON.parse(message.data) };
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ApiError && !passes(error)) throw error;
    } finally {
      watch.end();
      onConnection?.(false);
    }
    // Spread, so that not all who were cut off at once return at once.
    const wait = Math.min(LONGEST_WAIT, retry * 2 ** failures++) * (0.5 + Math.random() / 2);
    await pause(wait, signal);
  }
}

/** Whether the same request may succeed later. */
function passes({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

async function open(
  { baseUrl, token, fetch }: Upstream,
  query: URLSearchParams,
  signal: AbortSignal,
) {
  const bearer = await token();
  const headers = new Headers({ accept: "text/event-stream" });
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  const response = await fetch(`${baseUrl}/events?${query}`, { headers, signal, cache: "no-store" })
    .catch((cause) => {
      throw errorOf(cause instanceof DOMException ? new Error(cause.message) : cause, undefined);
    });
  if (!response.ok || !response.body) {
    throw errorOf(await response.json().catch(() => null), response);
  }
  return response;
}

/** Ends a request when its caller does, or when nothing has come for too long. */
class Watch {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    caller?.addEventListener("abort", this.#abort);
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, SILENCE);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }
}

export interface Message {
  readonly type: string;
  readonly id?: string;
  readonly data?: string;
  readonly retry?: number;
}

/** The messages of a stream, one for each block of lines; blocks of comments are none. Ends when the watch does. */
export async function* messagesIn(
  body: ReadableStream<Uint8Array>,
  watch?: Pick<Watch, "heard" | "signal">,
): AsyncGenerator<Message, void, undefined> {
  let waiting = "";
  for await (const text of textsOf(body, watch?.signal)) {
    watch?.heard();
    // A lone CR at the end may be the first half of CRLF.
    const whole = (waiting + text).replace(/\r\n|\r(?!$)/g, "\n");
    const blocks = whole.split("\n\n");
    waiting = blocks.pop()!;
    for (const block of blocks) {
      const message = messageOf(block);
      if (message) yield message;
    }
  }
}

async function* textsOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel);
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

function messageOf(block: string): Message | null {
  const data: string[] = [];
  const message: { type: string; id?: string; retry?: number } = { type: "message" };
  let any = false;
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (name === "data") data.push(value);
    else if (name === "event") message.type = value;
    else if (name === "id" && !value.includes("\0")) message.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) message.retry = Number(value);
    else continue;
    any = true;
  }
  if (!any) return null;
  return data.length > 0 ? { ...message, data: data.join("\n") } : message;
}

/** Ends with the signal, too, and as soon as a browser has its network again. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      browser.removeEventListener?.("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
    browser.addEventListener?.("online", done);
    if (signal?.aborted) done();
  });
}
