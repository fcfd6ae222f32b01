// Work that would hold up the event loop is done on threads: one is started when there is work of its kind, and ended when it
// has grown and is idle. The server starts all of them itself, though that stops it for 10 to 30 ms: one that a thread
// starts does nothing for a whole second in Deno 2.9.1 to 2.9.6, where it seems to look for a debugger.
import { MIB } from "../../core/units.ts";
import type { Answered, Asked } from "./messages.ts";

interface Trade {
  /** The module that the thread runs. */
  readonly module: string;
  /** The weight of work after which an idle thread is ended; one that did less stays. */
  readonly worn: number;
}

/** The kinds of work that have a thread of their own. */
type Kind = "markdown" | "images";

const trades: Readonly<Record<Kind, Trade>> = {
  // By characters: a converter keeps up to 250 MiB of heap.
  markdown: { module: import.meta.resolve("../snippets/markdown_worker.ts"), worn: MIB },
  // Decoded images leave hundreds of mebibytes, which WebAssembly never gives back.
  images: { module: import.meta.resolve("../images/image_worker.ts"), worn: 0 },
};

/** Milliseconds without work after which a worn thread is ended. */
const IDLE = 10_000;

interface Thread {
  readonly kind: Kind;
  readonly worker: Worker;
  /** By id, what it has not answered yet. */
  readonly waiting: Map<number, PromiseWithResolvers<unknown>>;
  /** The weight of its work so far: its heap grows with it. */
  done: number;
  idle?: ReturnType<typeof setTimeout>;
}

export interface Work<T> {
  readonly kind: Kind;
  readonly task: T;
  /** How much it wears the thread; see `worn`. */
  readonly weight: number;
  /** What of the task is handed over instead of copied. */
  readonly handedOver?: readonly ArrayBuffer[];
}

/** Started at the first task, since each takes memory, and kept, since starting one takes a fifth of a second. */
const threads = new Map<Kind, Thread>();
let lastId = 0;

/**
 * Has a thread of the kind do the task, after those before it.
 *
 * @throws {Error} A defect: the thread has failed, and another one is started for the next task.
 */
export function onThread<T, R>({ kind, task, weight, handedOver }: Work<T>): Promise<R> {
  const thread = threads.get(kind) ?? startThread(kind);
  clearTimeout(thread.idle);
  const id = ++lastId;
  const outcome = Promise.withResolvers<R>();
  thread.waiting.set(id, outcome as PromiseWithResolvers<unknown>);
  thread.done += weight;
  thread.worker.postMessage({ id, task } satisfies Asked<T>, [...handedOver ?? []]);
  return outcome.promise;
}

function startThread(kind: Kind): Thread {
  const worker = startWorker<Answered>(trades[kind].module, (answer) => {
    settle(thread, answer);
    if (answer.spent) end(thread, "another task has broken it");
    else if (thread.waiting.size === 0) rest(thread);
  }, (defect) => forget(thread, defect));
  const thread: Thread = { kind, worker, waiting: new Map(), done: 0 };
  threads.set(kind, thread);
  return thread;
}

/**
 * Starts a thread for one caller, who ends it.
 *
 * @param module The address of the module that it runs.
 * @param onPosted Called with what it posts.
 * @param onDefect Called when it has failed as a whole, and has ended.
 */
export function startWorker<T>(
  module: string,
  onPosted: (data: T) => void,
  onDefect: (problem: string) => void,
): Worker {
  const worker = new Worker(module, { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<T>) => onPosted(data);
  worker.onerror = (event) => {
    event.preventDefault();
    onDefect(event.message);
  };
  return worker;
}

function settle({ waiting }: Thread, { id, outcome, defect }: Answered): void {
  const asked = waiting.get(id);
  waiting.delete(id);
  if (defect !== undefined) asked?.reject(failure(defect));
  else asked?.resolve(outcome);
}

/** Called when nothing runs on the thread, for only then does `terminate` end it at once. Ends a worn one later. */
function rest(thread: Thread): void {
  if (thread.done < trades[thread.kind].worn) return;
  thread.idle = setTimeout(() => end(thread, ""), IDLE);
}

function end(thread: Thread, why: string): void {
  thread.worker.terminate();
  forget(thread, why);
}

/** What it was asked for fails, and the next task starts another one. */
function forget({ kind, waiting, idle }: Thread, defect: string): void {
  // Later it would end the other one.
  clearTimeout(idle);
  threads.delete(kind);
  for (const asked of waiting.values()) asked.reject(failure(defect));
}

function failure(what: string): Error {
  return new Error(`A thread has failed: ${what}`);
}
