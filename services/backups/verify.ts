// Looks through a whole store: records, unique keys, counts, references, and the bytes of files against their hashes.
import { createHash } from "node:crypto";
import { allCollections } from "../../models/all.ts";
import { contents, fileVersions } from "../../models/files.ts";
import {
  type CollectionDeclaration,
  type Entity,
  RecordDamaged,
  type Store,
} from "../../storage/port.ts";

// deno-lint-ignore no-explicit-any -- collections of different records are handled alike
type AnyCollection = CollectionDeclaration<any>;
type Fields = Record<string, unknown>;

/** Looked up by their unique values at a time. */
const BATCH = 100;

/** References that are by another field than the id. */
const NAMED: Readonly<Record<string, string>> = { "users.role": "name" };

/** What others may refer to, by collection: ids, or names. */
type Targets = Map<string, Set<unknown>>;

/** The collections that something refers to; the ids of the others need not be kept. */
const referredTo = new Set(
  allCollections.flatMap(({ references }) => Object.values(references as Record<string, string>)),
);

/**
 * Everything that is wrong, a sentence each, naming the record. Nobody may write meanwhile: what is half told then would
 * count as wrong.
 *
 * @param onProgress Told each collection when it has been looked through.
 */
export async function* verifyStore(
  store: Pick<Store, "from" | "blobs" | "check">,
  onProgress: (what: string, count: number) => void = () => {},
): AsyncIterable<string> {
  try {
    yield* verifyRecords(store, onProgress);
  } catch (error) {
    // Engines that leave out what they cannot read tell of it in their own check.
    if (!(error instanceof RecordDamaged)) throw error;
    yield `${error.message}; records after it were not looked at`;
  }
  yield* store.check();
}

async function* verifyRecords(
  store: Pick<Store, "from" | "blobs">,
  onProgress: (what: string, count: number) => void,
): AsyncIterable<string> {
  const targets: Targets = new Map();
  for (const collection of allCollections) {
    const count = yield* verifyCollection(store, collection, targets);
    onProgress(collection.name, count);
  }
  for (const collection of allCollections) yield* verifyReferences(store, collection, targets);
  yield* verifyContents(store, onProgress);
}

async function* verifyCollection(
  store: Pick<Store, "from">,
  collection: AnyCollection,
  targets: Targets,
): AsyncGenerator<string, number> {
  const { name } = collection;
  const seen = new Map(Object.keys(collection.unique).map((key) => [key, new Set<string>()]));
  const known = referredTo.has(name) ? new Set<unknown>() : null;
  let count = 0;
  let batch: Entity[] = [];
  for await (const record of store.from(collection).scan()) {
    count++;
    known?.add(record.id);
    if (name === "roles") known?.add((record as unknown as Fields).name);
    yield* verifyShape(collection, record);
    yield* verifyRepeats(collection, record, seen);
    batch.push(record);
    if (batch.length < BATCH) continue;
    yield* verifyLookups(store, collection, batch);
    batch = [];
  }
  yield* verifyLookups(store, collection, batch);
  if (known) targets.set(name, known);
  const counted = await store.from(collection).count();
  if (counted !== count) yield `${name}: ${count} records are there, ${counted} are counted`;
  return count;
}

function* verifyShape(collection: AnyCollection, record: Entity): Iterable<string> {
  const { rev: _, ...fields } = record;
  const result = collection.schema.safeParse(fields);
  for (const { path, message } of result.error?.issues ?? []) {
    yield `${collection.name} ${record.id}: its ${path.join(".")} cannot be: ${message}`;
  }
}

function* verifyRepeats(
  collection: AnyCollection,
  record: Entity,
  seen: ReadonlyMap<string, Set<string>>,
): Iterable<string> {
  for (const [key, values] of seen) {
    const own = valuesOf(collection, key, record);
    if (own === null) continue;
    const text = JSON.stringify(own);
    if (values.has(text)) yield `${collection.name} ${record.id}: another one has the same ${key}`;
    values.add(text);
  }
}

/** Each record must be found by its id and by each of its unique values. */
async function* verifyLookups(
  store: Pick<Store, "from">,
  collection: AnyCollection,
  batch: readonly Entity[],
): AsyncIterable<string> {
  const reader = store.from(collection);
  const byId = await reader.getMany(batch.map(({ id }) => id));
  for (const [n, { id }] of batch.entries()) {
    if (!byId[n]) yield `${collection.name} ${id}: it is not found by its id`;
  }
  for (const key of Object.keys(collection.unique)) {
    const found = await Promise.all(batch.map((record) => {
      const own = valuesOf(collection, key, record);
      return own === null ? record : reader.findBy(key, ...own as string[]);
    }));
    for (const [n, { id }] of batch.entries()) {
      if (found[n]?.id !== id) yield `${collection.name} ${id}: it is not found by its ${key}`;
    }
  }
}

/** Null where the record lacks a field of the key: it takes no unique value then. */
function valuesOf(collection: AnyCollection, key: string, record: Entity): unknown[] | null {
  const fields = collection.unique[key] as readonly string[];
  const values = fields.map((field) => (record as unknown as Fields)[field] ?? null);
  return values.includes(null) ? null : values;
}

async function* verifyReferences(
  store: Pick<Store, "from">,
  collection: AnyCollection,
  targets: Targets,
): AsyncIterable<string> {
  const references = Object.entries(collection.references as Record<string, string>);
  if (references.length === 0) return;
  for await (const record of store.from(collection).scan()) {
    for (const [field, target] of references) {
      const value = (record as unknown as Fields)[field];
      if (value === undefined || targets.get(target)?.has(value)) continue;
      const by = NAMED[`${collection.name}.${field}`] ?? "id";
      yield `${collection.name} ${record.id}: its ${field} is '${value}', and none of ${target} has that ${by}`;
    }
  }
}

/** The bytes of every content must be those that were uploaded, and no more versions may use them than are counted. */
async function* verifyContents(
  store: Pick<Store, "from" | "blobs">,
  onProgress: (what: string, count: number) => void,
): AsyncIterable<string> {
  const uses = new Map<string, number>();
  for await (const { sha256 } of store.from(fileVersions).scan()) {
    uses.set(sha256, (uses.get(sha256) ?? 0) + 1);
  }
  let count = 0;
  for await (const { id, blobId, size, references } of store.from(contents).scan()) {
    const problem = await problemOfBytes(store, blobId, { sha256: id, size });
    if (problem !== null) yield `contents ${id}: its bytes ${blobId} ${problem}`;
    const used = uses.get(id) ?? 0;
    if (used > references) {
      yield `contents ${id}: ${used} versions of files use it, ${references} are counted`;
    }
    count++;
  }
  onProgress("files", count);
}

async function problemOfBytes(
  { blobs }: Pick<Store, "blobs">,
  blobId: string,
  expected: { readonly sha256: string; readonly size: number },
): Promise<string | null> {
  try {
    const stream = await blobs.get(blobId);
    if (!stream) return "are missing";
    const hash = createHash("sha256");
    let size = 0;
    for await (const bytes of stream) {
      hash.update(bytes);
      size += bytes.length;
    }
    if (size !== expected.size) return `are ${size} long, not ${expected.size}`;
    return hash.digest("hex") === expected.sha256 ? null : "are not those that were uploaded";
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : error}`;
  }
}
