// Long computations in slices: the event loop is held for milliseconds at a time, and all computations take turns.
import type { Awaitable } from "./awaitable.ts";
import { later } from "./delay.ts";

/**
 * A computation that yields wherever it may be interrupted, at least once a millisecond or so. A promise that it yields
 * is waited for; its rejection is thrown into the computation.
 */
export type Work<T> = Generator<Promise<unknown> | void, T, void>;

/** Milliseconds that all computations together may take in one turn of the event loop. */
const TURN = 6;
/** Milliseconds after which a computation lets the next one go on. */
const QUANTUM = 2;

export class Slices {
  readonly #tasks: AnyTask[] = [];
  /** Milliseconds left in this turn of the event loop. */
  #left = TURN;
  #armed = false;

  /**
   * @param now Milliseconds.
   * @param later Calls in a later turn of the event loop.
   */
  constructor(
    readonly now: () => number = () => performance.now(),
    readonly inLaterTurn: (next: () => void) => void = later,
  ) {}

  /** Does the work: at once where it is short and this turn has time left, else in slices. */
  run<T>(work: Work<T>): Awaitable<T> {
    const task = new Task(work, () => this.#enqueue(task));
    if (this.#left > 0 && !task.advance()) this.#advance(task);
    if (task.ended) return task.result();
    if (!task.waiting) this.#enqueue(task);
    return task.promise();
  }

  #enqueue(task: AnyTask): void {
    this.#tasks.push(task);
    this.#arm();
  }

  #advance(task: AnyTask): void {
    const startedAt = this.now();
    const quantum = Math.min(QUANTUM, this.#left);
    while (!task.advance() && this.now() - startedAt < quantum);
    this.#left -= this.now() - startedAt;
    this.#arm();
  }

  /** Time is given anew in each turn, so the next one has to be noticed whenever some was spent. */
  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.inLaterTurn(() => this.#turn());
  }

  #turn(): void {
    this.#armed = false;
    this.#left = TURN;
    while (this.#tasks.length > 0 && this.#left > 0) {
      const task = this.#tasks.shift()!;
      this.#advance(task);
      if (!task.ended && !task.waiting) this.#tasks.push(task);
    }
    if (this.#tasks.length > 0) this.#arm();
  }
}

// deno-lint-ignore no-explicit-any -- tasks of any result take turns
type AnyTask = Task<any>;

/** A computation under way. */
class Task<T> {
  ended = false;
  /** It has yielded a promise that is not settled. */
  waiting = false;
  #value: T | undefined;
  #failure: { readonly cause: unknown } | null = null;
  #settle: { resolve(value: T): void; reject(cause: unknown): void } | null = null;

  /** @param resume To be called when what it waits for is there. */
  constructor(readonly work: Work<T>, readonly resume: () => void) {}

  /** Does one more piece; true when there is nothing to do until the task is resumed. */
  advance(): boolean {
    return this.#take(() => this.work.next());
  }

  result(): T {
    if (this.#failure) throw this.#failure.cause;
    return this.#value!;
  }

  promise(): Promise<T> {
    return new Promise((resolve, reject) => this.#settle = { resolve, reject });
  }

  #take(next: () => IteratorResult<Promise<unknown> | void, T>): boolean {
    try {
      const { done, value } = next();
      if (done) this.#end(value, null);
      else if (value instanceof Promise) this.#wait(value);
    } catch (cause) {
      this.#end(undefined, { cause });
    }
    return this.ended || this.waiting;
  }

  #wait(awaited: Promise<unknown>): void {
    this.waiting = true;
    const go = (next?: () => IteratorResult<Promise<unknown> | void, T>) => {
      this.waiting = false;
      if (!next || !this.#take(next)) this.resume();
    };
    awaited.then(() => go(), (cause) => go(() => this.work.throw(cause)));
  }

  #end(value: T | undefined, failure: { readonly cause: unknown } | null): void {
    this.ended = true;
    this.#value = value;
    this.#failure = failure;
    if (failure) this.#settle?.reject(failure.cause);
    else this.#settle?.resolve(value!);
  }
}

/** Does work that yields no promise without a break: for what is known to be short. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Waits within a computation for what may be there at once. */
export function* waitFor<T>(value: Awaitable<T>): Work<T> {
  if (!(value instanceof Promise)) return value;
  let settled: T;
  yield value.then((result) => {
    settled = result;
  });
  return settled!;
}

/** The computations of this process: they share its event loop. */
export const slices: Slices = new Slices();
