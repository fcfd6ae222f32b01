// Records that leave their collections together and can be put back: as a JSON text, in parts that one record can hold.
import { documents, documentTags, documentViews, tags } from "../../models/documents.ts";
import { files, fileVersions } from "../../models/files.ts";
import { folders } from "../../models/folders.ts";
import { shares } from "../../models/shares.ts";
import { teams } from "../../models/teams.ts";
import { type TrashEntry, type TrashPart, trashParts } from "../../models/trash.ts";
import { users } from "../../models/users.ts";
import { doomedAmong } from "../access/doomed.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Piece } from "../../storage/pieces.ts";
import type {
  CollectionDeclaration,
  Entity,
  NewRecord,
  Store,
  Transaction,
} from "../../storage/port.ts";
import { planTags } from "./tags.ts";

type Fields = Readonly<Record<string, unknown>> & { readonly id: string };

/** A record that has left its collection. */
export interface Removed {
  /** The name of the collection. */
  readonly collection: string;
  readonly record: Fields;
}

export function removed<T extends Entity>({ name }: { name: string }, record: T): Removed {
  return { collection: name, record: record as unknown as Fields };
}

// deno-lint-ignore no-explicit-any -- collections of different records
const restorable: readonly CollectionDeclaration<any>[] = [
  documents,
  documentViews,
  documentTags,
  folders,
  files,
  fileVersions,
  shares,
];
const collections = new Map(restorable.map((one) => [one.name, one]));

/**
 * Characters of one part: written as JSON within JSON, each takes 3 bytes at most, and a record holds 512 KiB.
 */
const PART = 128 * 1024;

/** The text in parts. None ends within a surrogate pair, of which databases could not keep one half. */
function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PART, text.length);
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end--;
    yield text.slice(start, end);
    start = end;
  }
}

/** Which bundle: of which entry, and its number. */
type BundleId = Pick<TrashPart, "entryId" | "bundle">;

/**
 * Plans that records are kept under an entry.
 *
 * @param ownerId Whose they are: that is not kept with them, since the entry says it.
 */
export async function planBundle(
  tx: Transaction,
  id: BundleId,
  records: readonly Removed[],
  ownerId: string,
): Promise<void> {
  const named = await withTagNames(tx, records);
  planParts(tx, id, named.map((one) => withoutPerson(one, ownerId)));
}

function planParts(tx: Transaction, id: BundleId, records: readonly Removed[]): void {
  let part = 0;
  let people: string | undefined = idsIn(records, "userId", "createdBy").join(" ");
  for (const text of partsOf(JSON.stringify(records))) {
    tx.insert(trashParts, { ...id, part: part++, text, people: people || undefined });
    people = undefined;
  }
}

/** Fields that hold the id of a person. */
const PERSON: ReadonlySet<string> = new Set(["ownerId", "userId", "createdBy"]);

function withoutPerson({ collection, record }: Removed, id: string): Removed {
  const kept = Object.entries(record).filter(([field, value]) =>
    !PERSON.has(field) || value !== id
  );
  return { collection, record: Object.fromEntries(kept) as Fields };
}

/** Bundles that one piece of an erasure looks into. */
const FEW = 10;

/** Plans as much as the piece has room for of that bundles name a person no more: what was shared with them ends. */
export async function planForgotten(
  tx: Transaction,
  piece: Piece,
  userId: string,
): Promise<void> {
  const { rows, nextCursor } = await tx.from(trashParts).list({ search: userId, limit: FEW });
  for (const { entryId, bundle } of rows) {
    if (!piece.takeOne()) return;
    const { records, parts } = await bundleOf(tx, entryId, bundle);
    for (const part of parts) tx.remove(trashParts, part);
    const kept = records.filter(({ record }) => record.userId !== userId);
    planParts(tx, { entryId, bundle }, kept.map((one) => withoutPerson(one, userId)));
  }
  if (nextCursor !== null) piece.leaveRest();
}

function idsIn(records: readonly Removed[], ...fields: string[]): string[] {
  const values = records.flatMap(({ record }) => fields.map((field) => record[field]));
  return [...new Set(values.filter((value) => typeof value === "string"))];
}

