// What a commit shows or hides beside the records that it writes: what a team has and is given, to whoever joins or leaves
// it, and what is in a team or folder that is on its way out or is back.
import { documents } from "../../models/documents.ts";
import { folders } from "../../models/folders.ts";
import { shares } from "../../models/shares.ts";
import { teamMembers } from "../../models/teams.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { JournalChange, JournalEntry, Store } from "../../storage/port.ts";
import type { Circle, PublicCollection, RecordEvent } from "./event.ts";
import { endsRestoration, seersOfRestored } from "./restorations.ts";

type Source = Pick<Store, "from">;

/** That someone is to read collections anew, because more has come or gone than is told one by one. */
export interface Reload {
  readonly position: string;
  readonly userIds: readonly string[];
  /** Whether those are too who see all records of a collection. */
  readonly managers?: boolean;
  readonly collections: readonly PublicCollection[];
}

export interface Consequences {
  readonly events: readonly RecordEvent[];
  readonly reloads: readonly Reload[];
}

/** Records of a team that are told of one by one. */
const MAX_TOLD = 100;

const NONE: Consequences = { events: [], reloads: [] };
const NOBODY: Circle = { users: new Set(), teams: new Set() };

type ConsequencesOfChange = (
  source: Source,
  entry: JournalEntry,
  change: JournalChange,
  now: string,
) => Promise<Consequences>;

/** Finds what follows from a change; null for one from which nothing does. */
function followerOf(change: JournalChange): ConsequencesOfChange | null {
  const { collection, op } = change;
  if (collection === "teamMembers" && op !== "update") return ofMembership;
  if (collection === "deletions" && op === "insert") return ofDeletion;
  return endsRestoration(change) ? ofRestoration : null;
}

/**
 * What an entry has changed for those who joined or left a team, or whose team or folder is on its way out or is back.
 *
 * @param now ISO 8601
 */
export async function consequencesOf(
  source: Source,
  entry: JournalEntry,
  now: string,
): Promise<Consequences> {
  const all: Consequences[] = [];
  for (const change of entry.changes) {
    const follow = followerOf(change);
    if (follow) all.push(await follow(source, entry, change, now));
  }
  if (all.length === 0) return NONE;
  const reloads = all.flatMap((one) => one.reloads);
  return {
    events: all.flatMap(({ events }) => events),
    // Of whoever leaves several teams at once there is one, for a position comes once.
    reloads: [...new Map(reloads.map((one) => [one.position, one])).values()],
  };
}

/** They stand behind all others of the commit, in the order of their names: so a client can resume among them. */
function positionOf({ seq }: JournalEntry, name: string): string {
  return `${seq}-x${name}`;
}

async function ofMembership(
  source: Source,
  entry: JournalEntry,
  { op, traits: { teamId, userId } = {} }: JournalChange,
): Promise<Consequences> {
  if (teamId === undefined || userId === undefined) return NONE;
  const where = { teamId };
  const [own, given] = await Promise.all([
    source.from(documents).list({ where, limit: MAX_TOLD + 1 }),
    source.from(shares).list({ where, limit: MAX_TOLD + 1 }),
  ]);
  const reload: Reload = {
    position: positionOf(entry, userId),
    userIds: [userId],
    collections: ["documents", "files"],
  };
  if (own.total + given.total > MAX_TOLD) return { events: [], reloads: [reload] };
  const found = new Map<string, { collection: PublicCollection; id: string }>();
  const add = (collection: PublicCollection, id: string | undefined) => {
    if (id !== undefined) found.set(`${collection} ${id}`, { collection, id });
  };
  for (const { id } of own.rows) add("documents", id);
  for (const { documentId } of given.rows) add("documents", documentId);
  for (const { fileId } of given.rows) add("files", fileId);
  const moved: Circle = { users: new Set([userId]), teams: new Set() };
  const events = [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, one]): RecordEvent => ({
    ...one,
    position: positionOf(entry, `${userId}-${one.collection}-${one.id}`),
    op: "updated",
    at: entry.at,
    actor: entry.actor.userId,
    traits: {},
    were: {},
    gained: op === "insert" ? moved : NOBODY,
    lost: op === "remove" ? moved : NOBODY,
    only: moved.users,
  }));
  // What the team had opened and has not any more, nobody knows: it may have gone in this commit, or before it was told.
  return { events, reloads: op === "remove" ? [reload] : [] };
}

/** From the moment a deletion in pieces begins, nobody sees what it is about. */
async function ofDeletion(
  source: Source,
  entry: JournalEntry,
  { id, traits: { kind } = {} }: JournalChange,
): Promise<Consequences> {
  const position = positionOf(entry, id);
  if (kind === "team") {
    const userIds = (await everyMatch(source, teamMembers, { teamId: id })).map((one) =>
      one.userId
    );
    return {
      events: [],
      reloads: [{ position, userIds, collections: ["teams", "documents", "files"] }],
    };
  }
  if (kind !== "folder") return NONE;
  const folder = await source.from(folders).get(id);
  const userIds = folder ? [folder.ownerId] : [];
  return { events: [], reloads: [{ position, userIds, collections: ["folders", "files"] }] };
}

/** The pieces were told to nobody, or to managers while they could not be read yet. */
async function ofRestoration(
  source: Source,
  entry: JournalEntry,
  change: JournalChange,
  now: string,
): Promise<Consequences> {
  const position = positionOf(entry, change.id);
  const userIds = await seersOfRestored(source, change, now);
  const collections = ["folders", "files"] as const;
  return { events: [], reloads: [{ position, userIds, managers: true, collections }] };
}
