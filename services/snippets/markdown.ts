// Markdown conversion that holds up nobody else: it runs on a thread of its own, one source at a time, and its outcomes
// are kept for a while.
import { ByteBoundedMap } from "../../core/bounded_map.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { MAX_SOURCE_BYTES } from "../../models/snippets.ts";
import type { FromWorker, Outcome, ToWorker } from "./markdown_worker.ts";
import { MIB } from "../../core/units.ts";

/** Milliseconds that a caller waits; the slowest source known takes one second, its turn included a few. */
const MAX_WAIT = 10_000;
/** Sources under way and waiting beyond which further ones are refused: at 256 KiB each, 4 MiB. */
const MAX_PENDING = 16;
/** Bytes of outcomes kept, so that a page that is looked at often, or a source that is refused, is converted once. */
const REMEMBERED = 16 * MIB;
/** Bytes that an outcome takes beside its text. */
const ENTRY_BYTES = 256;

const outcomes = new ByteBoundedMap<string, Outcome>(REMEMBERED);
/** By the hash of the source. An entry goes when the thread has answered, not when its callers have given up. */
const pending = new Map<string, Promise<Outcome>>();

/**
 * A complete HTML document without active content.
 *
 * @throws {ApiError} PAYLOAD_TOO_LARGE over 256 KiB; VALIDATION_ERROR for what is nested too deeply or whose document
 * would be too long; UNAVAILABLE when too many conversions wait, or this one's turn does not come.
 */
export async function markdownToHtml(source: string): Promise<string> {
  assertSourceSize(source);
  const key = sha256(source);
  const outcome = outcomes.get(key) ?? await withinWait(pending.get(key) ?? begin(key, source));
  if ("html" in outcome) return outcome.html;
  throw invalid("markdown", `Cannot convert the Markdown: ${outcome.problem}`);
}

/** @throws {ApiError} PAYLOAD_TOO_LARGE */
export function assertSourceSize(source: string): void {
  const bytes = sourceBytes(source);
  if (bytes <= MAX_SOURCE_BYTES) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The text is over ${MAX_SOURCE_BYTES} bytes: it has ${bytes}`,
  );
}

/** Its length in UTF-8. */
export function sourceBytes(source: string): number {
  return new TextEncoder().encode(source).length;
}

function begin(key: string, source: string): Promise<Outcome> {
  if (pending.size >= MAX_PENDING) throw busy();
  const made = onThread(source).then((outcome) => {
    const text = "html" in outcome ? outcome.html : outcome.problem;
    outcomes.set(key, outcome, 2 * text.length + ENTRY_BYTES);
    return outcome;
  }).finally(() => pending.delete(key));
  pending.set(key, made);
  return made;
}

function busy(): ApiError {
  return new ApiError("UNAVAILABLE", "Too many conversions at a time: try again shortly", {
    headers: { "retry-after": "1" },
  });
}

/** Waits for an outcome, but not too long. The conversion goes on, so that asking again later finds its outcome. */
async function withinWait(outcome: Promise<Outcome>): Promise<Outcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(busy()), MAX_WAIT);
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<Outcome>>;
  /** Characters converted so far: the thread's heap grows with them. */
  converted: number;
  idle?: ReturnType<typeof setTimeout>;
}

/** Characters after which an idle thread is ended, for it keeps up to 250 MiB of heap; one that did less stays. */
const WORN = MIB;
/** Milliseconds without a conversion after which a worn thread is ended. */
const IDLE = 10_000;

/** Started at the first conversion, since it takes memory, and kept, since starting one takes a fifth of a second. */
let thread: Thread | undefined;
let lastId = 0;

function onThread(source: string): Promise<Outcome> {
  const { worker, waiting, idle } = thread ??= startThread();
  clearTimeout(idle);
  thread.converted += source.length;
  const id = ++lastId;
  const outcome = Promise.withResolvers<Outcome>();
  waiting.set(id, outcome);
  worker.postMessage({ id, source } satisfies ToWorker);
  return outcome.promise;
}

function startThread(): Thread {
  const worker = new Worker(import.meta.resolve("./markdown_worker.ts"), { type: "module" });
  const waiting: Thread["waiting"] = new Map();
  worker.onmessage = ({ data: { id, ...outcome } }: MessageEvent<FromWorker>) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) rest(started);
    if ("defect" in outcome) asked?.reject(new Error(`Cannot convert Markdown: ${outcome.defect}`));
    else asked?.resolve(outcome);
  };
  // The thread itself has failed, and has ended: what it was asked for fails, and the next conversion starts another.
  worker.onerror = (event) => {
    event.preventDefault();
    thread = undefined;
    for (const asked of waiting.values()) {
      asked.reject(new Error(`Cannot convert Markdown: ${event.message}`));
    }
  };
  const started: Thread = { worker, waiting, converted: 0 };
  return started;
}

/** Called when nothing runs on the thread, for only then does `terminate` end it at once. Ends a worn one later. */
function rest(resting: Thread): void {
  if (resting.converted < WORN) return;
  resting.idle = setTimeout(() => {
    resting.worker.terminate();
    if (thread === resting) thread = undefined;
  }, IDLE);
  Deno.unrefTimer(resting.idle);
}