/** A tag that is on nothing any more is removed by the sweep: its name brings it back. */
async function withTagNames(tx: Transaction, records: readonly Removed[]): Promise<Removed[]> {
  const ids = records.filter(({ collection }) => collection === documentTags.name)
    .map(({ record }) => record.tagId as string);
  const found = await tx.from(tags).getMany([...new Set(ids)]);
  const names = new Map(found.map((tag) => [tag?.id, tag?.name]));
  return records.map(({ collection, record: { rev: _, updatedAt: __, ...record } }) =>
    collection === documentTags.name
      ? { collection, record: { ...record, tagName: names.get(record.tagId as string) } as Fields }
      : { collection, record: record as Fields }
  );
}

/** A bundle of an entry: its records, and the parts that hold them. */
export async function bundleOf(
  source: Pick<Store, "from">,
  entryId: string,
  bundle: number,
): Promise<{ records: readonly Removed[]; parts: readonly TrashPart[] }> {
  const found = await everyMatch(source, trashParts, { entryId, bundle });
  const parts = found.toSorted((a, b) => a.part - b.part);
  const text = parts.map((part) => part.text).join("");
  return { records: text === "" ? [] : JSON.parse(text) as Removed[], parts };
}

/** What there still is of what records refer to, and is not being deleted. */
interface Present {
  readonly users: ReadonlySet<string>;
  readonly teams: ReadonlySet<string>;
  /** Ids of tags by their names. */
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * Plans that records are in their collections again, but for what opened them to people and teams that are gone.
 *
 * @param place What changes of the record with the id of the entry: where it is now.
 */
export async function planRestored(
  tx: Transaction,
  { id, ownerId }: Pick<TrashEntry, "id" | "ownerId">,
  records: readonly Removed[],
  place: Readonly<Record<string, unknown>>,
): Promise<void> {
  const present = await presentOf(tx, records);
  for (const { collection, record } of records) {
    const current = currentForm(collection, record, { ownerId, present });
    if (!current) continue;
    const isTop = record.id === id && collection !== documentViews.name;
    const restored = isTop ? { ...current, ...place } : current;
    tx.insert(collections.get(collection)!, restored as unknown as NewRecord<Entity>);
  }
}

async function presentOf(tx: Transaction, records: readonly Removed[]): Promise<Present> {
  const [people, crews] = await Promise.all([
    tx.from(users).getMany(idsIn(records, "userId", "createdBy")),
    tx.from(teams).getMany(idsIn(records, "teamId")),
  ]);
  const tied = await planTags(tx, idsIn(records, "tagName"));
  const found = [...people, ...crews].flatMap((one) => one?.id ?? []);
  const doomed = await doomedAmong(tx, found);
  const stays = (one: { readonly id: string } | null) => one && !doomed.has(one.id) ? one.id : [];
  return {
    users: new Set(people.flatMap(stays)),
    teams: new Set(crews.flatMap(stays)),
    tags: new Map(tied.map((tag) => [tag.name, tag.id])),
  };
}

/** A record as it can be now; null for one that has lost its sense. */
function currentForm(
  collection: string,
  record: Fields,
  { ownerId, present }: { ownerId: string; present: Present },
): Fields | null {
  const { userId, teamId, createdBy, tagName, ...fields } = record;
  const team = present.teams.has(teamId as string) ? { teamId } : {};
  const maker = { createdBy: present.users.has(createdBy as string) ? createdBy : ownerId };
  switch (collection) {
    case shares.name: {
      const user = present.users.has(userId as string) ? { userId } : {};
      const isOpen = "userId" in user || "teamId" in team;
      return isOpen && userId !== ownerId ? { ...fields, ...user, ...team, ...maker } : null;
    }
    case fileVersions.name:
      return { ...fields, ...maker };
    case documentTags.name: {
      const tagId = present.tags.get(tagName as string);
      return tagId === undefined ? null : { ...fields, tagId };
    }
    case documents.name:
      return { ...fields, ...team, ownerId };
    case documentViews.name:
      return fields;
    default:
      return { ...fields, ownerId };
  }
}
