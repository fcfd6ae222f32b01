// Who may know of an event: those who see the record by the store's present state, and those who saw it until then.
import { chunks } from "../../core/chunks.ts";
import { allCollections } from "../../models/all.ts";
import { attendees } from "../../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { participants, receipts } from "../../models/messages.ts";
import { shares } from "../../models/shares.ts";
import { teamMembers } from "../../models/teams.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store } from "../../storage/port.ts";
import { manages, permits, type Principal } from "../access/access.ts";
import { doomedFolders, doomedTeams } from "../access/doomed.ts";
import { isOpen } from "../access/visibility.ts";
import {
  type Circle,
  isPublic,
  type Op,
  type PublicCollection,
  type RecordEvent,
} from "./event.ts";

type Source = Pick<Store, "from">;

/** An event, with who may know of it. What it tells one of them: `opFor`. */
export interface Sight {
  readonly event: RecordEvent;
  /** The version of the record as it is now; absent where it is gone. */
  readonly rev: string | undefined;
  /** Ids of the users who see the record, beside those who see all of its kind. */
  readonly seers: ReadonlySet<string>;
  /** Ids of those whom the commit may have shown it. */
  readonly gained: ReadonlySet<string>;
  /** Ids of those from whom the commit may have hidden it. */
  readonly lost: ReadonlySet<string>;
  /** Ids of the only users to whom anything has changed; null: to all who see it. */
  readonly only: ReadonlySet<string> | null;
}

/** A record as far as it says who sees it. */
interface Seen extends Entity {
  readonly ownerId?: string;
  readonly userId?: string;
  readonly teamId?: string;
  readonly folderId?: string;
  readonly senderId?: string;
}

/** Who sees all records of a collection: by this rule, beside what the endpoint asks that shows it. */
const MANAGERS: Readonly<Record<PublicCollection, (principal: Principal) => boolean>> = {
  users: () => true,
  roles: () => true,
  permissions: () => true,
  tasks: () => true,
  teams: (principal) => manages(principal, "teams"),
  documents: (principal) => manages(principal, "documents"),
  files: (principal) => manages(principal, "files"),
  folders: (principal) => manages(principal, "files"),
  events: (principal) => manages(principal, "calendar"),
  conversations: () => false,
  messages: () => false,
  notifications: () => false,
  preferences: () => false,
  snippets: ({ permissions }) =>
    permits(permissions, "snippets:view") || permits(permissions, "documents:*"),
};

/** Whether someone sees all records of the collection. */
export function seesAll(principal: Principal, collection: PublicCollection): boolean {
  return MANAGERS[collection](principal);
}

/** What an event tells someone; null: nothing. Whether they may read the collection at all is not asked here. */
export function opFor(sight: Sight, principal: Principal): Op | null {
  const { event: { op, collection }, seers, gained, lost, only } = sight;
  const userId = principal.user.id;
  if (only !== null && !only.has(userId)) return null;
  const all = seesAll(principal, collection);
  const sees = all || seers.has(userId);
  if (op === "created") return sees ? "created" : null;
  if (op === "removed") return sees || lost.has(userId) ? "removed" : null;
  if (sees) return gained.has(userId) && !all ? "created" : "updated";
  return lost.has(userId) ? "removed" : null;
}

/** Whether someone sees all of these records as they are now. What no event tells of, whoever may call its route sees. */
export async function seesNow(
  source: Source,
  principal: Principal,
  records: readonly { readonly collection: string; readonly id: string }[],
  now: string,
): Promise<boolean> {
  const asked = records.flatMap(({ collection, id }) =>
    isPublic(collection) && !seesAll(principal, collection)
      ? { ...UNCHANGED, collection, id, at: now }
      : []
  );
  const sights = await sightsOf(source, asked, now);
  return sights.every(({ seers }) => seers.has(principal.user.id));
}

const declarations = new Map(allCollections.map((one) => [one.name, one]));

/**
 * The events of a commit with who may know of them; the store is asked once for all of a collection.
 *
 * @param now ISO 8601: shares that have expired by then open nothing.
 */
export async function sightsOf(
  source: Source,
  events: readonly RecordEvent[],
  now: string,
): Promise<readonly Sight[]> {
  const sights = new Map<RecordEvent, Sight>();
  for (const [collection, all] of Map.groupBy(events, (event) => event.collection)) {
    for (const some of chunks(all)) {
      for (const sight of await sightsIn(source, collection, some, now)) {
        sights.set(sight.event, sight);
      }
    }
  }
  return events.map((event) => sights.get(event)!);
}

async function sightsIn(
  source: Source,
  collection: PublicCollection,
  events: readonly RecordEvent[],
  now: string,
): Promise<readonly Sight[]> {
  const ids = events.map(({ id }) => id);
  const declaration = declarations.get(collection) as CollectionDeclaration<Seen>;
  const records = await source.from(declaration).getMany(ids);
  const opened = await openedTo(source, collection, ids, now);
  const isHidden = await hiddenIn(source, collection);
  const found = events.map((event, n) => {
    const record = records[n] ?? null;
    const gone = record !== null && isHidden(record);
    const seen = gone ? NOBODY : seenBy(event, record, opened.get(event.id) ?? NOBODY);
    return { event, record, seen, lost: lostBy(event) };
  });
  const teams = new Set(
    found.flatMap(({ event, seen, lost }) => [...seen.teams, ...event.gained.teams, ...lost.teams]),
  );
  const members = await membersOf(source, [...teams]);
  return found.map(({ event, record, seen, lost }) => ({
    event,
    rev: record?.rev,
    seers: usersIn(seen, members),
    gained: gainedBy(event, record, members),
    lost: usersIn(lost, members),
    only: toldAlone(event, record),
  }));
}

