// A map that forgets its oldest entries, so that memory stays bounded whatever comes.

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
