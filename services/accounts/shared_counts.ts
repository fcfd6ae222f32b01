// What the processes on one store tell each other of their rate limits. Each keeps a note in the store of what it has
// counted, and adds what the notes of the others say. Nothing waits for it: a request knows what was told before it.
import type { Sealer } from "../../core/sealing.ts";
import { DAY, MINUTE, SECOND } from "../../core/units.ts";
import type { Notes } from "../../storage/port.ts";
import {
  type Count,
  type CountNote,
  fitting,
  type Forgiven,
  type NumberedForgiven,
  seal,
  unseal,
} from "./count_notes.ts";

/** Milliseconds between exchanges while no limit is near. */
const INTERVAL = SECOND;
/** From this part of a limit on, it is exchanged for an interval without waiting. */
const NEAR = 1 / 4;
/**
 * Below this part of a limit nothing is told, so that what everyone does now and then is not written at all. Four
 * processes that all stay below it miss a tenth of the limit.
 */
const TOLD_FROM = 1 / 32;
/** Changes far from a limit that are remembered until they are told; further ones wait for the next hit of their key. */
const MAX_CHANGED = 1000;
/** Milliseconds that it is told what was forgiven: every other process reads it once in that time. */
const FORGIVEN_FOR = 10 * SECOND;
/**
 * Milliseconds after all that a note says has ended: the process that left it is gone, or it would have removed it.
 */
const ABANDONED_AFTER = MINUTE;
const PREFIX = "limits/";
const NOTHING = { ids: new Set<string>(), endsAt: 0 };

/** What this process has counted itself. */
export interface OwnCounts {
  /** Null where nothing is counted. `part`: hits by the limit, those of other processes among them. */
  look(id: string): { hits: number; remaining: number; part: number } | null;
  /** Takes back what was counted here and another process has forgiven. */
  forgive(forgiven: Forgiven): void;
}

export interface SharedCountsOptions {
  readonly notes: Notes;
  /** With a key that all processes have and nobody else. */
  readonly sealer: Sealer;
  readonly clock: () => Date;
  /** Milliseconds, monotonic: windows end by it, whatever is done to the clocks. */
  readonly elapsed: () => number;
}

interface Hits {
  readonly hits: number;
  /** Milliseconds, by `elapsed`. */
  readonly endsAt: number;
}

/** What is known of another process. */
interface Other {
  readonly text: string;
  readonly counts: ReadonlyMap<string, Hits>;
  /** The last of what it forgave that was taken back here. */
  readonly forgiven: number;
  /** When all that it told of has ended. */
  readonly endsAt: number;
}

export class SharedCounts {
  readonly #options: SharedCountsOptions;
  readonly #name = PREFIX + crypto.randomUUID();
  /** Of all other processes together. */
  #counted = new Map<string, Hits[]>();
  readonly #others = new Map<string, Other>();
  /** When the notes were read last. */
  #heardAt = -Infinity;
  /** What has to be told. */
  #changed = new Set<string>();
  /** What the note says now, or will when it is written, and when all of that ends. */
  #told: { readonly ids: ReadonlySet<string>; readonly endsAt: number } = NOTHING;
  /** Whether there may be a note. */
  #written = false;
  readonly #forgiven: { readonly until: number; readonly forgiven: NumberedForgiven }[] = [];
  #forgivenUntold = false;
  #number = 0;
  /** Until then it is exchanged as often as possible. */
  #urgentUntil = 0;
  #nextAt = 0;

  constructor(options: SharedCountsOptions) {
    this.#options = options;
  }

  /** What other processes have counted and is in force, each window by itself. */
  of(id: string): readonly Hits[] {
    const hits = this.#counted.get(id);
    if (!hits) return [];
    const now = this.#options.elapsed();
    return hits.filter(({ endsAt }) => endsAt > now);
  }

