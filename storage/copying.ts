// Copies everything from one store to another, whatever their engines, and verifies the copy.
import { createHash } from "node:crypto";
import { allCollections } from "../models/all.ts";
import { contents, files, fileVersions } from "../models/files.ts";
import { auditPositions } from "../models/audit.ts";
import { webhookPositions } from "../models/webhooks.ts";
import {
  type CollectionDeclaration,
  type Entity,
  type Reader,
  type Store,
  StoreUnavailable,
} from "./port.ts";
import { markFinished, markUnfinished } from "./state.ts";

/** Positions in the journal mean nothing in another store. */
const POSITIONS: ReadonlySet<string> = new Set([webhookPositions.name, auditPositions.name]);
/** Those whose records are copied. */
export const copiedCollections = allCollections.filter(({ name }) => !POSITIONS.has(name));

/** Damaged files that the message names. */
const MAX_NAMED = 10;
/** Records between two reports. */
const REPORT_EVERY = 10_000;

/** The copy cannot be made, or is not whole; the message is for the person who asked for it. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}

/** Where records are read. */
export interface RecordsSource {
  from<T extends Entity>(collection: CollectionDeclaration<T>): Pick<Reader<T>, "scan" | "get">;
}

/** What is copied. One without `changes` cannot change while it is read. */
export type CopySource =
  & RecordsSource
  & Pick<Store, "engine" | "blobs">
  & Partial<Pick<Store, "changes">>;

/** @param copied Records of the collection so far, or files. */
export type OnProgress = (what: string, copied: number) => void;

// deno-lint-ignore no-explicit-any -- collections of different records are handled alike
type AnyCollection = CollectionDeclaration<any>;

interface Sum {
  readonly count: number;
  /** SHA-256 over all records in the order of their ids, in hex. */
  readonly sha256: string;
}

/**
 * Copies every record, with its id and times, and every file into an empty store; then reads the copy back and
 * compares it, collection by collection and file by file; the bytes of files with the SHA-256 of their upload too.
 * Until all of that is done the target is marked: no server opens it.
 *
 * @throws {CopyError} The target is not empty, the source changes meanwhile, or the copy differs from it. What is
 * in the target then is to be thrown away.
 */
export async function copyStore(
  from: CopySource,
  to: Store,
  onProgress: OnProgress = () => {},
): Promise<void> {
  await beginCopy(from, to);
  const watch = from.changes ? watchChanges(from as Pick<Store, "changes">) : null;
  try {
    await copyRecords(from, to, onProgress);
    await copyFiles(from, to, onProgress);
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error), error);
  } finally {
    watch?.stop();
  }
  if (watch?.changed()) throw failed("the source was changed meanwhile: stop the server");
  await markFinished(to);
}

/**
 * As `copyStore`, from what cannot change meanwhile, such as a transaction.
 *
 * @throws {CopyError} The copy differs, or the source is damaged; what then is to be done with the target, the caller
 * knows.
 * @throws {StoreUnavailable}
 */
export async function copySnapshot(
  from: Omit<CopySource, "changes">,
  to: Store,
): Promise<void> {
  await beginCopy(from, to);
  try {
    await copyRecords(from, to);
    await copyFiles(from, to);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw new CopyError(`Cannot copy ${from.engine}: ${problem}`, { cause: error });
  }
  await markFinished(to);
}

/** Marks an empty store as unfinished. @throws {CopyError} It is not empty. */
export async function beginCopy({ engine }: Pick<Store, "engine">, to: Store): Promise<void> {
  await requireEmpty(to);
  await markUnfinished(to, `a copy from ${engine}`);
}

/** Copies every record of a source that does not change, and compares. */
export async function copyRecords(
  from: RecordsSource,
  to: Store,
  onProgress: OnProgress = () => {},
): Promise<void> {
  for (const collection of copiedCollections) {
    await copyCollection(from, to, collection, onProgress);
  }
}

async function requireEmpty(store: Store): Promise<void> {
  for (const collection of allCollections) {
    const count = await store.from(collection).count();
    if (count > 0) {
      throw new CopyError(
        `Cannot copy to ${store.engine}: it holds ${count} records of ${collection.name}, and a copy needs an empty store`,
      );
    }
  }
  for await (const _blob of store.blobs.list()) {
    throw new CopyError(
      `Cannot copy to ${store.engine}: it holds files, and a copy needs an empty store`,
    );
  }
}

async function copyCollection(
  from: RecordsSource,
  to: Store,
  collection: AnyCollection,
  onProgress: OnProgress,
): Promise<void> {
  const source = new RecordHash();
  const records = hashed(from.from(collection).scan(), source, (count) => {
    if (count % REPORT_EVERY === 0) onProgress(collection.name, count);
  });
  await to.load(collection, parentsFirst(collection, records));
  const target = new RecordHash();
  for await (const record of to.from(collection).scan()) target.add(record);
  const [expected, found] = [source.sum(), target.sum()];
  const counted = await to.from(collection).count();
  if (expected.count !== found.count || found.count !== counted) {
    throw new Error(
      `${collection.name} has ${expected.count} records, its copy ${found.count} (counted: ${counted})`,
    );
  }
  if (expected.sha256 !== found.sha256) throw new Error(`the copy of ${collection.name} differs`);
  onProgress(collection.name, expected.count);
}

async function* hashed(
  records: AsyncIterable<Entity>,
  hash: RecordHash,
  onRecord: (count: number) => void,
): AsyncIterable<Entity> {
  for await (const record of records) {
    onRecord(hash.add(record));
    yield record;
  }
}

/**
 * Puts records that refer to others of their own collection after those: a load is committed in batches, and what a
 * record refers to must be in the same batch or an earlier one.
 */
