// Records in memory up to a number of bytes: each as the text of its JSON, those in use as objects too.
import type { Entity } from "../port.ts";
import { deepFreeze } from "../records.ts";

/** Bytes that an entry takes beside its text: its fields, its place in a map and on a clock, its id and version. */
const ENTRY_BYTES = 240;
/** The share of the budget that records in the form of objects may take. */
const HOT_SHARE = 1 / 4;

interface Entry {
  readonly owner: Map<string, Entry>;
  readonly id: string;
  rev: string;
  /** The record's JSON. Null for a record that was written, not read, until it stops being kept as an object. */
  text: string | null;
  record: Entity | null;
  /** What the text and the entry take. */
  bytes: number;
  /** Set by a hit, cleared when a clock's hand passes. */
  used: boolean;
  /** Its index among all entries, and among those that are objects (-1 when it is none). */
  at: number;
  hotAt: number;
}

/** Bytes of a text in memory: V8 takes one byte a character when all are up to U+00FF, else two. */
export function textBytes(text: string): number {
  // deno-lint-ignore no-control-regex -- every character of one byte
  return /^[\x00-\xff]*$/.test(text) ? text.length : 2 * text.length;
}

/** About how many bytes a record takes as an object, beside its text: copies of its strings, and pointers. */
function objectBytes(bytes: number): number {
  return 256 + bytes;
}

/**
 * What the records of all collections of a store share. Two clocks (as good as least recently used, with no work on a
 * hit but a flag): one turns objects back into texts, the other drops texts.
 */
export class RecordsBudget {
  readonly #all: Entry[] = [];
  readonly #hot: Entry[] = [];
  #hand = 0;
  #hotHand = 0;
  #bytes = 0;
  #hotBytes = 0;

  constructor(readonly maxBytes: number) {}

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes + this.#hotBytes;
  }

  /** Whether one more text fits without dropping another; the share of the objects is left free. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + ENTRY_BYTES + bytes <= this.maxBytes * (1 - HOT_SHARE);
  }

  add(entry: Entry): void {
    entry.at = this.#all.push(entry) - 1;
    this.#bytes += entry.bytes;
  }

  /** To be called when the entry has got an object. */
  heat(entry: Entry): void {
    if (entry.hotAt >= 0) return;
    entry.hotAt = this.#hot.push(entry) - 1;
    this.#hotBytes += objectBytes(entry.bytes);
  }

  /** To be called before the bytes of an entry change, or it is dropped. */
  remove(entry: Entry): void {
    this.#cool(entry);
    const last = this.#all.pop()!;
    if (last !== entry) {
      this.#all[entry.at] = last;
      last.at = entry.at;
    }
    this.#bytes -= entry.bytes;
  }

  shrink(): void {
    while (this.#hotBytes > this.maxBytes * HOT_SHARE && this.#hot.length > 0) {
      this.#hotHand = this.#hotHand < this.#hot.length ? this.#hotHand : 0;
      const entry = this.#hot[this.#hotHand]!;
      if (entry.used) entry.used = false;
      else {
        entry.text ??= JSON.stringify({ ...entry.record!, rev: undefined });
        entry.record = null;
        this.#cool(entry);
      }
      this.#hotHand++;
    }
    while (this.bytes > this.maxBytes && this.#all.length > 0) {
      this.#hand = this.#hand < this.#all.length ? this.#hand : 0;
      const entry = this.#all[this.#hand]!;
      if (entry.used) entry.used = false;
      else {
        this.remove(entry);
        entry.owner.delete(entry.id);
      }
      this.#hand++;
    }
  }

  #cool(entry: Entry): void {
    if (entry.hotAt < 0) return;
    const last = this.#hot.pop()!;
    if (last !== entry) {
      this.#hot[entry.hotAt] = last;
      last.hotAt = entry.hotAt;
    }
    entry.hotAt = -1;
    this.#hotBytes -= objectBytes(entry.bytes);
  }
}

/** The records of one collection that are in memory. */
export class Records<T extends Entity> {
  readonly #entries = new Map<string, Entry>();

  constructor(readonly budget: RecordsBudget) {}

  get(id: string): T | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.used = true;
    return (entry.record ?? this.#decode(entry)) as T;
  }

  /** The version that is in memory. */
  revOf(id: string): string | undefined {
    return this.#entries.get(id)?.rev;
  }

  /** @param bytes What its text takes in memory. */
  set(record: T, bytes: number): void {
    this.#put(record.id, record.rev, null, record, bytes);
    this.budget.shrink();
  }

  /** Takes a record that a scan has met, while there is room and none of it is in memory. */
  offer({ id, rev }: Entity, text: string): void {
    const bytes = textBytes(text);
    if (this.#entries.has(id) || !this.budget.hasRoomFor(bytes)) return;
    this.#put(id, rev, text, null, bytes);
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.budget.remove(entry);
    this.#entries.delete(id);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.budget.remove(entry);
    this.#entries.clear();
  }

  #put(id: string, rev: string, text: string | null, record: T | null, textBytes: number): void {
    let entry = this.#entries.get(id);
    const bytes = ENTRY_BYTES + textBytes;
    if (entry) {
      this.budget.remove(entry);
      Object.assign(entry, { rev, text, record, bytes });
    } else {
      const owner = this.#entries;
      entry = { owner, id, rev, text, record, bytes, used: false, at: -1, hotAt: -1 };
      owner.set(id, entry);
    }
    this.budget.add(entry);
    if (record) this.budget.heat(entry);
  }

  #decode(entry: Entry): Entity {
    const record: { rev: string } = JSON.parse(entry.text!);
    record.rev = entry.rev;
    entry.record = deepFreeze(record) as Entity;
    this.budget.heat(entry);
    const decoded = entry.record;
    this.budget.shrink();
    return decoded;
  }
}
