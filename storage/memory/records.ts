// Records in memory up to a number of bytes: each as the text of its JSON, those in use as objects too.
import type { Entity } from "../port.ts";
import { deepFreeze } from "../records.ts";
import type { Stored } from "./source.ts";

/** Bytes that an entry takes beside its text: its fields, its place in a map and on a clock, its id and version. */
const ENTRY_BYTES = 240;
/** The share of the budget that records in the form of objects may take. */
const HOT_SHARE = 1 / 8;

/** The entries of one collection. */
interface Owner {
  readonly entries: Map<string, Entry>;
  /** False for a collection that is kept as rows: a record of it is there while it is an object. */
  readonly keepsTexts: boolean;
}

interface Entry {
  readonly owner: Owner;
  readonly id: string;
  rev: string;
  /** The record's JSON; null until it stops being kept as an object, where it did not come with its JSON. */
  text: string | null;
  record: Entity | null;
  /** What its text takes, or would take. */
  textBytes: number;
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

/** What an entry and its text take. */
function entryBytes({ owner, textBytes }: Entry): number {
  return ENTRY_BYTES + (owner.keepsTexts ? textBytes : 0);
}

/** About how many bytes a record takes as an object, beside its text: copies of its strings, and pointers. */
function objectBytes({ textBytes }: Entry): number {
  return 512 + textBytes;
}

/** What takes its part of the budget beside the records: ready rows, answers. */
export interface Holder {
  readonly bytes: number;
  /** Drops some of what was not asked for lately; there must be something. */
  makeRoom(): void;
}

/**
 * What the records and rows of all collections of a store share. Clocks (as good as least recently used, with no work
 * on a hit but a flag): one turns objects back into texts, one drops texts, and the other holders have their own.
 * Whatever holds most gives way first.
 */
export class RecordsBudget {
  readonly #holders = new Set<Holder>();
  readonly #all: Entry[] = [];
  readonly #hot: Entry[] = [];
  #hand = 0;
  #hotHand = 0;
  #bytes = 0;
  #hotBytes = 0;

  constructor(readonly maxBytes: number) {}

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes + this.#hotBytes + this.#otherBytes;
  }

  get #otherBytes(): number {
    let bytes = 0;
    for (const holder of this.#holders) bytes += holder.bytes;
    return bytes;
  }

  /** Whether so much more fits without dropping anything; the share of the objects is left free. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + this.#otherBytes + bytes <= this.maxBytes * (1 - HOT_SHARE);
  }

  shareWith(holder: Holder): void {
    this.#holders.add(holder);
  }

  /** To be called when nothing is held there any more. */
  letGo(holder: Holder): void {
    this.#holders.delete(holder);
  }

  add(entry: Entry): void {
    entry.at = this.#all.push(entry) - 1;
    this.#bytes += entryBytes(entry);
  }

  /** To be called when the entry has got an object. */
  heat(entry: Entry): void {
    if (entry.hotAt >= 0) return;
    entry.hotAt = this.#hot.push(entry) - 1;
    this.#hotBytes += objectBytes(entry);
  }

  /** To be called before the bytes of an entry change, or it is dropped. */
  remove(entry: Entry): void {
    this.#cool(entry);
    const last = this.#all.pop()!;
    if (last !== entry) {
      this.#all[entry.at] = last;
      last.at = entry.at;
    }
    this.#bytes -= entryBytes(entry);
  }

  shrink(): void {
    while (this.#hotBytes > this.maxBytes * HOT_SHARE && this.#hot.length > 0) {
      this.#hotHand = this.#hotHand < this.#hot.length ? this.#hotHand : 0;
      const entry = this.#hot[this.#hotHand]!;
      if (entry.used) entry.used = false;
      else if (entry.owner.keepsTexts) {
        entry.text ??= JSON.stringify({ ...entry.record!, rev: undefined });
        entry.record = null;
        this.#cool(entry);
      } else this.#drop(entry);
      this.#hotHand++;
    }
    while (this.bytes > this.maxBytes) {
      const holder = this.#largest();
      if (holder && holder.bytes > this.#bytes + this.#hotBytes) holder.makeRoom();
      else this.#dropOne();
    }
  }

  #largest(): Holder | null {
    let most: Holder | null = null;
    for (const holder of this.#holders) if (!most || holder.bytes > most.bytes) most = holder;
    return most;
  }

  /** Drops an entry that was not asked for lately; there must be one. */
  #dropOne(): void {
    for (;; this.#hand++) {
      this.#hand = this.#hand < this.#all.length ? this.#hand : 0;
      const entry = this.#all[this.#hand]!;
      if (!entry.used) {
        // The newest entry moves into the gap: it is not looked at before its turn.
        this.#hand++;
        return this.#drop(entry);
      }
      entry.used = false;
    }
  }

  #drop(entry: Entry): void {
    this.remove(entry);
    entry.owner.entries.delete(entry.id);
  }

  #cool(entry: Entry): void {
    if (entry.hotAt < 0) return;
    const last = this.#hot.pop()!;
    if (last !== entry) {
      this.#hot[entry.hotAt] = last;
      last.hotAt = entry.hotAt;
    }
    entry.hotAt = -1;
    this.#hotBytes -= objectBytes(entry);
  }
}

/** The records of one collection that are in memory. */
export class Records<T extends Entity> {
  readonly #entries = new Map<string, Entry>();
  readonly #owner: Owner;

  /** @param keepsTexts False where rows are kept instead: then records are there while they are in use. */
  constructor(readonly budget: RecordsBudget, keepsTexts = true) {
    this.#owner = { entries: this.#entries, keepsTexts };
  }

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

  /**
   * @param bytes What its text takes in memory.
   * @param text Its JSON, if that is at hand: else it is made when it is needed. The version in it does not count.
   */
  set(record: T, bytes: number, text: string | null = null): void {
    this.#put(record.id, record.rev, this.#owner.keepsTexts ? text : null, record, bytes);
    this.budget.shrink();
  }

  /** Takes a record that a scan has met, while there is room and none of it is in memory. */
  offer(stored: Stored<T>): void {
    const { id, rev } = stored.record;
    if (!this.#owner.keepsTexts || this.#entries.has(id)) return;
    const { text } = stored, bytes = textBytes(text);
    if (this.budget.hasRoomFor(ENTRY_BYTES + bytes)) this.#put(id, rev, text, null, bytes);
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
    if (entry) {
      this.budget.remove(entry);
      Object.assign(entry, { rev, text, record, textBytes });
    } else {
      const owner = this.#owner;
      entry = { owner, id, rev, text, record, textBytes, used: false, at: -1, hotAt: -1 };
      this.#entries.set(id, entry);
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
