// Documents as they are shown, who may change them, and what goes with them.
import { ApiError, forbidden, notFound } from "../../core/errors.ts";
import { type JsonText, rememberedView } from "../../core/json.ts";
import {
  type Document,
  documents,
  documentSummary,
  documentTags,
  documentViews,
  type PublicDocument,
  type Tag,
  tags,
} from "../../models/documents.ts";
import { type Share, shares } from "../../models/shares.ts";
import { type User, users } from "../../models/users.ts";
import { type Store, TooLarge, type Transaction } from "../../storage/port.ts";
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

/** Tags and shares of a document. A change of them also writes the document, so they can be kept by its record. */
interface Links {
  readonly tags: readonly Tag[];
  readonly shares: readonly Share[];
}

const linksByRecord = new WeakMap<Document, Links>();

async function linksOf(source: Source, shown: readonly Document[]): Promise<Links[]> {
  const unread = shown.filter((document) => !linksByRecord.has(document));
  if (unread.length > 0) await readLinks(source, unread);
  return shown.map((document) => linksByRecord.get(document)!);
}

async function readLinks(source: Source, shown: readonly Document[]): Promise<void> {
  const where = { documentId: shown.map((document) => document.id) };
  const [tied, given] = await Promise.all([
    everyMatch(source, documentTags, where),
    everyMatch(source, shares, where),
  ]);
  const found = await source.from(tags).getMany([...new Set(tied.map((link) => link.tagId))]);
  const tagOf = new Map(found.flatMap((tag) => tag ? [[tag.id, tag] as const] : []));
  const tiedTo = Map.groupBy(tied, (link) => link.documentId);
  const givenFor = Map.groupBy(given, (share) => share.documentId);
  for (const document of shown) {
    const own = (tiedTo.get(document.id) ?? []).flatMap((link) => tagOf.get(link.tagId) ?? []);
    linksByRecord.set(document, {
      tags: own.sort(byName),
      shares: givenFor.get(document.id) ?? [],
    });
  }
}

function byName(a: Tag, b: Tag): number {
  return a.name < b.name ? -1 : 1;
}

/** How often each of the documents was opened, in the order of the ids. */
async function viewsOf(
  source: Source,
  counter: DocumentViewCounter,
  ids: readonly string[],
): Promise<number[]> {
  const { rows } = await source.from(documentViews).list({ where: { id: ids }, limit: ids.length });
  const written = new Map(rows.map((row) => [row.id, row.views]));
  return ids.map((id) => (written.get(id) ?? 0) + counter.pending(id));
}

/** What a document is shown with. */
interface Facts {
  readonly links: Links;
  readonly owner: User | null;
  readonly views: number;
  readonly shared: boolean;
}

function summaryOf(document: Document, { links, owner, views, shared }: Facts) {
  const owned = owner ? { owner: personOf(owner) } : {};
  return { ...document, tags: [...links.tags], shared, views, ...owned };
}

const summaryView = rememberedView(documentSummary, summaryOf);
const lastFacts = new WeakMap<Document, Facts>();

/** The same object as before while nothing has changed, so that the ready JSON is found by it. */
function sameFacts(document: Document, facts: Facts): Facts {
  const last = lastFacts.get(document);
  const same = last && last.links === facts.links && last.owner === facts.owner &&
    last.views === facts.views && last.shared === facts.shared;
  if (same) return last;
  lastFacts.set(document, facts);
  return facts;
}

interface Viewer {
  readonly store: Source;
  readonly clock: () => Date;
  readonly documentViews: DocumentViewCounter;
}

async function factsOf(
  { store, clock, documentViews }: Viewer,
  shown: readonly Document[],
): Promise<Facts[]> {
  if (shown.length === 0) return [];
  const now = clock().toISOString();
  const [links, owners, views] = await Promise.all([
    linksOf(store, shown),
    store.from(users).getMany(shown.map((document) => document.ownerId)),
    viewsOf(store, documentViews, shown.map((document) => document.id)),
  ]);
  return shown.map((document, n) =>
    sameFacts(document, {
      links: links[n]!,
      owner: owners[n]!,
      views: views[n]!,
      shared: links[n]!.shares.some((share) => isOpen(share, now)),
    })
  );
}

/** Documents in a list, as JSON. */
export async function summaries(viewer: Viewer, shown: readonly Document[]): Promise<JsonText[]> {
  const facts = await factsOf(viewer, shown);
  return shown.map((document, n) => summaryView(document, facts[n]!));
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
): Promise<{ data: PublicDocument; etag: string }> {
  const [facts] = await factsOf(viewer, [document]);
  const shared = level === "owner" ? { shares: [...facts!.links.shares] } : {};
  return { data: { ...summaryOf(document, facts!), ...shared }, etag: document.rev };
}

/** A document its owner has just made: nobody has opened it, and it is shared with nobody. */
export function freshDetails(
  document: Document,
  owner: User,
  made: readonly Tag[],
): { data: PublicDocument; etag: string } {
  const links: Links = { tags: made.toSorted(byName), shares: [] };
  linksByRecord.set(document, links);
  const facts = { links, owner, views: 0, shared: false };
  return { data: { ...summaryOf(document, facts), shares: [] }, etag: document.rev };
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
