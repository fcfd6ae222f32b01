// The journal: one entry per commit, in the order of commits, kept for a week. Commits that were one atomic operation
// share a key.
import type { Awaitable } from "../core/awaitable.ts";
import { newId } from "../core/ids.ts";
import type { Work } from "../core/slices.ts";
import type { Actor, JournalChange, JournalEntry, Traits } from "../storage/port.ts";
import type { Client, Entry, Mutation } from "./client.ts";
import { JOURNAL_PREFIX, journalKey, journalPartKey } from "./keys.ts";
import { JOURNAL_RETENTION } from "../storage/limits.ts";

/** Longest entry, or part of one that is split: in characters of JSON, each of which KV stores in two bytes at most. */
const MAX_LENGTH = 20_000;

/** Changes in one slice: a tenth of a millisecond of work or so. */
const PIECE = 25;
/** Parts of an entry that are read in one turn of the event loop: some 2 ms of work. */
const PARTS_AT_A_TIME = 10;
/** Keys read at a time to find one. */
const FOUND_AT_A_TIME = 200;

/** A change as it is stored; entries of the first releases have no traits. */
type ChangeTuple = readonly [
  collection: string,
  id: string,
  op: JournalChange["op"],
  traits?: Traits,
  were?: Traits,
];

/** An entry as it is stored. */
interface StoredEntry {
  /** Of the atomic operation, in its first entry, where several processes share the store. */
  readonly commit?: string;
  readonly at: string;
  readonly actor: Actor;
  readonly changes: readonly ChangeTuple[];
  /** Where the changes are that did not fit into the entry. */
  readonly more?: { readonly id: string; readonly parts: number };
}

/** The entry of a commit, as JSON, and its further parts when it changes much. */
export function* journalEntry(
  { userId, ip, requestId, traceparent }: Actor,
  now: Date,
  changes: readonly JournalChange[],
): Work<{ readonly entry: string; readonly parts: readonly Mutation[] }> {
  const [head, ...rest] = yield* splitByLength(changes);
  const id = rest.length > 0 ? newId(now.getTime()) : "";
  const by = JSON.stringify({
    at: now.toISOString(),
    actor: { userId, ip, requestId, traceparent },
  });
  const more = rest.length > 0 ? `,"more":${JSON.stringify({ id, parts: rest.length })}` : "";
  return {
    entry: `${by.slice(0, -1)},"changes":${head}${more}}`,
    parts: rest.map((value, n) => ({
      kind: "set",
      key: journalPartKey(id, n),
      value,
      expireIn: JOURNAL_RETENTION,
    })),
  };
}

/**
 * Stores the entries of the commits of one atomic operation.
 *
 * @param entries At least one.
 * @param commit Of the operation, by which `find` of the journal finds it; a word. @default none
 */
export function journalMutation(entries: readonly string[], commit?: string): Mutation {
  const text = entries.join();
  const value = commit === undefined ? text : `{"commit":"${commit}",${text.slice(1)}`;
  return { kind: "journal", value: `[${value}]`, expireIn: JOURNAL_RETENTION };
}

/**
 * The position of an entry: the versionstamp of its operation, and for all but the first one their place in it. As
 * text, positions are in the order of commits.
 */
export function positionOf(versionstamp: string, place: number): string {
  return place === 0 ? versionstamp : `${versionstamp}.${String(place).padStart(4, "0")}`;
}

/** The versionstamp in a position. */
export function versionstampOf(position: string): string {
  return position.split(".", 1)[0]!;
}

export class Journal {
  constructor(readonly client: Client) {}

  /** The last entry's position; empty when there is none. */
  async last(): Promise<string> {
    const [stored] = await this.client.list({ prefix: JOURNAL_PREFIX as Deno.KvKey }, {
      limit: 1,
      reverse: true,
    });
    return stored ? entriesOf(stored).at(-1)!.seq : "";
  }

  /** When the oldest entry was written that is there; null when there is none. ISO 8601. */
  async since(): Promise<string | null> {
    const [stored] = await this.client.list({ prefix: JOURNAL_PREFIX as Deno.KvKey }, { limit: 1 });
    return stored ? entriesOf(stored)[0]!.value.at : null;
  }

