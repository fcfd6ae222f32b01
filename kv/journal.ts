// The journal: one entry per commit, in the order of commits, kept for a week.
import { newId } from "../ids.ts";
import type { Actor, JournalEntry } from "../store.ts";
import type { Client, Mutation } from "./client.ts";
import { JOURNAL_PREFIX, journalKey, journalPartKey } from "./keys.ts";

/** Milliseconds. */
const RETENTION = 7 * 24 * 60 * 60 * 1000;
/** Of an entry, or of a part of one that is longer. In characters of JSON, which KV stores in two bytes at most. */
const MAX_LENGTH = 20_000;

type ChangeTuple = readonly [collection: string, id: string, op: "insert" | "update" | "remove"];

/** An entry as it is stored. */
interface StoredEntry {
  readonly at: string;
  readonly actor: Actor;
  readonly changes: readonly ChangeTuple[];
  /** Where the further changes are. */
  readonly more?: { readonly id: string; readonly parts: number };
}

/** The entry of a commit, and its further parts when it changes much. */
export function journalMutations(
  actor: Actor,
  now: Date,
  changes: readonly ChangeTuple[],
): { readonly entry: Mutation; readonly parts: readonly Mutation[] } {
  const [head, ...rest] = splitByLength(changes);
  const id = rest.length > 0 ? newId(now.getTime()) : "";
  const entry: StoredEntry = {
    at: now.toISOString(),
    actor,
    changes: head!,
    more: rest.length > 0 ? { id, parts: rest.length } : undefined,
  };
  return {
    entry: { kind: "journal", value: JSON.stringify(entry), expireIn: RETENTION },
    parts: rest.map((part, n) => ({
      kind: "set",
      key: journalPartKey(id, n),
      value: JSON.stringify(part),
      expireIn: RETENTION,
    })),
  };
}

export class Journal {
  constructor(readonly client: Client) {}

  /** The last entry's position; empty when there is none. */
  async last(): Promise<string> {
    const [entry] = await this.client.list({ prefix: JOURNAL_PREFIX as Deno.KvKey }, {
      limit: 1,
      reverse: true,
    });
    return entry ? String(entry.key[1]) : "";
  }

  /**
   * Entries after a position, in order.
   *
   * @param upTo The last position to read. @default "" (all)
   */
  async read(after: string, limit: number, upTo = ""): Promise<JournalEntry[]> {
    if (upTo && after >= upTo) return [];
    const start = journalKey(`${after}\0`) as Deno.KvKey;
    const selector: Deno.KvListSelector = upTo
      ? { start, end: journalKey(`${upTo}\0`) as Deno.KvKey }
      : { start, prefix: JOURNAL_PREFIX as Deno.KvKey };
    const entries = await this.client.list(selector, { limit });
    return await Promise.all(entries.map(({ key, value }) => this.#decode(String(key[1]), value)));
  }

  async #decode(seq: string, value: unknown): Promise<JournalEntry> {
    const { at, actor, changes, more }: StoredEntry = JSON.parse(String(value));
    const keys = Array.from({ length: more?.parts ?? 0 }, (_, n) => journalPartKey(more!.id, n));
    const parts = await this.client.getMany(keys);
    const rest = parts.flatMap((part): ChangeTuple[] =>
      part.value === null ? [] : JSON.parse(String(part.value))
    );
    return {
      seq,
      at,
      actor,
      changes: [...changes, ...rest].map(([collection, id, op]) => ({ collection, id, op })),
    };
  }
}

function splitByLength(changes: readonly ChangeTuple[]): ChangeTuple[][] {
  const parts: ChangeTuple[][] = [[]];
  let length = 0;
  for (const change of changes) {
    const size = JSON.stringify(change).length + 1;
    if (length + size > MAX_LENGTH) {
      parts.push([]);
      length = 0;
    }
    length += size;
    parts.at(-1)!.push(change);
  }
  return parts;
}
