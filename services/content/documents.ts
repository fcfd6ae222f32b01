// Documents as they are shown, who may change them, and what goes with them.
import { ApiError, forbidden, notFound } from "../../core/errors.ts";
import { andThen } from "../../core/awaitable.ts";
import { JsonText } from "../../core/json.ts";
import {
  type Document,
  type DocumentParts,
  documentParts,
  documentRow,
  documents,
  documentSummary,
  documentTags,
  documentViews,
  type Tag,
  tags,
} from "../../models/documents.ts";
import { fieldsOf, jsonOf } from "../../models/rows.ts";
import { publicShare, type Share, shares } from "../../models/shares.ts";
import { personInRow, type User, users } from "../../models/users.ts";
import { type RowPage, type Store, TooLarge, type Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import type { DocumentViewCounter } from "./document_views.ts";
import { planShareEnds } from "../access/shares.ts";
import { personOf } from "../access/persons.ts";
import { isOpen, type Level, levelOf, reaches } from "../access/visibility.ts";
import { everyMatch } from "../../storage/every_match.ts";

type Source = Pick<Store, "from">;

/**
 * The document, when the caller may do with it what needs the level.
 *
 * @throws {ApiError} NOT_FOUND when the caller does not see it, FORBIDDEN when the caller sees it and may do less.
 */
export async function documentFor(
  source: Source,
  principal: Principal,
  id: string,
  asked: Level,
  now: string,
): Promise<{ document: Document; level: Level }> {
  const document = await source.from(documents).get(id);
  const level = document ? await levelOf(source, principal, "documents", document, now) : "none";
  if (!document || level === "none") throw notFound("document");
  if (reaches(level, asked)) return { document, level };
  throw forbidden(
    asked === "owner"
      ? "Only the owner of a document may do this"
      : `This document is shared with you to ${level}: this needs '${asked}'`,
  );
}

/**
 * For a commit that saves a document and fails.
 *
 * @throws {ApiError} PAYLOAD_TOO_LARGE when one record does not hold it with its content, else the error itself.
 */
export function refuseTooLarge(error: unknown): never {
  if (!(error instanceof TooLarge)) throw error;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    `Cannot save the document: with its content it is over ${error.limit} bytes as JSON`,
  );
}

interface Viewer {
  readonly store: Source;
  readonly clock: () => Date;
  readonly documentViews: DocumentViewCounter;
}

/** What other records say of a document. */
interface Facts {
  readonly tags: readonly Tag[];
  readonly shares: readonly Share[];
  /** The owner as a person, as JSON; null when the account is gone. */
  readonly owner: string | null;
  readonly views: number;
}

type Links = Pick<Facts, "tags" | "shares">;

const NO_LINKS: Links = { tags: [], shares: [] };

