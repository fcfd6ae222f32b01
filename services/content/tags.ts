// Tags: found by name, made when there is none, and tied to documents.
import { invalid } from "../../core/errors.ts";
import { type Document, documents, documentTags, type Tag, tags } from "../../models/documents.ts";
import type { Store, Transaction, Where } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { visible } from "../access/visibility.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { HOUR } from "../../core/units.ts";

type Source = Pick<Store, "from">;

/** The tag with this name or id. */
export async function findTag(source: Source, nameOrId: string): Promise<Tag | null> {
  return await source.from(tags).findBy("name", nameOrId) ?? await source.from(tags).get(nameOrId);
}

/** Plans the tags with these names, making those that are new. */
export async function planTags(tx: Transaction, names: readonly string[]): Promise<Tag[]> {
  const found: Tag[] = [];
  for (const name of names) {
    const tag = await tx.from(tags).findBy("name", name);
    // A tag of no document is written without a change, so that a sweep at the same time does not remove it.
    if (tag && await isUnused(tx, tag)) found.push(tx.update(tags, tag, {}));
    else found.push(tag ?? tx.insert(tags, { name }));
  }
  return found;
}

async function isUnused(source: Source, tag: Tag): Promise<boolean> {
  return await source.from(documentTags).count({ tagId: tag.id }) === 0;
}

/** Milliseconds that a tag which is on nothing stays: longer than any plan that found it in use takes. */
const UNUSED_TAG_LIFETIME = HOUR;
/** Tags looked at in one commit. */
const BATCH = 50;

/** Removes the tags that are on no document any more. */
export async function sweepTags(store: Store, now: Date): Promise<void> {
  const before = new Date(now.getTime() - UNUSED_TAG_LIFETIME).toISOString();
  const groups = await store.from(documentTags).aggregate({ by: "tagId" });
  const used = new Set(groups.map(({ key }) => key));
  const unused: string[] = [];
  for await (const tag of store.from(tags).scan()) {
    if (!used.has(tag.id) && tag.updatedAt < before) unused.push(tag.id);
  }
  for (let at = 0; at < unused.length; at += BATCH) {
    await store.transact({ userId: null }, async (tx) => {
      for (const tag of await tx.from(tags).getMany(unused.slice(at, at + BATCH))) {
        if (tag && tag.updatedAt < before && await isUnused(tx, tag)) tx.remove(tags, tag);
      }
    });
  }
}

/** @throws {ApiError} VALIDATION_ERROR for an id that is no tag's. */
export async function tagsById(source: Source, ids: readonly string[]): Promise<Tag[]> {
  return (await source.from(tags).getMany(ids)).map((tag, n) => {
    if (!tag) throw invalid("tagIds", `there is no tag '${ids[n]}'`);
    return tag;
  });
}

/**
 * The tags with these ids that the caller may know of: those of documents that the caller sees.
 *
 * @throws {ApiError} VALIDATION_ERROR for any other id.
 */
export async function tagsSeen(
  source: Source,
  principal: Principal,
  ids: readonly string[],
  now: string,
): Promise<Tag[]> {
  if (ids.length === 0) return [];
  const seen: Where<Document> = await visible(source, principal, "documents", now);
  for (const tagId of ids) {
    if (!await isOnOneOf(source, tagId, seen)) {
      throw invalid("tagIds", `there is no tag '${tagId}'`);
    }
  }
  return await tagsById(source, ids);
}

async function isOnOneOf(source: Source, tagId: string, seen: Where<Document>): Promise<boolean> {
  const links = await everyMatch(source, documentTags, { tagId });
  const id = links.map((link) => link.documentId);
  return await source.from(documents).count({ id, any: [seen] }) > 0;
}

/**
 * Plans that the document has exactly these tags.
 *
 * @returns The tags it has then.
 */
export async function planTagsOf(
  tx: Transaction,
  document: Document,
  names: readonly string[],
): Promise<Tag[]> {
  const wanted = await planTags(tx, names);
  const ids = new Set(wanted.map((tag) => tag.id));
  const held = await everyMatch(tx, documentTags, { documentId: document.id });
  for (const link of held) {
    if (!ids.delete(link.tagId)) tx.remove(documentTags, link);
  }
  for (const tagId of ids) tx.insert(documentTags, { documentId: document.id, tagId });
  return wanted;
}
