// Substring search over the searched text of every row: trigrams name a few candidates, and each is then verified.
import type { Test } from "./column.ts";
import { MIB } from "../../core/units.ts";

/** How many buckets the trigrams share, a power of two. Trigrams that share one only add candidates to verify. */
const BUCKETS = 1 << 17;
/** Texts beyond this total are searched one by one: their index would take too much memory. In characters. */
const MAX_INDEXED_LENGTH = 48 * MIB;
/** Rows that changed since the index was built are always candidates; at this share it is built anew. */
const MAX_FRESH_SHARE = 1 / 16;
const MIN_FRESH = 2000;
/** Up to this many candidates are verified at once: that is cheaper than narrowing them down further. */
const FEW = 32;

/** Rows by trigram: those of bucket b are slots[starts[b]] up to slots[starts[b + 1]], ascending. */
interface Trigrams {
  readonly starts: Uint32Array;
  readonly slots: Uint32Array;
  /** Rows that were set since the index was built. */
  readonly fresh: Set<number>;
}

export class SearchIndex {
  /** By slot, lower case; a NUL between fields. */
  readonly #texts: string[] = [];
  #length = 0;
  #trigrams: Trigrams | null = null;

  get(slot: number): string {
    return this.#texts[slot] ?? "";
  }

  set(slot: number, text: string): void {
    this.#length += text.length - this.get(slot).length;
    this.#texts[slot] = text;
    this.#trigrams?.fresh.add(slot);
  }

  /** @param term Lower case, not empty. */
  test(term: string): Test {
    // A NUL separates the fields, so a term with one would match across two of them.
    if (term.includes("\0")) return () => false;
    return (slot) => this.#texts[slot]!.includes(term);
  }

  /** Rows that may have the term, each once; null when all may. */
  candidates(term: string): number[] | null {
    if (term.length < 3 || this.#length > MAX_INDEXED_LENGTH) return null;
    const { starts, slots, fresh } = this.#index();
    const buckets = [...new Set(bucketsOf(term))];
    const sizeOf = (bucket: number) => starts[bucket + 1]! - starts[bucket]!;
    buckets.sort((a, b) => sizeOf(a) - sizeOf(b));
    let found = slots.subarray(starts[buckets[0]!]!, starts[buckets[0]! + 1]!);
    for (const bucket of buckets.slice(1)) {
      if (found.length <= FEW || sizeOf(bucket) > 16 * found.length) break;
      found = intersect(found, slots.subarray(starts[bucket]!, starts[bucket + 1]!));
    }
    const result = fresh.size === 0
      ? [...found]
      : [...found].filter((slot) => !fresh.has(slot)).concat([...fresh]);
    return result;
  }

  #index(): Trigrams {
    const limit = Math.max(MIN_FRESH, this.#texts.length * MAX_FRESH_SHARE);
    if (!this.#trigrams || this.#trigrams.fresh.size > limit) this.#trigrams = build(this.#texts);
    return this.#trigrams;
  }
}

/** A counting sort: the first pass counts the rows of each bucket, the second puts them in place. */
function build(texts: readonly string[]): Trigrams {
  const starts = new Uint32Array(BUCKETS + 1);
  const last = new Int32Array(BUCKETS).fill(-1);
  eachBucket(texts, last, (bucket) => starts[bucket + 1]!++);
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
  const slots = new Uint32Array(starts[BUCKETS]!);
  const next = starts.slice();
  eachBucket(texts, last.fill(-1), (bucket, slot) => slots[next[bucket]!++] = slot);
  return { starts, slots, fresh: new Set() };
}

/** @param last For each bucket the row that was seen last, so that a row counts once. */
function eachBucket(
  texts: readonly string[],
  last: Int32Array,
  visit: (bucket: number, slot: number) => void,
): void {
  for (let slot = 0; slot < texts.length; slot++) {
    const text = texts[slot]!;
    let a = text.charCodeAt(0), b = text.charCodeAt(1);
    for (let i = 2; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const bucket = bucketOf(a, b, c);
      if (last[bucket] !== slot) {
        last[bucket] = slot;
        visit(bucket, slot);
      }
      a = b;
      b = c;
    }
  }
}

function bucketsOf(term: string): number[] {
  return Array.from(
    { length: term.length - 2 },
    (_, i) => bucketOf(term.charCodeAt(i), term.charCodeAt(i + 1), term.charCodeAt(i + 2)),
  );
}

/** Multiplicative hashing: odd constants spread each character, the high bits choose the bucket. */
function bucketOf(a: number, b: number, c: number): number {
  return (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) >>> 15;
}

function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const found = new Uint32Array(Math.min(a.length, b.length));
  let length = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i]! < b[j]!) i++;
    else if (a[i]! > b[j]!) j++;
    else {
      found[length++] = a[i]!;
      i++;
      j++;
    }
  }
  return found.subarray(0, length);
}