  /** @param part Hits by the limit, those of other processes among them. */
  changed(id: string, part: number): void {
    if (part < TOLD_FROM && !this.#told.ids.has(id)) return;
    const near = part >= NEAR;
    if (near || this.#changed.size < MAX_CHANGED) this.#changed.add(id);
    if (near) this.#urgentUntil = this.#options.elapsed() + INTERVAL;
  }

  /** Where others have counted what is forgiven here, it is told, and they take it back. */
  forgave(forgiven: Forgiven, concerns: (id: string) => boolean): void {
    const ids = [...this.#counted.keys()].filter(concerns);
    if (ids.length === 0) return;
    for (const id of ids) this.#counted.delete(id);
    const until = this.#options.elapsed() + FORGIVEN_FOR;
    this.#forgiven.push({ until, forgiven: { ...forgiven, number: ++this.#number } });
    this.#forgivenUntold = true;
  }

  /**
   * Tells what has changed and reads what the others told, when it is time for it: each second, or each time while
   * someone is near to a limit. Not to be called again before it is done.
   *
   * @throws {StoreUnavailable} What was known goes on to count.
   */
  async exchange(own: OwnCounts): Promise<void> {
    const now = this.#options.elapsed();
    if (now >= this.#urgentUntil && now < this.#nextAt) return;
    this.#nextAt = now + INTERVAL;
    await this.#tell(own);
    await this.#hear(own);
  }

  async #tell(own: OwnCounts): Promise<void> {
    const { clock, elapsed } = this.#options;
    const now = elapsed();
    while (this.#forgiven[0] && this.#forgiven[0].until <= now) this.#forgiven.shift();
    const ended = this.#written && this.#told.endsAt <= now;
    if (this.#changed.size === 0 && !this.#forgivenUntold && !ended) return;
    const changed = this.#changed;
    const note = fitting({
      at: clock().toISOString(),
      counts: nearest(own, new Set([...this.#told.ids, ...changed])),
      forgiven: this.#forgiven.map(({ forgiven }) => forgiven),
    });
    // What changes while the note is written is told the next time.
    this.#changed = new Set();
    this.#forgivenUntold = false;
    this.#told = {
      ids: new Set(note.counts.map(({ id }) => id)),
      endsAt: Math.max(
        this.#forgiven.at(-1)?.until ?? 0,
        ...note.counts.map(({ remaining }) => now + remaining),
      ),
    };
    try {
      await this.#write(note);
    } catch (error) {
      for (const id of changed) this.#changed.add(id);
      this.#forgivenUntold = this.#forgiven.length > 0;
      throw error;
    }
  }

  async #write(note: CountNote): Promise<void> {
    const { notes, sealer } = this.#options;
    if (note.counts.length > 0 || note.forgiven.length > 0) {
      this.#written = true;
      await notes.set(this.#name, seal(note, sealer));
    } else if (this.#written) {
      await notes.remove(this.#name);
      this.#written = false;
    }
  }

  async #hear(own: OwnCounts): Promise<void> {
    const { notes, elapsed } = this.#options;
    const found = await notes.list(PREFIX);
    const now = elapsed();
    const names = new Set(found.map(({ name }) => name));
    let news = false;
    for (const name of this.#others.keys()) {
      if (!names.has(name)) news = this.#others.delete(name);
    }
    const abandoned: string[] = [];
    for (const { name, text } of found) {
      const known = this.#others.get(name);
      if (name === this.#name) continue;
      if (known?.text !== text) {
        this.#others.set(name, this.#read(text, known, own));
        news = true;
      } else if (known.endsAt + ABANDONED_AFTER <= now) abandoned.push(name);
    }
    this.#heardAt = now;
    if (news) this.#counted = merged(this.#others.values());
    for (const name of abandoned) await notes.remove(name);
  }

  #read(text: string, known: Other | undefined, own: OwnCounts): Other {
    const note = unseal(text, this.#options.sealer);
    const now = this.#options.elapsed();
    if (!note) return { text, counts: new Map(), forgiven: 0, endsAt: now + DAY };
    const before = known?.forgiven ?? 0;
    for (const one of note.forgiven) if (one.number > before) own.forgive(one);
    const age = this.#ageOf(note);
    const counts = new Map<string, Hits>();
    for (const { id, hits, remaining } of note.counts) {
      counts.set(id, { hits, endsAt: now + remaining - age });
    }
    const forgiven = Math.max(before, ...note.forgiven.map(({ number }) => number));
    const endsAt = Math.max(now, ...[...counts.values()].map((hits) => hits.endsAt));
    return { text, counts, forgiven, endsAt };
  }

  /**
   * Milliseconds. Who reads regularly meets a note when it is new, and needs no clock to know. At the first reading,
   * and after a time without, it may be of any age, by the clocks of both processes.
   */
  #ageOf({ at }: CountNote): number {
    if (this.#options.elapsed() - this.#heardAt <= 2 * INTERVAL) return 0;
    return Math.max(0, this.#options.clock().getTime() - Date.parse(at));
  }
}

/** What is counted of these, nearest to its limit first. */
function nearest(own: OwnCounts, ids: Iterable<string>): Count[] {
  const counts: (Count & { part: number })[] = [];
  for (const id of ids) {
    const found = own.look(id);
    if (found) counts.push({ id, ...found });
  }
  return counts.sort((a, b) => b.part - a.part)
    .map(({ id, hits, remaining }) => ({ id, hits, remaining }));
}

function merged(others: Iterable<Other>): Map<string, Hits[]> {
  const all = new Map<string, Hits[]>();
  for (const { counts } of others) {
    for (const [id, hits] of counts) {
      const known = all.get(id);
      if (known) known.push(hits);
      else all.set(id, [hits]);
    }
  }
  return all;
}
