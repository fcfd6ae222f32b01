// Copies everything from one store to another, whatever their engines, and verifies the copy: `deno task copy`.
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { allCollections } from "./models/all.ts";
import type { CollectionDeclaration, Entity, Store } from "./store.ts";
import { openStore } from "./open.ts";

const USAGE = `Usage:
  deno task copy --from URL --to URL

Copies everything into an empty store, and verifies it. Stop the server first.
URL: kv:path, sqlite:path or postgres://user:password@host/database.`;

/** Records between two reports. */
const REPORT_EVERY = 10_000;

/** The copy cannot be made, or is not whole; the message is for the person who asked for it. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}

/** @param copied Records of the collection so far, or files. */
export type OnProgress = (what: string, copied: number) => void;

// deno-lint-ignore no-explicit-any -- collections of different records are handled alike
type AnyCollection = CollectionDeclaration<any>;

interface Sum {
  readonly count: number;
  /** Of all records in id order, hex. */
  readonly sha256: string;
}

/**
 * Copies every record, with its id and times, and every file into an empty store; then reads the copy back and
 * compares it, collection by collection and file by file.
 *
 * @throws {CopyError} The target is not empty, the source changes meanwhile, or the copy differs from it. What is
 * in the target then is to be thrown away.
 */
export async function copyStore(
  from: Store,
  to: Store,
  onProgress: OnProgress = () => {},
): Promise<void> {
  await requireEmpty(to);
  const watch = watchChanges(from);
  try {
    for (const collection of allCollections) await copyCollection(from, to, collection, onProgress);
    await copyBlobs(from, to, onProgress);
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error), error);
  } finally {
    watch.stop();
  }
  if (watch.changed()) throw failed("the source was changed meanwhile: stop the server");
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
  from: Store,
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

/** Records that refer to others of their collection come after them: loads are committed in batches. */
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
  // Their parents do not exist: the target says whether it takes them.
  for (const orphans of waiting.values()) yield* orphans;
}

async function copyBlobs(from: Store, to: Store, onProgress: OnProgress): Promise<void> {
  let copied = 0;
  for await (const { id } of from.blobs.list()) {
    const stream = await from.blobs.get(id);
    // What an upload that was cut off has left is not worth a copy.
    if (!stream) continue;
    const stored = await to.blobs.put(stream, { id, maxBytes: Infinity });
    const copy = await to.blobs.get(id);
    const hash = createHash("sha256");
    for await (const bytes of copy ?? []) hash.update(bytes);
    if (hash.digest("hex") !== stored.sha256) throw new Error(`the copy of file ${id} differs`);
    onProgress("files", ++copied);
  }
}

/** A hash over records in the order they come, whatever the order of their fields. */
class RecordHash {
  readonly #hash = createHash("sha256");
  #count = 0;

  /** @returns How many there are now. */
  add(record: Entity): number {
    const { rev: _, ...fields } = record;
    const sorted = Object.entries(fields).sort(([a], [b]) => a < b ? -1 : 1);
    this.#hash.update(JSON.stringify(sorted) + "\n");
    return ++this.#count;
  }

  sum(): Sum {
    return { count: this.#count, sha256: this.#hash.digest("hex") };
  }
}

function watchChanges(store: Store): { changed(): boolean; stop(): void } {
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

/** A file that is not there would be made, empty, and copied. */
async function requireSource(url: string): Promise<void> {
  const path = /^(?:kv|sqlite):(?!https?:|:memory:)(.+)$/.exec(url)?.[1];
  if (path === undefined) return;
  try {
    await Deno.stat(path);
  } catch {
    throw new CopyError(`Cannot copy: there is no file ${path}`);
  }
}

async function main(args: readonly string[]): Promise<number> {
  const stores: Store[] = [];
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: "string" }, to: { type: "string" } },
    });
    if (!values.from || !values.to) throw new CopyError(USAGE);
    if (values.from === values.to) throw new CopyError("Cannot copy: --from and --to are the same");
    await requireSource(values.from);
    for (const url of [values.from, values.to]) stores.push(await openStore({ url }));
    const [from, to] = stores as [Store, Store];
    print(`From ${from.engine} to ${to.engine}`);
    await copyStore(from, to, (what, copied) => print(`${what}: ${copied}`));
    print("Copied and verified");
    return 0;
  } catch (error) {
    Deno.stderr.writeSync(
      new TextEncoder().encode((error instanceof Error ? error.message : String(error)) + "\n"),
    );
    return 1;
  } finally {
    for (const store of stores) await store.close();
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
}

if (import.meta.main) Deno.exit(await main(Deno.args));
