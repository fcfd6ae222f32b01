// What a KV Connect server keeps: encoded keys in order, with their values as the clients encoded them.
import {
  type Check,
  ENCODING,
  type KvEntry,
  MUTATION,
  type Mutation,
  type ReadRange,
} from "./messages.ts";

interface Stored {
  readonly value: Uint8Array;
  readonly encoding: number;
  readonly versionstamp: Uint8Array;
  /** Milliseconds since the epoch; 0: never. */
  readonly expireAt: number;
}

/** The commit's versionstamp, or which of its checks failed. */
export type Written = { readonly versionstamp: Uint8Array } | {
  readonly failedChecks: readonly number[];
};

export class Database {
  /** Hexadecimal keys, in order, which is that of their bytes. */
  readonly #keys: string[] = [];
  readonly #entries = new Map<string, Stored>();
  readonly #watchers = new Set<() => void>();
  #version = 0n;

  get(key: Uint8Array): KvEntry | null {
    return this.#entry(key.toHex());
  }

  read({ start, end, limit, reverse }: ReadRange): KvEntry[] {
    const [from, to] = [this.#place(start.toHex()), this.#place(end.toHex())];
    const keys = this.#keys.slice(from, to);
    if (reverse) keys.reverse();
    const found: KvEntry[] = [];
    for (const key of keys) {
      if (found.length === limit) break;
      const entry = this.#entry(key);
      if (entry) found.push(entry);
    }
    return found;
  }

  /** Writes all of it, or nothing where a check fails. @throws A mutation cannot be done. */
  write(checks: readonly Check[], mutations: readonly Mutation[]): Written {
    const failedChecks = checks.flatMap(({ key, versionstamp }, n) =>
      (this.get(key)?.versionstamp.toHex() ?? "") === versionstamp.toHex() ? [] : [n]
    );
    if (failedChecks.length > 0) return { failedChecks };
    const versionstamp = new Uint8Array(10);
    // A real server leaves gaps: https://github.com/denoland/deno/issues/19875
    new DataView(versionstamp.buffer).setBigUint64(0, this.#version += 3n);
    const writes = new Map<string, Stored | null>();
    for (const mutation of mutations) {
      const [key, stored] = this.#mutate(mutation, versionstamp, writes);
      writes.set(key, stored);
    }
    for (const [key, stored] of writes) this.#set(key, stored);
    for (const wake of [...this.#watchers]) wake();
    return { versionstamp };
  }

  /** Settles after the next write. */
  changed(): { readonly happened: Promise<void>; readonly forget: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#watchers.delete(wake);
      resolve();
    };
    this.#watchers.add(wake);
    return { happened: promise, forget: wake };
  }

  #mutate(
    { key, value, type, expireAt }: Mutation,
    versionstamp: Uint8Array,
    writes: ReadonlyMap<string, Stored | null>,
  ): [string, Stored | null] {
    const hex = key.toHex();
    if (type === MUTATION.delete) return [hex, null];
    if (!value) throw new Error("a mutation lacks its value");
    const { data, encoding } = value;
    const stored = { value: data, encoding, versionstamp, expireAt };
    if (type === MUTATION.set) return [hex, stored];
    if (type === MUTATION.setVersionstamped) return [hex + textPart(versionstamp.toHex()), stored];
    const before = writes.has(hex) ? writes.get(hex) : this.#entry(hex);
    const result = before ? combined(type, before, stored) : data;
    return [hex, { ...stored, value: result }];
  }

  #entry(key: string): KvEntry | null {
    const stored = this.#entries.get(key);
    if (!stored || (stored.expireAt !== 0 && stored.expireAt <= Date.now())) return null;
    const { value, encoding, versionstamp } = stored;
    return { key: Uint8Array.fromHex(key), value, encoding, versionstamp };
  }

  #set(key: string, stored: Stored | null): void {
    const place = this.#place(key);
    const known = this.#keys[place] === key;
    if (stored) {
      this.#entries.set(key, stored);
      if (!known) this.#keys.splice(place, 0, key);
    } else if (known) {
      this.#entries.delete(key);
      this.#keys.splice(place, 1);
    }
  }

  /** Of the first key that is not before this one. */
  #place(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A text as the last part of an encoded key: https://github.com/denoland/denokv/blob/main/proto/codec.rs */
function textPart(text: string): string {
  return `02${new TextEncoder().encode(text).toHex()}00`;
}

function combined(
  type: number,
  before: { readonly value: Uint8Array; readonly encoding: number },
  { value, encoding }: Stored,
): Uint8Array {
  if (before.encoding !== ENCODING.le64 || encoding !== ENCODING.le64) {
    throw new Error("only numbers of 64 bits can be added or compared");
  }
  const [a, b] = [numberOf(before.value), numberOf(value)];
  const result = type === MUTATION.sum
    ? BigInt.asUintN(64, a + b)
    : type === MUTATION.max
    ? (a > b ? a : b)
    : (a < b ? a : b);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, result, true);
  return bytes;
}

function numberOf(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}