/** Tags and shares by document; most have none, which is found out without a list. */
async function linksOf(
  source: Source,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Links>> {
  const where = { documentId: ids };
  const counts = await Promise.all([
    source.from(documentTags).count(where),
    source.from(shares).count(where),
  ]);
  if (counts.every((count) => count === 0)) return new Map();
  const [tied, given] = await Promise.all([
    everyMatch(source, documentTags, where),
    everyMatch(source, shares, where),
  ]);
  const found = await source.from(tags).getMany([...new Set(tied.map((link) => link.tagId))]);
  const tagOf = new Map(found.flatMap((tag) => tag ? [[tag.id, tag] as const] : []));
  const tiedTo = Map.groupBy(tied, (link) => link.documentId);
  const givenFor = Map.groupBy(given, (share) => share.documentId);
  return new Map(ids.map((id) => {
    const own = (tiedTo.get(id) ?? []).flatMap((link) => tagOf.get(link.tagId) ?? []);
    return [id, { tags: own.sort(byName), shares: givenFor.get(id) ?? [] }];
  }));
}

function byName(a: Tag, b: Tag): number {
  return a.name < b.name ? -1 : 1;
}

/** How often each of the documents was opened, in the order of the ids. */
function viewsOf({ store, documentViews: counter }: Viewer, ids: readonly string[]) {
  return andThen(
    store.from(documentViews).rowsOf(ids),
    (rows) => rows.map((row, n) => Number(row ?? 0) + counter.pending(ids[n]!)),
  );
}

async function factsOf(
  viewer: Viewer,
  ids: readonly string[],
  ownerIds: readonly string[],
): Promise<Facts[]> {
  const [links, owners, views] = await Promise.all([
    linksOf(viewer.store, ids),
    viewer.store.from(users).rowsOf(ownerIds),
    viewsOf(viewer, ids),
  ]);
  return ids.map((id, n) => {
    const owner = owners[n];
    return {
      ...links.get(id) ?? NO_LINKS,
      owner: owner ? personInRow(owner) : null,
      views: views[n]!,
    };
  });
}

/** A document in a list, as JSON without its braces. */
function summaryOf(
  { fields, ownerId }: DocumentParts,
  { tags, shares, owner, views }: Facts,
  now: string,
): string {
  const shared = shares.some((share) => isOpen(share, now));
  const owned = owner === null ? "" : `,"owner":${owner}`;
  return `${fields},"ownerId":${ownerId},"tags":${arrayJson(tags, TAG)},"shared":${shared}` +
    `,"views":${views}${owned}`;
}

const TAG = fieldsOf(documentSummary.shape.tags.element);
const SHARE = fieldsOf(publicShare);

function arrayJson(records: readonly object[], fields: readonly string[]): string {
  return `[${records.map((record) => `{${jsonOf(record, fields)}}`).join(",")}]`;
}

/** Documents in a list, as JSON. */
export async function summaries(viewer: Viewer, { ids, rows }: RowPage): Promise<JsonText[]> {
  if (rows.length === 0) return [];
  const parts = rows.map(documentParts);
  const facts = await factsOf(viewer, ids, parts.map(({ ownerId }) => JSON.parse(ownerId)));
  const now = viewer.clock().toISOString();
  return parts.map((document, n) => new JsonText(`{${summaryOf(document, facts[n]!, now)}}`));
}

/**
 * A document with its content.
 *
 * @param level Of the caller: owners see the shares too.
 */
export async function detailsOf(
  viewer: Viewer,
  document: Document,
  level: Level,
): Promise<{ data: JsonText; etag: string }> {
  const [facts] = await factsOf(viewer, [document.id], [document.ownerId]);
  return detailed(document, facts!, viewer.clock().toISOString(), level);
}

/** A document its owner has just made: nobody has opened it, and it is shared with nobody. */
export function freshDetails(
  document: Document,
  owner: User,
  made: readonly Tag[],
): { data: JsonText; etag: string } {
  const tags = made.toSorted(byName);
  const facts = { tags, shares: [], owner: JSON.stringify(personOf(owner)), views: 0 };
  return detailed(document, facts, document.createdAt, "owner");
}

function detailed(
  document: Document,
  facts: Facts,
  now: string,
  level: Level,
): { data: JsonText; etag: string } {
  const summary = summaryOf(documentParts(documentRow(document)), facts, now);
  const shares = level === "owner" ? `,"shares":${arrayJson(facts.shares, SHARE)}` : "";
  const content = JSON.stringify(document.content);
  return {
    data: new JsonText(`{${summary},"content":${content}${shares}}`),
    etag: document.rev,
  };
}

/** Plans the deletion of a document with its tags, shares and views. */
export async function planDocumentDeletion(tx: Transaction, document: Document): Promise<void> {
  const documentId = document.id;
  for (const link of await everyMatch(tx, documentTags, { documentId })) {
    tx.remove(documentTags, link);
  }
  await planShareEnds(tx, await everyMatch(tx, shares, { documentId }));
  const views = await tx.from(documentViews).get(documentId);
  if (views) tx.remove(documentViews, views);
  tx.remove(documents, document);
}
