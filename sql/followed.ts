// What is remembered of whole lists, and adjusted by each commit instead of forgotten: totals, figures, the lists' order.
import { type CacheBudget, RecordCache } from "../storage/memory/cache.ts";
import type { Entity } from "../storage/port.ts";
import type { Matches } from "./matching.ts";

/** How many rounds of the clock a value outlasts without being asked for: to read it anew is dearer than a record. */
const LIVES = 8;

export interface Followed {
  /** Infinity for what is not to be kept. */
  readonly bytes: number;
  /** To be called when a record has changed. Null: the record is new, or removed. @param version That of the commit. */
  follow(before: Entity | null, after: Entity | null, version: number): void;
  /** To be called once when it has been read and has been told of all commits since. */
  caughtUp?(): void;
}

interface Kept {
  readonly value: Followed;
  /** The newest journal entry that was visible when the value was read. */
  readonly asOf: number;
}

interface Event {
  readonly version: number;
  /** Null for a commit of another process: the journal does not tell the values of its records. */
  readonly change: { readonly before: Entity | null; readonly after: Entity | null } | null;
}

/**
 * Commits are in the order of the journal, so what one statement reads holds exactly the commits up to the newest entry
 * that it sees. Each later commit is added once: those made during the read are collected and added after it.
 */
export class FollowedValues {
  readonly #kept: RecordCache<Kept>;
  /** The keys, the least recently used first; the values of some may have been dropped. */
  readonly #keys = new Set<string>();
  /** The reads under way, each with the commits since it began. */
  readonly #reads = new Map<
    string,
    { readonly events: Event[]; readonly value: Promise<Followed> }
  >();

  /** @param most How many values are kept at a time: every commit has to adjust each of them. */
  constructor(budget: CacheBudget, readonly most: number) {
    this.#kept = new RecordCache(budget, LIVES);
  }

  get<V extends Followed>(key: string): V | undefined {
    const kept = this.#kept.get(key);
    if (kept && this.#keys.delete(key)) this.#keys.add(key);
    return kept?.value as V | undefined;
  }

  delete(key: string): void {
    this.#kept.delete(key);
    this.#keys.delete(key);
  }

  /** How many values are kept, at most. */
  get size(): number {
    return this.#keys.size;
  }

  /** Reads that are under way. */
  get reading(): number {
    return this.#reads.size;
  }

  /** Calls during a read share it. @param ask Reads the value and the newest journal entry, in one statement. */
  read<V extends Followed>(
    key: string,
    ask: () => Promise<{ value: V; asOf: number }>,
  ): Promise<V> {
    const known = this.#reads.get(key);
    if (known) return known.value as Promise<V>;
    const events: Event[] = [];
    const value = ask().then(({ value, asOf }) => {
      const lost = events.some(({ change, version }) => change === null && version > asOf);
      for (const { change, version } of events) {
        if (change && version > asOf) value.follow(change.before, change.after, version);
      }
      if (!lost) value.caughtUp?.();
      if (!lost && value.bytes < Infinity) this.#keep(key, { value, asOf });
      return value;
    }).finally(() => this.#reads.delete(key));
    this.#reads.set(key, { events, value });
    return value;
  }

  /** Adds a commit of this process. */
  follow(before: Entity | null, after: Entity | null, version: number): void {
    for (const { value, asOf } of this.#kept.values()) {
      if (asOf < version) value.follow(before, after, version);
    }
    for (const { events } of this.#reads.values()) {
      events.push({ version, change: { before, after } });
    }
  }

  /** Drops what a commit may have changed of which only the place in the journal is known. */
  lose(version: number): void {
    for (const key of this.#keys) {
      const kept = this.#kept.get(key);
      if (kept && kept.asOf < version) this.#kept.delete(key);
    }
    for (const { events } of this.#reads.values()) events.push({ version, change: null });
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept, kept.value.bytes + 2 * key.length);
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.most) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return this.#kept.delete(oldest);
    }
  }
}

/** How many records match. */
export class Total implements Followed {
  readonly bytes = 300;

  constructor(readonly matches: Matches, public total: number) {}

  follow(before: Entity | null, after: Entity | null): void {
    if (before && this.matches(before)) this.total--;
    if (after && this.matches(after)) this.total++;
  }
}
