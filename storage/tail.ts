// The tail of a collection: what commits of this process have lately inserted into it, made into what somebody who follows
// the collection needs of it. Made soon after the commit, while the processor's caches have the record, it is a fraction
// of the work that it is to read the journal and the records again a second later.
import { setImmediate } from "node:timers";
import type { Entity, Made, Tail } from "./port.ts";

/** The most that is kept for somebody who does not ask. */
const MOST = 20_000;
/** A commit that inserts more than this is left to be read: to make something of all of it would hold the event loop. */
const BULK = 100;

/** The tails that somebody has asked a store for. */
export class Tails {
  readonly #all: CommitTail<Entity, unknown>[] = [];

  begin<T extends Entity, R>(collection: string, make: (record: T) => R): Tail<R> {
    const tail = new CommitTail<T, R>(collection, make);
    this.#all.push(tail as unknown as CommitTail<Entity, unknown>);
    return tail;
  }

  /**
   * To be called for each commit of this process, in their order, as soon as memory has it.
   *
   * @param before The position in the journal of what was committed before it, by whomever.
   * @param insertedInto What it has inserted into a collection.
   */
  add(
    before: string,
    seq: string,
    insertedInto: (collection: string) => Iterable<Entity>,
  ): void {
    for (const tail of this.#all) tail.add(before, seq, insertedInto(tail.collection));
  }
}

interface Kept<T, R> {
  readonly seq: string;
  readonly size: number;
  /** Until something was made of them. */
  inserted: readonly T[] | null;
  made: readonly R[];
}

class CommitTail<T extends Entity, R> implements Tail<R> {
  #kept: Kept<T, R>[] = [];
  #size = 0;
  /** Every commit after `from` and up to `to` is one of this process, and known; null while nothing is. */
  #from: string | null = null;
  #to: string | null = null;
  /** Whether nothing is kept until somebody asks: it was too much for nobody. */
  #asleep = false;
  #isDue = false;

  constructor(readonly collection: string, readonly make: (record: T) => R) {}

  add(before: string, seq: string, all: Iterable<T>): void {
    if (this.#asleep) return;
    if (before !== this.#to) this.#beginAfter(before);
    this.#to = seq;
    const inserted = Iterator.from(all).take(BULK + 1).toArray();
    if (inserted.length === 0) return;
    if (inserted.length > BULK) return this.#beginAfter(seq);
    this.#kept.push({ seq, size: inserted.length, inserted, made: [] });
    this.#size += inserted.length;
    if (this.#size > MOST) {
      this.#beginAfter(null);
      this.#asleep = true;
    } else if (!this.#isDue) {
      this.#isDue = true;
      // In a turn of its own: that in which a group of commits is answered is long as it is.
      setImmediate(() => {
        this.#isDue = false;
        this.#makeAll();
      });
    }
  }

  take(after: string, upTo: string): readonly Made<R>[] | null {
    this.#asleep = false;
    this.#makeAll();
    const isKnown = upTo <= after ||
      this.#from !== null && this.#from <= after && upTo <= this.#to!;
    const taken = this.#kept.filter(({ seq }) => seq > after && seq <= upTo);
    this.#kept = this.#kept.filter(({ seq }) => seq > upTo);
    this.#size = this.#kept.reduce((sum, { size }) => sum + size, 0);
    if (this.#from !== null && this.#from < upTo) this.#from = upTo;
    if (this.#to !== null && this.#to < upTo) this.#to = upTo;
    return isKnown ? taken.map(({ seq, made }) => ({ seq, made })) : null;
  }

  #beginAfter(position: string | null): void {
    this.#kept = [];
    this.#size = 0;
    this.#from = this.#to = position;
  }

  #makeAll(): void {
    for (let n = this.#kept.length - 1; n >= 0 && this.#kept[n]!.inserted; n--) {
      const kept = this.#kept[n]!;
      kept.made = kept.inserted!.map(this.make);
      kept.inserted = null;
    }
  }
}
