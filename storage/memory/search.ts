// Substring search over the searched text of every row: trigrams name a few candidates, and each is then verified.
import type { Work } from "../../core/slices.ts";
import { MIB } from "../../core/units.ts";
import type { Test } from "./column.ts";
import { FreshRows } from "./fresh_rows.ts";
import type { SearchedTexts } from "./searched_texts.ts";
import { plainBytes } from "./text_bytes.ts";
import { bucketOf, BUCKETS, bucketsOf } from "./trigrams.ts";

/** Rows that are indexed together: their places in it take two bytes. */
const SEGMENT_BITS = 16;
const SEGMENT = 1 << SEGMENT_BITS;
/** Bytes of text beyond which further segments are not indexed: that would take about as much memory again. */
const MAX_INDEXED = 96 * MIB;
/** So few rows are not indexed: each search looks through all of them. */
const FEW_ROWS = 1024;
/**
 * The share of a segment that may have changed since it was indexed, where that is more than a few rows: then it is indexed
 * anew. To index a row takes a microsecond, so each change costs some eight of them.
 */
const MAX_FRESH_SHARE = 1 / 8;
/** Up to this many candidates are verified at once: that is cheaper than narrowing them down further. */
const FEW = 32;
/** How often candidates are narrowed down. */
const MAX_NARROWINGS = 4;
/** Above this share of all rows candidates are of no use, and a segment does not list those of a trigram. */
const MAX_SHARE = 1 / 4;
/** Rows between two places where indexing may be interrupted. */
const PIECE = 64;

/** Rows of a segment by trigram: those of bucket b are rows[starts[b]] up to rows[starts[b + 1]], ascending. */
interface Trigrams {
  readonly starts: Uint32Array;
  readonly rows: Uint16Array;
  /** Buckets of so many rows that they are not listed. */
  readonly common: ReadonlySet<number>;
}

interface Segment {
  trigrams: Trigrams | null;
  /** Rows that were set since the index was built. */
  fresh: FreshRows;
  /** While the index is built: rows that were set since that began. */
  building: FreshRows | null;
  /** Of all its texts. */
  bytes: number;
  /** Rows in it, and those that have gone. */
  end: number;
}

export class SearchIndex {
  readonly #segments: Segment[] = [];

  constructor(readonly searched: SearchedTexts) {}

  /** Takes the row that came, or has changed. @param text As `SearchedTexts.put` takes it. */
  enter(slot: number, text: () => string): void {
    this.searched.put(slot, text);
    this.searched.locate(slot);
    const segment = this.#segmentOf(slot), { start, end } = this.searched;
    segment.bytes += end - start;
    segment.end = Math.max(segment.end, (slot & (SEGMENT - 1)) + 1);
    if (segment.trigrams) segment.fresh.add(slot, this.searched);
    segment.building?.add(slot, this.searched);
  }

  /** To be called before the row changes or goes. */
  leave(slot: number): void {
    const segment = this.#segmentOf(slot);
    if (!this.searched.holds(slot)) return;
    this.searched.locate(slot);
    segment.bytes -= this.searched.end - this.searched.start;
    this.searched.drop(slot);
    if (segment.trigrams) segment.fresh.add(slot, null);
    segment.building?.add(slot, null);
  }

  /** @param term Not empty, and without the separator. */
  test(term: string): Test {
    const bytes = plainBytes(term), { searched } = this;
    return (slot) => searched.includes(slot, bytes);
  }

  /** Rows that may have the term, each once, in no order; null when too many may. */
  candidates(term: string): readonly number[] | null {
    const buckets = bucketsOf(plainBytes(term));
    if (buckets.length === 0) return null;
    const limit = MAX_SHARE * this.#segments.reduce((sum, { end }) => sum + end, 0);
    const likely = this.#segments.reduce((sum, segment) => sum + atMost(segment, buckets), 0);
    if (likely > Math.max(limit, FEW)) return null;
    const found: number[] = [];
    for (const [n, segment] of this.#segments.entries()) {
      this.#collect(segment, n * SEGMENT, buckets, found);
    }
    return found;
  }

  /** Whether there are segments to be indexed. */
  get stale(): boolean {
    return this.#segments.some((segment) => this.#isStale(segment));
  }

