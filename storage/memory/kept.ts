// What is made from rows and kept, so that the next who asks need not wait: the most recently used, bounded in number.
import type { Live } from "./order.ts";

/** Characters of a key beyond which its value is not kept. */
const MAX_KEY_LENGTH = 4096;

export class Kept<V extends Live> {
  /** The most recently used last. */
  readonly #values = new Map<string, V>();
  #all: readonly V[] | null = null;

  /** @param max The most values at a time: each costs a test or two at every write. */
  constructor(readonly max: number) {}

  [Symbol.iterator](): Iterator<[string, V]> {
    return this.#values.entries();
  }

  /** In any order. The same array until one comes or goes: every write goes through all. */
  values(): readonly V[] {
    return this.#all ??= [...this.#values.values()];
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (!value) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    if (key.length > MAX_KEY_LENGTH) return;
    this.#values.set(key, value);
    if (this.#values.size > this.max) this.delete(this.#values.keys().next().value!);
  }

  delete(key: string): void {
    this.#values.delete(key);
    this.#all = null;
  }

  clear(): void {
    this.#values.clear();
    this.#all = null;
  }
}