const NOBODY: Circle = { users: new Set(), teams: new Set() };

/** Of an event that tells of no change. */
const UNCHANGED = {
  position: "",
  op: "updated",
  actor: null,
  traits: {},
  were: {},
  gained: NOBODY,
  lost: NOBODY,
  only: null,
} as const;

/** Who sees a record, beside those who see all of its kind; of one that is gone, by what the journal kept of it. */
function seenBy(event: RecordEvent, record: Seen | null, opened: Circle): Circle {
  const { ownerId, userId, teamId } = (record ?? event.traits) as Partial<Seen>;
  const users = new Set(opened.users);
  const teams = new Set(opened.teams);
  const owner = event.collection === "users" ? event.id : ownerId ?? userId;
  if (owner !== undefined) users.add(owner);
  if (teamId !== undefined) teams.add(teamId);
  if (record === null && event.op !== "updated") {
    for (const id of event.gained.users) users.add(id);
    for (const id of event.gained.teams) teams.add(id);
  }
  return { users, teams };
}

/** Those whom the commit may have shown it. What a team is given its owner had already. */
function gainedBy(
  { gained }: RecordEvent,
  record: Seen | null,
  members: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const users = usersIn(gained, members), owner = record?.ownerId ?? "";
  return gained.users.has(owner) ? users : users.difference(new Set([owner]));
}

function lostBy({ lost, were }: RecordEvent): Circle {
  const users = new Set(lost.users);
  const teams = new Set(lost.teams);
  const owner = were.ownerId ?? were.userId;
  if (owner !== undefined) users.add(owner);
  if (were.teamId !== undefined) teams.add(were.teamId);
  return { users, teams };
}

/** The sender of a message is told too when it is read. */
function toldAlone({ only, lost }: RecordEvent, record: Seen | null): ReadonlySet<string> | null {
  if (only === null || record?.senderId === undefined || lost.users.size > 0) return only;
  return new Set([...only, record.senderId]);
}

/** To whom other records open these, by the id of the record. */
async function openedTo(
  source: Source,
  collection: PublicCollection,
  ids: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, Circle>> {
  const circles = new Map(
    ids.map((id) => [id, { users: new Set<string>(), teams: new Set<string>() }]),
  );
  const add = (
    id: string | undefined,
    { userId, teamId }: { userId?: string; teamId?: string },
  ) => {
    if (userId !== undefined) circles.get(id ?? "")?.users.add(userId);
    if (teamId !== undefined) circles.get(id ?? "")?.teams.add(teamId);
  };
  switch (collection) {
    case "documents":
      for (const share of await everyMatch(source, shares, { documentId: ids })) {
        if (isOpen(share, now)) add(share.documentId, share);
      }
      break;
    case "files":
      for (const share of await everyMatch(source, shares, { fileId: ids })) {
        if (isOpen(share, now)) add(share.fileId, share);
      }
      break;
    case "teams":
      for (const id of ids) add(id, { teamId: id });
      break;
    case "conversations":
      for (const one of await everyMatch(source, participants, { conversationId: ids })) {
        add(one.conversationId, one);
      }
      break;
    case "messages":
      for (const one of await everyMatch(source, receipts, { messageId: ids })) {
        add(one.messageId, one);
      }
      break;
    case "events":
      for (const one of await everyMatch(source, attendees, { eventId: ids })) {
        add(one.eventId, one);
      }
  }
  return circles;
}

/** Which records of a collection are hidden from everyone, because their deletion is under way. */
async function hiddenIn(
  source: Source,
  collection: PublicCollection,
): Promise<(record: Seen) => boolean> {
  if (collection === "teams") {
    const doomed = await doomedTeams(source);
    return ({ id }) => doomed.has(id);
  }
  if (collection !== "files" && collection !== "folders") return () => false;
  const doomed = await doomedFolders(source);
  return ({ id, folderId }) => doomed.has(collection === "files" ? folderId ?? "" : id);
}

/** Ids of the members of teams; a team that is being deleted has none. */
export async function membersOf(
  source: Source,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const members = new Map<string, string[]>(teamIds.map((id) => [id, []]));
  if (teamIds.length === 0) return members;
  const doomed = await doomedTeams(source);
  const teamId = teamIds.filter((id) => !doomed.has(id));
  for (const member of await everyMatch(source, teamMembers, { teamId })) {
    members.get(member.teamId)?.push(member.userId);
  }
  return members;
}

/** Ids of all in a circle. @param members Of its teams. */
export function usersIn(
  { users, teams }: Circle,
  members: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(users);
  for (const id of teams) for (const userId of members.get(id) ?? []) all.add(userId);
  return all;
}