  /** Indexes what is not, or has changed much since. */
  *build(): Work<void> {
    for (let n = 0; n < this.#segments.length; n++) {
      if (this.#isStale(this.#segments[n]!)) yield* this.#buildSegment(n);
    }
  }

  #isStale(segment: Segment): boolean {
    if (segment.building) return false;
    if (segment.trigrams) {
      return segment.fresh.size > Math.max(FEW_ROWS, segment.end * MAX_FRESH_SHARE);
    }
    if (segment.end <= FEW_ROWS) return false;
    const indexed = this.#segments.reduce(
      (sum, { trigrams, bytes }) => sum + (trigrams ? bytes : 0),
      0,
    );
    return indexed + segment.bytes <= MAX_INDEXED;
  }

  /** A counting sort: the first pass counts the rows of each bucket, the second puts them in place. */
  *#buildSegment(n: number): Work<void> {
    const segment = this.#segments[n]!, base = n * SEGMENT, { end } = segment;
    const fresh = segment.building = new FreshRows();
    const starts = new Uint32Array(BUCKETS + 1);
    const last = new Int32Array(BUCKETS).fill(-1);
    for (let row = 0; row < end; row++) {
      this.#eachBucket(base + row, last, (bucket) => starts[bucket + 1]!++);
      if (row % PIECE === 0) yield;
    }
    const common = takeCommon(starts, MAX_SHARE * end);
    const isCommon = new Uint8Array(BUCKETS);
    for (const bucket of common) isCommon[bucket] = 1;
    for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
    const rows = new Uint16Array(starts[BUCKETS]!);
    const next = starts.slice();
    last.fill(-1);
    for (let row = 0; row < end; row++) {
      // A text that has changed meanwhile may have other trigrams than were counted.
      if (fresh.has(base + row)) continue;
      this.#eachBucket(base + row, last, (bucket) => {
        if (isCommon[bucket] === 0) rows[next[bucket]!++] = row;
      });
      if (row % PIECE === 0) yield;
    }
    const closedUp = fresh.size > 0 ? closed(starts, next, rows) : rows;
    segment.trigrams = { starts, rows: closedUp, common };
    segment.fresh = fresh;
    segment.building = null;
  }

  /** Adds the candidates of one segment. */
  #collect(segment: Segment, base: number, buckets: readonly number[], found: number[]): void {
    const { trigrams, fresh, end } = segment;
    const listed = trigrams && narrowed(trigrams, buckets);
    if (!listed) {
      for (let slot = base; slot < base + end; slot++) {
        if (this.searched.holds(slot)) found.push(slot);
      }
      return;
    }
    for (const row of listed) {
      if (!fresh.has(base + row)) found.push(base + row);
    }
    fresh.eachWith(buckets, (slot) => {
      if (this.searched.holds(slot)) found.push(slot);
    });
  }

  /** @param last For each bucket the row that was seen last, so that a row counts once. */
  #eachBucket(slot: number, last: Int32Array, visit: (bucket: number) => void): void {
    if (!this.searched.holds(slot)) return;
    this.searched.locate(slot);
    const { chunk, start, end } = this.searched;
    for (let i = start + 2; i < end; i++) {
      const bucket = bucketOf(chunk[i - 2]!, chunk[i - 1]!, chunk[i]!);
      if (last[bucket] === slot) continue;
      last[bucket] = slot;
      visit(bucket);
    }
  }

  #segmentOf(slot: number): Segment {
    const n = slot >>> SEGMENT_BITS;
    while (this.#segments.length <= n) {
      this.#segments.push({
        trigrams: null,
        fresh: new FreshRows(),
        building: null,
        bytes: 0,
        end: 0,
      });
    }
    return this.#segments[n]!;
  }
}

/** How many candidates a segment has, before they are narrowed down. */
function atMost({ trigrams, fresh, end }: Segment, buckets: readonly number[]): number {
  if (!trigrams) return end;
  const sizes = buckets.map((bucket) =>
    trigrams.common.has(bucket) ? end : sizeOf(trigrams, bucket)
  );
  return fresh.size + Math.min(...sizes);
}

function sizeOf({ starts }: Trigrams, bucket: number): number {
  return starts[bucket + 1]! - starts[bucket]!;
}

/** Rows that are in each of the buckets, or in enough of them to leave few; null where no bucket is listed. */
function narrowed(trigrams: Trigrams, buckets: readonly number[]): Uint16Array | null {
  const { starts, rows, common } = trigrams;
  const sorted = buckets.filter((bucket) => !common.has(bucket))
    .sort((a, b) => sizeOf(trigrams, a) - sizeOf(trigrams, b));
  if (sorted.length === 0) return null;
  const rowsOf = (bucket: number) => rows.subarray(starts[bucket]!, starts[bucket + 1]!);
  let found = rowsOf(sorted[0]!);
  for (const bucket of sorted.slice(1, 1 + MAX_NARROWINGS)) {
    if (found.length <= FEW || sizeOf(trigrams, bucket) > 16 * found.length) break;
    found = intersect(found, rowsOf(bucket));
  }
  return found;
}

/** Takes out the buckets of more than so many rows. @param counts The rows of bucket b are counts[b + 1]. */
function takeCommon(counts: Uint32Array, most: number): ReadonlySet<number> {
  const common = new Set<number>();
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (counts[bucket + 1]! <= most) continue;
    common.add(bucket);
    counts[bucket + 1] = 0;
  }
  return common;
}

/** The rows without the places of those that were counted and then left out: these are at the end of each bucket. */
function closed(starts: Uint32Array, ends: Uint32Array, rows: Uint16Array): Uint16Array {
  let to = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const from = starts[bucket]!, until = ends[bucket]!;
    starts[bucket] = to;
    for (let at = from; at < until; at++) rows[to++] = rows[at]!;
  }
  starts[BUCKETS] = to;
  return rows.slice(0, to);
}

function intersect(a: Uint16Array, b: Uint16Array): Uint16Array {
  const found = new Uint16Array(Math.min(a.length, b.length));
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