  /** The entry at a position; null where there is none. */
  async entry(position: string): Promise<JournalEntry | null> {
    const [versionstamp = "", place = "0"] = position.split(".");
    if (!/^[0-9a-f]{20}$/.test(versionstamp) || !/^\d+$/.test(place)) return null;
    const [stored] = await this.client.getMany([journalKey(versionstamp)]);
    if (!stored || stored.value === null) return null;
    const found = entriesOf(stored).find(({ seq }) => seq === position);
    return found ? await this.#complete(found.seq, found.value) : null;
  }

  /**
   * Entries after a position, in order.
   *
   * @param atLeast With fewer than that the end was reached. Of commits that share a key all are given: to leave some out
   * would mean to read them again.
   * @param upTo The last position to read; "": nothing. @default all
   */
  async read(after: string, atLeast: number, upTo?: string): Promise<JournalEntry[]> {
    if (upTo !== undefined && after >= upTo) return [];
    // Entries of the same atomic operation share a key, so some under the position's own key may come after it.
    const start = journalKey(versionstampOf(after)) as Deno.KvKey;
    const selector: Deno.KvListSelector = upTo === undefined
      ? { start, prefix: JOURNAL_PREFIX as Deno.KvKey }
      : { start, end: journalKey(`${versionstampOf(upTo)}\0`) as Deno.KvKey };
    const stored = await this.client.list(selector, { limit: atLeast + 1 });
    const entries = stored.flatMap(entriesOf).filter(({ seq }) =>
      seq > after && (upTo === undefined || seq <= upTo)
    );
    return await Promise.all(entries.map(({ seq, value }) => this.#complete(seq, value)));
  }

  /** The versionstamp of an atomic operation that was done after a position; null where it was not. */
  async find(commit: string, after: string): Promise<string | null> {
    for (let start = versionstampOf(after);;) {
      const selector = {
        start: journalKey(start) as Deno.KvKey,
        prefix: JOURNAL_PREFIX as Deno.KvKey,
      };
      const stored = await this.client.list(selector, { limit: FOUND_AT_A_TIME });
      const mark = `[{"commit":"${commit}",`;
      const found = stored.find(({ value }) => String(value).startsWith(mark));
      if (found) return String(found.key[1]);
      if (stored.length < FOUND_AT_A_TIME) return null;
      start = `${String(stored.at(-1)!.key[1])}\0`;
    }
  }

  #complete(seq: string, stored: StoredEntry): Awaitable<JournalEntry> {
    const { at, actor, changes, more } = stored;
    return more ? this.#joined(seq, stored) : { seq, at, actor, changes: changes.map(fromTuple) };
  }

  async #joined(
    seq: string,
    { at, actor, changes, more }: StoredEntry,
  ): Promise<JournalEntry> {
    const keys = Array.from({ length: more?.parts ?? 0 }, (_, n) => journalPartKey(more!.id, n));
    const all = changes.map(fromTuple);
    for (let n = 0; n < keys.length; n += PARTS_AT_A_TIME) {
      for (const { value } of await this.client.getMany(keys.slice(n, n + PARTS_AT_A_TIME))) {
        const part: readonly ChangeTuple[] = value === null ? [] : JSON.parse(String(value));
        for (const change of part) all.push(fromTuple(change));
      }
    }
    return { seq, at, actor, changes: all };
  }
}

function entriesOf({ key, value }: Entry): { seq: string; value: StoredEntry }[] {
  const entries: readonly StoredEntry[] = JSON.parse(String(value));
  return entries.map((entry, place) => ({ seq: positionOf(String(key[1]), place), value: entry }));
}

function toTuple({ collection, id, op, traits, were }: JournalChange): ChangeTuple {
  if (traits === undefined) return [collection, id, op];
  return were === undefined ? [collection, id, op, traits] : [collection, id, op, traits, were];
}

function fromTuple([collection, id, op, traits, were]: ChangeTuple): JournalChange {
  return { collection, id, op, ...(traits ? { traits } : {}), ...(were ? { were } : {}) };
}

/** The changes as JSON, in arrays of so many as fit into an entry. */
function* splitByLength(changes: readonly JournalChange[]): Work<string[]> {
  const parts: string[] = [];
  let part: string[] = [];
  let length = 0;
  for (let n = 0; n < changes.length; n++) {
    if (n % PIECE === PIECE - 1) yield;
    const text = JSON.stringify(toTuple(changes[n]!));
    if (length + text.length + 1 > MAX_LENGTH) {
      parts.push(`[${part.join()}]`);
      part = [];
      length = 0;
    }
    length += text.length + 1;
    part.push(text);
  }
  parts.push(`[${part.join()}]`);
  return parts;
}
