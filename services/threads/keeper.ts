// The thread that keeps those that do heavy work: it starts one when there is work of its kind, and ends it when it has
// grown and is idle. Starting a thread stops the one that starts it for up to 30 ms; so this one does it.
import { MIB } from "../../core/units.ts";
import type { Answered, Asked, Kind, Told, Wanted } from "./messages.ts";

interface Trade {
  /** The module that the thread runs. */
  readonly module: string;
  /** The weight of work after which an idle thread is ended; one that did less stays. */
  readonly worn: number;
}

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
  /** Ids of the tasks that it has not answered yet. */
  readonly waiting: Set<number>;
  /** The weight of its work so far: its heap grows with it. */
  done: number;
  idle?: ReturnType<typeof setTimeout>;
}

const port = self as unknown as Worker;
/** Started at the first task, since each takes memory, and kept, since starting one takes a fifth of a second. */
const threads = new Map<Kind, Thread>();

function startThread(kind: Kind): Thread {
  const worker = new Worker(trades[kind].module, { type: "module" });
  const thread: Thread = { kind, worker, waiting: new Set(), done: 0 };
  worker.onmessage = ({ data }: MessageEvent<Answered>) => {
    thread.waiting.delete(data.id);
    port.postMessage(data, [...data.handedOver ?? []]);
    if (data.spent) end(thread, "Another task has broken the thread");
    else if (thread.waiting.size === 0) rest(thread);
  };
  // It has failed as a whole, and has ended: what it was asked for fails, and the next task starts another one.
  worker.onerror = (event) => {
    event.preventDefault();
    forget(thread, event.message);
  };
  threads.set(kind, thread);
  return thread;
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

function forget({ kind, waiting }: Thread, defect: string): void {
  threads.delete(kind);
  for (const id of waiting) port.postMessage({ id, defect } satisfies Answered);
}

/** A thread for one caller, until the caller ends it. */
function lend({ module, port }: Wanted): void {
  const worker = new Worker(module, { type: "module" });
  worker.onmessage = ({ data }) => port.postMessage({ posted: data } satisfies Told);
  worker.onerror = (event) => {
    event.preventDefault();
    port.postMessage({ defect: event.message } satisfies Told);
  };
  port.onmessage = ({ data }) => {
    if (data !== null) return worker.postMessage(data);
    worker.terminate();
    port.close();
  };
}

port.onmessage = ({ data }: MessageEvent<Asked | Wanted>) => {
  if ("module" in data) return lend(data);
  const thread = threads.get(data.kind) ?? startThread(data.kind);
  clearTimeout(thread.idle);
  thread.waiting.add(data.id);
  thread.done += data.weight;
  thread.worker.postMessage(data, [...data.handedOver ?? []]);
};
