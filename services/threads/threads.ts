// Work that would hold up the event loop is done on threads. Only their keeper is known here: keeper.ts.
import type { Answered, Asked } from "./messages.ts";

interface Keeper {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<unknown>>;
}

let keeper: Keeper | undefined;
let lastId = 0;

/**
 * Starts the keeper. That stops the event loop for up to 30 ms, so a server that has work for it from the start does it
 * before it serves; else the first task does.
 */
export function startThreads(): void {
  keeper ??= startKeeper();
}

/**
 * Has a thread of the kind do the task, after those before it.
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

function startKeeper(): Keeper {
  const worker = new Worker(import.meta.resolve("./keeper.ts"), { type: "module" });
  const waiting: Keeper["waiting"] = new Map();
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
  };
  return { worker, waiting };
}

function failure(what: string): Error {
  return new Error(`A thread has failed: ${what}`);
}
