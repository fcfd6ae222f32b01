// Tags: found by name, made when there is none, and tied to documents.
import { invalid } from "../errors.ts";
import { type Document, documentTags, type Tag, tags } from "../models/documents.ts";
import { type Store, type Transaction, UniqueConflict } from "../store.ts";
import { everyMatch } from "./cascades.ts";

type Source = Pick<Store, "from">;

/** How often a plan meets a tag that others make at the same time before it gives up. */
const MAX_TRIES = 5;

/** The tag with this name or id. */
export async function findTag(source: Source, nameOrId: string): Promise<Tag | null> {
  return await source.from(tags).findBy("name", nameOrId) ?? await source.from(tags).get(nameOrId);
}

/** Plans the tags with these names, making those that are new. */
export async function planTags(tx: Transaction, names: readonly string[]): Promise<Tag[]> {
  const found: Tag[] = [];
  for (const name of names) {
    found.push(await tx.from(tags).findBy("name", name) ?? tx.insert(tags, { name }));
  }
  return found;
}

/** @throws {ApiError} VALIDATION_ERROR for an id that is no tag's. */
export async function tagsById(source: Source, ids: readonly string[]): Promise<Tag[]> {
  return (await source.from(tags).getMany(ids)).map((tag, n) => {
    if (!tag) throw invalid("tagIds", `there is no tag '${ids[n]}'`);
    return tag;
  });
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

/** Runs a plan again when someone else makes a tag of the same name meanwhile: it then finds that one. */
export async function sharingNewTags<R>(run: () => Promise<R>): Promise<R> {
  for (let tries = 1;; tries++) {
    try {
      return await run();
    } catch (error) {
      const taken = error instanceof UniqueConflict && error.collection === tags.name;
      if (!taken || tries === MAX_TRIES) throw error;
    }
  }
}
