// What shares and teams open to a user, kept until one of them changes: hundreds of ids are not read at each request.
// Lists stay the same objects while they hold the same, so that memory knows a list of records by them.
import type { Awaitable } from "../../core/awaitable.ts";
import { ByteBoundedMap } from "../../core/bounded_map.ts";
import { MIB } from "../../core/units.ts";
import { deletions } from "../../models/deletions.ts";
import { shares } from "../../models/shares.ts";
import { teamMembers } from "../../models/teams.ts";
import type { Store } from "../../storage/port.ts";

type Source = Pick<Store, "from">;

export interface Opened {
  /** Of the records that are shared with the user, or with a team of theirs. */
  readonly ids: readonly string[];
  /** Of the user's teams. */
  readonly teams: readonly string[];
}

/** What was read, and until when it holds: ISO 8601; absent: until something is written. */
export interface OpenedUntil extends Opened {
  readonly until?: string;
}

interface Kept extends OpenedUntil {
  readonly since: string;
  /** Null where memory could not tell. */
  readonly generation: number | null;
}

/** Bytes that are kept for one store, about. */
const MAX_BYTES = 16 * MIB;
const ENTRY_BYTES = 500;
const ID_BYTES = 64;

const keptOf = new WeakMap<Source, ByteBoundedMap<string, Kept>>();

/**
 * @param key Of the user and what is asked for.
 * @param now ISO 8601.
 */
export function openedThrough(
  source: Source,
  key: string,
  now: string,
  read: () => Promise<OpenedUntil>,
): Awaitable<Opened> {
  let all = keptOf.get(source);
  if (!all) keptOf.set(source, all = new ByteBoundedMap(MAX_BYTES));
  const kept = all.get(key);
  // Of before the records are read: what changes meanwhile makes them be read again.
  const generation = generationOf(source);
  const holds = kept && kept.generation !== null && kept.generation === generation &&
    kept.since <= now && (kept.until === undefined || now < kept.until);
  if (holds) return kept;
  return keep(all, key, { since: now, generation, kept, read });
}

async function keep(
  all: ByteBoundedMap<string, Kept>,
  key: string,
  { since, generation, kept, read }: Pick<Kept, "since" | "generation"> & {
    readonly kept: Kept | undefined;
    readonly read: () => Promise<OpenedUntil>;
  },
): Promise<Opened> {
  const { ids, teams, until } = await read();
  const fresh: Kept = {
    ids: sameList(kept?.ids, ids),
    teams: sameList(kept?.teams, teams),
    until,
    since,
    generation,
  };
  all.set(key, fresh, ENTRY_BYTES + ID_BYTES * (ids.length + teams.length));
  return fresh;
}

/** Each only rises: their sum is the same for as long as each is. */
function generationOf(source: Source): number | null {
  let sum = 0;
  const readers = [source.from(shares), source.from(teamMembers), source.from(deletions)];
  for (const reader of readers) {
    const generation = reader.generation();
    if (generation === null) return null;
    sum += generation;
  }
  return sum;
}

function sameList(before: readonly string[] | undefined, now: readonly string[]) {
  const same = before?.length === now.length && now.every((id, n) => id === before[n]);
  return same ? before : Object.freeze(now);
}
