// Maps that forget their oldest entries, so that memory stays bounded whatever comes.

export class BoundedMap<K, V> extends Map<K, V> {
  /** @param max Entries kept at most. */
  constructor(readonly max: number) {
    super();
  }

  /** A value that is set again counts as new. */
  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.max) this.delete(this.keys().next().value!);
    return super.set(key, value);
  }
}

/** Keeps values up to a number of bytes; what was asked for longest ago goes first. */
export class ByteBoundedMap<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
  #bytes = 0;
  /** The key that was asked for last. */
  #last: K | undefined;

  /** @param max Bytes kept at most. */
  constructor(readonly max: number) {}

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // To move an entry costs six times as much as to find it, and one that was asked for last is at the end.
    if (key !== this.#last) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#last = key;
    }
    return entry.value;
  }

  /** @param bytes What the value takes. One that takes more than all may is not kept. */
  set(key: K, value: V, bytes: number): void {
    this.#remove(key);
    if (bytes > this.max) return;
    this.#entries.set(key, { value, bytes });
    this.#last = key;
    this.#bytes += bytes;
    while (this.#bytes > this.max) this.#remove(this.#entries.keys().next().value!);
  }

  #remove(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
