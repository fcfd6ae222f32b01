// Documents as they are shown, who may change them, and what goes with them.
import { ApiError, forbidden, notFound } from "../../core/errors.ts";
import { allOf, andThen, type Awaitable } from "../../core/awaitable.ts";
import { chunks } from "../../core/chunks.ts";
import { JsonText } from "../../core/json.ts";
import {
  type Document,
  documentInRow,
  documentRow,
  documents,
  documentSummary,
  type DocumentTag,
  documentTags,
  documentViews,
  type Tag,
  tags,
} from "../../models/documents.ts";
import { fieldsOf, jsonOf } from "../../models/rows.ts";
import { publicShare, type Share, shares } from "../../models/shares.ts";
import { personInRow, type User, users } from "../../models/users.ts";
import type { ByKey, Keys } from "../../core/keys.ts";
import { type RowPage, type Store, TooLarge, type Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import type { DocumentViewCounter } from "./document_views.ts";
import { planShareEnds } from "../access/shares.ts";
import { personOf } from "../access/persons.ts";
import { isOpen, type Level, levelOf, reaches } from "../access/visibility.ts";
import { everyByKey, everyMatch } from "../../storage/every_match.ts";
import { type Removed, removed } from "./bundles.ts";

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

/** Which documents, and whose. */
interface Asked {
  readonly ids: Keys;
  readonly ownerIds: Keys;
}

/** Tags and shares of a document. */
interface Links {
  readonly tags: readonly Tag[];
  readonly shares: readonly Share[];
}

const NO_LINKS: Links = { tags: [], shares: [] };

/** By the place of the document, undefined for those that have none; null where none has any. */
function linksOf(source: Source, ids: Keys): Awaitable<readonly (Links | undefined)[] | null> {
  const linked = allOf([
    everyByKey(source, documentTags, "documentId", ids),
    everyByKey(source, shares, "documentId", ids),
  ]);
  return andThen(linked, ([tied, given]) => {
    if (tied.length + given.length === 0) return null;
    return andThen(tagsOf(source, tied), (named) => {
      const links: (Links | undefined)[] = [];
      for (let n = 0; n < ids.length; n++) {
        const tags = named[n], shares = given[n];
        links.push(tags || shares ? { tags: tags ?? [], shares: shares ?? [] } : undefined);
      }
      return links;
    });
  });
}

/** Sorted by their names. */
function tagsOf(source: Source, tied: ByKey<DocumentTag>): Awaitable<ByKey<Tag>> {
  if (tied.length === 0) return [];
  const ids = new Set<string>();
  for (const links of tied) for (const { tagId } of links ?? []) ids.add(tagId);
  return andThen(source.from(tags).getMany([...ids]), (found) => {
    const tagOf = new Map(found.flatMap((tag) => tag ? [[tag.id, tag] as const] : []));
    const named = (links: readonly DocumentTag[]) =>
      links.flatMap((link) => tagOf.get(link.tagId) ?? []).sort(byName);
    return Array.from(tied, (links) => links && named(links));
  });
}

function byName(a: Tag, b: Tag): number {
  return a.name < b.name ? -1 : 1;
}

/** What other records say of some documents, in the order of the documents. */
interface Facts {
  readonly links: readonly (Links | undefined)[] | null;
  /** What is shown of the owners, as JSON; null where the account is gone. */
  readonly owners: readonly (string | null)[];
  /** The rows of what is written of their views; null where that is nothing. */
  readonly views: readonly (string | null)[];
}

function factsOf({ store }: Viewer, { ids, ownerIds }: Asked): Awaitable<Facts> {
  const facts = allOf([
    linksOf(store, ids),
    ownersOf(store, ownerIds),
    store.from(documentViews).rowsOf(ids),
  ]);
  return andThen(facts, ([links, owners, views]) => ({ links, owners, views }));
}

function ownersOf(source: Source, ids: Keys): Awaitable<readonly (string | null)[]> {
  return andThen(source.from(users).rowsOf(ids), (rows) => {
    const persons: (string | null)[] = [];
    for (const [n, row] of rows.entries()) {
      // Whoever sees what is his own sees one owner.
      const same = n > 0 && row === rows[n - 1];
      persons.push(same ? persons[n - 1]! : row === null ? null : personInRow(row));
    }
    return persons;
  });
}

const TAG = fieldsOf(documentSummary.shape.tags.element);
const SHARE = fieldsOf(publicShare);

function arrayJson(records: readonly object[], fields: readonly string[]): string {
  return `[${records.map((record) => `{${jsonOf(record, fields)}}`).join(",")}]`;
}

/** Tags and whether it is shared, as JSON: between the row of a document and the number of its views. */
function linksJson({ tags, shares }: Links, now: string): string {
  const shared = shares.some((share) => isOpen(share, now));
  if (tags.length === 0) return shared ? SHARED_JSON : NO_LINKS_JSON;
  return joinedLinks(tags, shared);
}

/** Joined it is one piece, where a template would be as many as it has parts. */
function joinedLinks(tags: readonly Tag[], shared: boolean): string {
  return [',"tags":', arrayJson(tags, TAG), ',"shared":', shared, ',"views":'].join("");
}

const NO_LINKS_JSON = joinedLinks([], false);
const SHARED_JSON = joinedLinks([], true);

const BEFORE_OWNER = ',"owner":';
const UNOPENED_JSON = `${NO_LINKS_JSON}0${BEFORE_OWNER}`;

/**
 * A document in a list, as JSON without the brace at its end. In as few pieces as can be: each costs some 40 ns when they
 * are sent.
 */
function summaryOf(
  row: string,
  { links, owner, views }: { links: string; owner: string | null; views: number },
): string {
  if (owner === null) return row + links + views;
  // Of most there is nothing to say: what stands between is then ready.
  if (views === 0 && links === NO_LINKS_JSON) return row + UNOPENED_JSON + owner;
  // The middle is so short that it becomes one piece.
  return row + links + (views + BEFORE_OWNER) + owner;
}

/** What a page of documents is to tell for `summaries`. */
export const SUMMARY_KEYS = ["id", "ownerId"] as const;

/** Documents in a list, as JSON. */
export function summaries(
  viewer: Viewer,
  { rows, keys }: Pick<RowPage, "rows" | "keys">,
): Awaitable<JsonText[]> {
  if (rows.length === 0) return [];
  const asked = keys ? { ids: keys[0]!, ownerIds: keys[1]! } : askedOf(rows);
  return andThen(factsOf(viewer, asked), ({ links, owners, views }) => {
    const now = links ? viewer.clock().toISOString() : "";
    const opened = viewer.documentViews.areOpened();
    return rows.map((row, n) => {
      const linked = links?.[n];
      const pending = opened ? viewer.documentViews.pending(asked.ids.at(n)!) : 0;
      const summary = summaryOf(row, {
        links: linked ? linksJson(linked, now) : NO_LINKS_JSON,
        owner: owners[n]!,
        views: Number(views[n] ?? 0) + pending,
      });
      return new JsonText(`${summary}}`);
    });
  });
}

function askedOf(rows: readonly string[]): Asked {
  const shown = rows.map(documentInRow);
  return { ids: shown.map(({ id }) => id), ownerIds: shown.map(({ ownerId }) => ownerId) };
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
  const { id, ownerId } = document;
  const facts = await factsOf(viewer, { ids: [id], ownerIds: [ownerId] });
  const { links, owners: [owner = null], views: [views] } = facts;
  return detailed(document, {
    links: links?.[0] ?? NO_LINKS,
    owner,
    views: Number(views ?? 0) + viewer.documentViews.pending(id),
    now: viewer.clock().toISOString(),
  }, level);
}

/** A document its owner has just made: nobody has opened it, and it is shared with nobody. */
export function freshDetails(
  document: Document,
  owner: User,
  made: readonly Tag[],
): { data: JsonText; etag: string } {
  return detailed(document, {
    links: { tags: made.toSorted(byName), shares: [] },
    owner: JSON.stringify(personOf(owner)),
    views: 0,
    now: document.createdAt,
  }, "owner");
}

function detailed(
  document: Document,
  facts: { links: Links; owner: string | null; views: number; now: string },
  level: Level,
): { data: JsonText; etag: string } {
  const links = linksJson(facts.links, facts.now);
  const summary = summaryOf(documentRow(document), { ...facts, links });
  const shares = level === "owner" ? `,"shares":${arrayJson(facts.links.shares, SHARE)}` : "";
  const content = JSON.stringify(document.content);
  return {
    data: new JsonText(`${summary},"content":${content}${shares}}`),
    etag: document.rev,
  };
}

/**
 * Plans that documents leave their collection, with their tags, shares and views. Their revisions stay.
 *
 * @returns What is removed.
 */
export async function planDocumentsRemoval(
  tx: Transaction,
  leaving: readonly Document[],
): Promise<Removed[]> {
  const gone = leaving.map((document) => removed(documents, document));
  for (const documentId of chunks(leaving.map(({ id }) => id))) {
    const links = await everyMatch(tx, documentTags, { documentId });
    const given = await everyMatch(tx, shares, { documentId });
    const views = (await tx.from(documentViews).getMany(documentId)).filter((one) => one !== null);
    for (const link of links) tx.remove(documentTags, link);
    await planShareEnds(tx, given);
    for (const one of views) tx.remove(documentViews, one);
    gone.push(
      ...links.map((link) => removed(documentTags, link)),
      ...given.map((share) => removed(shares, share)),
      ...views.map((one) => removed(documentViews, one)),
    );
  }
  for (const document of leaving) tx.remove(documents, document);
  return gone;
}
