// Which documents, files and events a caller sees, and which they change: owner, share, attendance, or management.
import { attendees, type Event } from "../../models/calendar.ts";
import type { Document } from "../../models/documents.ts";
import type { File } from "../../models/files.ts";
import { type Share, shares } from "../../models/shares.ts";
import { type TeamMember, teamMembers } from "../../models/teams.ts";
import type { Store, Where } from "../../storage/port.ts";
import { manages, type Principal } from "./access.ts";
import { doomedFolders, doomedTeams } from "./doomed.ts";
import { type Opened, openedThrough, type OpenedUntil } from "./opened.ts";
import { allOf, andThen, type Awaitable } from "../../core/awaitable.ts";
import { everyMatch } from "../../storage/every_match.ts";

type Source = Pick<Store, "from">;

/** What a caller may do with one record, ascending. */
export type Level = "none" | "read" | "comment" | "edit" | "owner";

const RANK: Readonly<Record<Level, number>> = { none: 0, read: 1, comment: 2, edit: 3, owner: 4 };

/** True when the level is at least the one asked for. */
export function reaches(level: Level, asked: Level): boolean {
  return RANK[level] >= RANK[asked];
}

type Shareable = "documents" | "files";

const shareField = { documents: "documentId", files: "fileId" } as const;

/** The memberships of a user. */
async function membershipsOf(source: Source, userId: string): Promise<readonly TeamMember[]> {
  const doomed = await doomedTeams(source);
  const all = await everyMatch(source, teamMembers, { userId });
  return doomed.size === 0 ? all : all.filter((member) => !doomed.has(member.teamId));
}

/** The teams a user is a member of. */
export async function teamsOf(source: Source, userId: string): Promise<readonly string[]> {
  return (await membershipsOf(source, userId)).map((member) => member.teamId);
}

/** True until the share expires. */
export function isOpen(share: Share, now: string): boolean {
  return share.expiresAt === undefined || share.expiresAt > now;
}

/**
 * The condition that lists what a caller sees of documents or files; empty for those who manage them.
 *
 * @param now ISO 8601: shares that have expired by then open nothing.
 */
export function visible(
  source: Source,
  principal: Principal,
  resource: Shareable,
  now: string,
): Awaitable<Where<Document & File>> {
  const seen = opened(source, principal, resource, now);
  if (resource !== "files") return seen;
  return andThen(
    allOf([seen, doomedFolders(source)]),
    ([seen, doomed]) => doomed.size === 0 ? seen : { ...seen, folderId: { ne: [...doomed] } },
  );
}

/** What is opened to a caller, be it on its way out or not. */
function opened(
  source: Source,
  principal: Principal,
  resource: Shareable,
  now: string,
): Awaitable<Where<Document & File>> {
  if (manages(principal, resource)) return {};
  const userId = principal.user.id;
  const read = () => readOpened(source, userId, resource, now);
  return andThen(openedThrough(source, `${resource} ${userId}`, now, read), (found) => {
    let condition = conditions.get(found);
    if (!condition) conditions.set(found, condition = conditionOf(found, userId, resource));
    return condition;
  });
}

/** The same object for as long as the same is opened, and frozen: the store knows what it means then. */
const conditions = new WeakMap<Opened, Where<Document & File>>();

function conditionOf(
  { ids, teams }: Opened,
  userId: string,
  resource: Shareable,
): Where<Document & File> {
  const any: Where<Document & File>[] = [{ ownerId: userId }];
  if (ids.length > 0) any.push({ id: ids });
  if (resource === "documents" && teams.length > 0) any.push({ teamId: teams });
  return Object.freeze(any.length === 1 ? any[0]! : { any: Object.freeze(any) });
}

async function readOpened(
  source: Source,
  userId: string,
  resource: Shareable,
  now: string,
): Promise<OpenedUntil> {
  const teams = await teamsOf(source, userId);
  const found = await everyMatch(source, shares, { any: [{ userId }, { teamId: teams }] });
  const open = found.filter((share) => isOpen(share, now));
  const ids = new Set(open.flatMap((share) => share[shareField[resource]] ?? []));
  const [until] = open.flatMap(({ expiresAt }) => expiresAt ?? []).sort();
  return { ids: [...ids], teams, until };
}

interface Owned {
  readonly id: string;
  readonly ownerId: string;
  /** Of a document. */
  readonly teamId?: string;
  /** Of a file. */
  readonly folderId?: string;
}