async function* parentsFirst(
  collection: AnyCollection,
  records: AsyncIterable<Entity>,
): AsyncIterable<Entity> {
  const field = Object.entries(collection.references)
    .find(([, target]) => target === collection.name)?.[0];
  if (field === undefined) return yield* records;
  const done = new Set<string>();
  const waiting = new Map<string, Entity[]>();
  for await (const record of records) {
    const parent = (record as unknown as Record<string, string | undefined>)[field];
    if (parent !== undefined && !done.has(parent)) {
      waiting.set(parent, [...(waiting.get(parent) ?? []), record]);
      continue;
    }
    const ready = [record];
    for (let next = ready.pop(); next; next = ready.pop()) {
      done.add(next.id);
      yield next;
      ready.push(...(waiting.get(next.id) ?? []));
      waiting.delete(next.id);
    }
  }
  // The parents of these do not exist in the source: the target decides whether it takes them.
  for (const orphans of waiting.values()) yield* orphans;
}

/** Names all damaged files in one error: each has to be deleted, or brought back, before a copy can be made. */
async function copyFiles(
  from: CopySource,
  to: Store,
  onProgress: OnProgress = () => {},
): Promise<void> {
  const damaged = new Set<string>();
  let copied = 0;
  for await (const { id: sha256, blobId, size } of from.from(contents).scan()) {
    if (await copyFile(from, to, blobId, { sha256, size })) onProgress("files", ++copied);
    else damaged.add(sha256);
  }
  if (damaged.size > 0) throw new Error(await describeDamaged(from, damaged));
}

/**
 * @returns Whether the source had the bytes that were once stored.
 * @throws {StoreUnavailable} One of the two cannot be reached.
 */
export async function copyFile(
  from: Pick<Store, "blobs">,
  to: Store,
  id: string,
  expected: { readonly sha256: string; readonly size: number },
): Promise<boolean> {
  const found = await putFrom(from, to, id);
  if (found === null) return false;
  if (found.sha256 !== expected.sha256 || found.size !== expected.size) {
    await to.blobs.remove(id);
    return false;
  }
  const copy = await digest(to, id);
  if (copy?.sha256 !== expected.sha256) throw new Error(`the copy of file ${id} differs`);
  return true;
}

/**
 * The bytes are read once, and hashed as they go into the target.
 *
 * @returns Null where the source cannot read them, or has none: the target has none either then.
 * @throws {StoreUnavailable} One of the two cannot be reached.
 */
async function putFrom(
  from: Pick<Store, "blobs">,
  to: Store,
  id: string,
): Promise<{ readonly sha256: string; readonly size: number } | null> {
  // So that a damaged file is not mistaken for a target that cannot be written.
  let isDamaged = false;
  const damaged = (error: unknown) => {
    if (error instanceof StoreUnavailable) throw error;
    isDamaged = true;
    return null;
  };
  const stream = await from.blobs.get(id).catch(damaged);
  if (!stream) return null;
  const read = async function* () {
    try {
      yield* stream;
    } catch (error) {
      damaged(error);
      throw error;
    }
  };
  try {
    return await to.blobs.put(ReadableStream.from(read()), { id, maxBytes: Infinity });
  } catch (error) {
    if (isDamaged) return null;
    throw error;
  }
}

/** Null when there are no such bytes. */
async function digest(
  store: Pick<Store, "blobs">,
  id: string,
): Promise<{ sha256: string; size: number } | null> {
  const stream = await store.blobs.get(id);
  if (!stream) return null;
  const hash = createHash("sha256");
  let size = 0;
  for await (const bytes of stream) {
    hash.update(bytes);
    size += bytes.length;
  }
  return { sha256: hash.digest("hex"), size };
}

/** @param damaged By the SHA-256 of their upload. */
export async function describeDamaged(
  from: RecordsSource,
  damaged: ReadonlySet<string>,
): Promise<string> {
  const names = new Set<string>();
  for await (const { fileId, version, sha256 } of from.from(fileVersions).scan()) {
    if (!damaged.has(sha256)) continue;
    const file = await from.from(files).get(fileId);
    names.add(`'${file?.name ?? fileId}' (${fileId}, version ${version})`);
  }
  const shown = [...names].slice(0, MAX_NAMED).join(", ");
  return `in the source, the bytes of ${damaged.size} files are missing or are not those that were uploaded: ${
    shown || [...damaged].slice(0, MAX_NAMED).join(", ")
  }. Delete these files there, or bring them back from a backup`;
}

/** A hash over records in the order they come, whatever the order of their fields. */
class RecordHash {
  readonly #hash = createHash("sha256");
  #count = 0;

  /** @returns How many records have been added so far. */
  add(record: Entity): number {
    const { rev: _, ...fields } = record;
    this.#hash.update(JSON.stringify(fields, sorted) + "\n");
    return ++this.#count;
  }

  sum(): Sum {
    return { count: this.#count, sha256: this.#hash.digest("hex") };
  }
}

/** Of `JSON.stringify`: engines keep fields in an order of their own, those of the objects in a list too. */
function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

function watchChanges(store: Pick<Store, "changes">): { changed(): boolean; stop(): void } {
  const controller = new AbortController();
  let changed = false;
  (async () => {
    for await (const _entry of store.changes({ signal: controller.signal })) {
      changed = true;
      return;
    }
  })().catch(() => {});
  return { changed: () => changed, stop: () => controller.abort() };
}

function failed(problem: string, cause?: unknown): CopyError {
  return new CopyError(
    `The copy failed: ${problem}.\nThe source is as it was. The target holds a part: remove it (delete the file, or drop and create the database), then run the same command again`,
    { cause },
  );
}
