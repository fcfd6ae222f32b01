// Work that would hold up the event loop is done on threads. Only their keeper is known here: keeper.ts.
import type { Answered, Asked, Told, Wanted } from "./messages.ts";

interface Keeper {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<unknown>>;
  /** Called when the keeper ends, and with it the threads that were lent. */
  readonly lent: Set<(defect: string) => void>;
}

export interface OwnThread {
  post(data: unknown): void;
  /** Ends it, whatever it does. */
  end(): void;
}

let keeper: Keeper | undefined;
let lastId = 0;

/**
 * Has a thread of the kind do the task, after those before it. The first task starts the keeper, which stops the event loop
 * for 10 to 30 ms, once: a server that never has such work saves the 8 MiB that the keeper takes.
 *
 * @throws {Error} A defect: the thread has failed, and another one is started for the next task.
 */
export function onThread<T, R>(asked: Omit<Asked<T>, "id">): Promise<R> {
  const { worker, waiting } = keeper ??= startKeeper();
  const id = ++lastId;
  const outcome = Promise.withResolvers<R>();
  waiting.set(id, outcome as PromiseWithResolvers<unknown>);
  worker.postMessage({ id, ...asked } satisfies Asked, [...asked.handedOver ?? []]);
  return outcome.promise;
}

/**
 * A thread for one caller alone, until the caller ends it. To start one here would stop the event loop.
 *
 * @param module The address of the module that it runs.
 * @param onPosted Called with what it posts.
 * @param onDefect Called when it has failed as a whole.
 */
export function ownThread<T>(
  module: string,
  onPosted: (data: T) => void,
  onDefect: (problem: string) => void,
): OwnThread {
  const { worker, lent } = keeper ??= startKeeper();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<Told<T>>) => {
    if ("posted" in data) onPosted(data.posted);
    else onDefect(data.defect);
  };
  lent.add(onDefect);
  worker.postMessage({ module, port: port2 } satisfies Wanted, [port2]);
  return {
    post: (data) => port1.postMessage(data),
    end() {
      lent.delete(onDefect);
      port1.postMessage(null);
      port1.close();
    },
  };
}

function startKeeper(): Keeper {
  const worker = new Worker(import.meta.resolve("./keeper.ts"), { type: "module" });
  const waiting: Keeper["waiting"] = new Map();
  const lent: Keeper["lent"] = new Set();
  worker.onmessage = ({ data: { id, outcome, defect } }: MessageEvent<Answered>) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (defect !== undefined) asked?.reject(failure(defect));
    else asked?.resolve(outcome);
  };
  // The keeper itself has failed, and has ended: what it was asked for fails, and the next task starts another.
  worker.onerror = (event) => {
    event.preventDefault();
    keeper = undefined;
    for (const asked of waiting.values()) asked.reject(failure(event.message));
    for (const onDefect of lent) onDefect(event.message);
  };
  return { worker, waiting, lent };
}

function failure(what: string): Error {
  return new Error(`A thread has failed: ${what}`);
}