/** What opens a record to a caller: the right over all of its kind, owning it, a share, its team, an invitation. */
export type Opener =
  | "management"
  | "ownership"
  | "share"
  | "teamShare"
  | "team"
  | "attendance"
  | "nothing";

/** What a caller may do with one record, and what opens it to them. */
export interface Opening {
  readonly level: Level;
  readonly by: Opener;
}

const CLOSED: Opening = { level: "none", by: "nothing" };

/** What a caller may do with a document or file; members of a document's team read it. */
export async function levelOf(
  source: Source,
  principal: Principal,
  resource: Shareable,
  record: Owned,
  now: string,
): Promise<Level> {
  const [level = "none"] = await levelsOf(source, principal, resource, [record], now);
  return level;
}

/** `levelOf` each of several records, in their order. */
export async function levelsOf(
  source: Source,
  principal: Principal,
  resource: Shareable,
  records: readonly Owned[],
  now: string,
): Promise<readonly Level[]> {
  const openings = await openingsOf(source, principal, resource, records, now);
  return openings.map(({ level }) => level);
}

/** `levelsOf`, with what opens each record. */
export async function openingsOf(
  source: Source,
  principal: Principal,
  resource: Shareable,
  records: readonly Owned[],
  now: string,
): Promise<readonly Opening[]> {
  const openings = await allOpenings(source, principal, resource, records, now);
  const doomed = await doomedFolders(source);
  if (doomed.size === 0) return openings;
  return openings.map((opening, n) => doomed.has(records[n]!.folderId ?? "") ? CLOSED : opening);
}

/** What is opened of each record, be it on its way out or not. */
async function allOpenings(
  source: Source,
  principal: Principal,
  resource: Shareable,
  records: readonly Owned[],
  now: string,
): Promise<readonly Opening[]> {
  const userId = principal.user.id;
  const managed = manages(principal, resource);
  const owned = (record: Owned): Opening | null => {
    if (record.ownerId === userId) return { level: "owner", by: "ownership" };
    return managed ? { level: "owner", by: "management" } : null;
  };
  const foreign = records.filter((record) => !owned(record)).map(({ id }) => id);
  if (foreign.length === 0) return records.map((record) => owned(record)!);

  const members = await membershipsOf(source, userId);
  const teamId = members.map((member) => member.teamId);
  const field = shareField[resource];
  const any: Where<Share>[] = [{ [field]: foreign, userId }, { [field]: foreign, teamId }];
  const found = await everyMatch(source, shares, { any });
  const asked = new Set([...records, ...found].map((one) => one.teamId));
  const teams = await confirmed(source, members.filter((member) => asked.has(member.teamId)));
  const opens = (share: Share) =>
    isOpen(share, now) && (share.teamId === undefined || teams.has(share.teamId));
  const open = Map.groupBy(found.filter(opens), (share) => share[field]);
  return records.map((record) => {
    const isTeams = record.teamId !== undefined && teams.has(record.teamId);
    const least: Opening = isTeams ? { level: "read", by: "team" } : CLOSED;
    return owned(record) ?? best(open.get(record.id) ?? [], least);
  });
}

/**
 * The teams of the memberships there still are. Read by id, they are checked at the commit of a plan: what a member
 * writes does not pass when the member is removed meanwhile. Ending a share needs none of this: it changes the record.
 */
async function confirmed(
  source: Source,
  members: readonly TeamMember[],
): Promise<ReadonlySet<string>> {
  if (members.length === 0) return new Set();
  const found = await source.from(teamMembers).getMany(members.map((member) => member.id));
  return new Set(found.flatMap((member) => member?.teamId ?? []));
}

function best(open: readonly Share[], least: Opening): Opening {
  return open.reduce<Opening>((found, { permission, teamId }) => {
    if (RANK[permission] <= RANK[found.level]) return found;
    return { level: permission, by: teamId === undefined ? "share" : "teamShare" };
  }, least);
}

/** The condition that lists the events a caller sees: one's own, and those one attends. */
export async function visibleEvents(source: Source, principal: Principal): Promise<Where<Event>> {
  return manages(principal, "calendar") ? {} : await ownEvents(source, principal.user.id);
}

/** The events a user owns or attends. */
export async function ownEvents(source: Source, userId: string): Promise<Where<Event>> {
  const id = (await everyMatch(source, attendees, { userId })).map((attendee) => attendee.eventId);
  return id.length === 0 ? { ownerId: userId } : { any: [{ ownerId: userId }, { id }] };
}
