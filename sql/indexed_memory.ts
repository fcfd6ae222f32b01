// The memory of an engine that answers lists from it: it holds what lists need of all records, and follows each commit of
// this process in the same turn; what another process has written is read anew by the journal.
import { andThen, type Awaitable } from "../core/awaitable.ts";
import { atOnce, slices, type Work } from "../core/slices.ts";
import type { Change, CollectionDeclaration, Entity } from "../storage/port.ts";
import { CacheBudget } from "../storage/memory/cache.ts";
import { type Applied, Memory as CollectionRecords } from "../storage/memory/memory.ts";
import { BULK } from "../storage/memory/projection.ts";
import { RecordsBudget, textBytes } from "../storage/memory/records.ts";
import type { Source, Stored } from "../storage/memory/source.ts";
import { seal } from "../storage/records.ts";
import { Memory, type OtherCommit, type OwnCommit } from "./memory.ts";

/** Records between two places where preparing a commit may be interrupted. */
const PIECE = 100;
/** From more changes than this to one collection at once, its memory is filled anew. */
const MAX_REREAD = 10_000;
/** Records in one statement: some 5 ms of work. */
const REREAD_AT_A_TIME = 500;
/**
 * A sized memory indexes one record for so many bytes that it may take: 786,432 by default. A record takes 150 to 250 in the
 * index, with its place in lists and its part of the search index.
 */
const ROW_BYTES = 128;

/**
 * `whole`: all collections, however large, and the database answers no list; `sized`: those that are not too large, and
 * beside them what the database has answered is kept.
 */
export type Coverage = "whole" | "sized";

type Written = Exclude<Change, { kind: "check" }>;
type AppliedByCollection = ReadonlyMap<string, readonly Applied<Entity>[]>;

export class IndexedMemory extends Memory {
  /** The most records that the index may hold, of all collections together. */
  readonly maxRows: number;
  readonly #records = new Map<string, CollectionRecords<Entity>>();
  readonly #shared: RecordsBudget;
  readonly #sources = new Map<string, Source<Entity>>();
  /** What large commits will have made of records, by their changes. */
  readonly #prepared = new WeakMap<
    readonly Change[],
    { readonly version: number; readonly applied: AppliedByCollection }
  >();
  /** The records that are read anew: those that this process commits meanwhile are newer than what is read. */
  #reading: { readonly memory: CollectionRecords<Entity>; readonly overtaken: Set<string> } | null =
    null;

  /** @param bytes How much memory records, rows and answers may take, beside the index. */
  constructor(
    bytes: number,
    collections: Iterable<CollectionDeclaration<Entity>>,
    readonly coverage: Coverage,
  ) {
    const records = new RecordsBudget(bytes);
    const kept = coverage === "whole" ? 0 : bytes;
    super(kept, new CacheBudget(kept, () => records.shrink()));
    records.shareWith(this.budget);
    this.#shared = records;
    this.maxRows = coverage === "whole" ? Infinity : Math.floor(bytes / ROW_BYTES);
    for (const declaration of collections) {
      this.#records.set(declaration.name, new CollectionRecords(declaration, records));
    }
  }

  override get held() {
    return { bytes: this.#shared.bytes, maxBytes: this.#shared.maxBytes };
  }

  override keepsWritten(collection: string): boolean {
    return !this.isIndexed(collection) && !this.recordsOf(collection).declaration.readSeldom;
  }

  /** Whether lists of the collection are answered from an index of all of its records. */
  isIndexed(collection: string): boolean {
    return this.recordsOf(collection).projection !== null;
  }

  /** How many records the index holds. */
  get rows(): number {
    let rows = 0;
    for (const one of this.#records.values()) rows += sizeOf(one);
    return rows;
  }

  recordsOf(collection: string): CollectionRecords<Entity> {
    return this.#records.get(collection)!;
  }

  /** Where the records of a collection are read. */
  readFrom(collection: string, source: Source<Entity>): void {
    this.#sources.set(collection, source);
  }

  override doubt(collection: string, id: string): void {
    if (this.coverage === "sized") super.doubt(collection, id);
    const memory = this.recordsOf(collection);
    memory.forget(id);
    memory.records.delete(id);
  }

  override async follow(commits: readonly OtherCommit[]): Promise<void> {
    if (this.coverage === "sized") void super.follow(commits);
    const changed = Map.groupBy(commits.flatMap(({ changes }) => changes), collectionOf);
    for (const [collection, changes] of changed) {
      await this.#readAnew(collection, [...new Set(changes.map(({ id }) => id))]);
    }
  }

  /** Does beforehand, in slices, what a large commit takes when it is done. */
  prepare(changes: readonly Change[], version: number): Awaitable<void> {
    return andThen(
      slices.run(this.#applied(changes, version)),
      (applied) => void this.#prepared.set(changes, { version, applied }),
    );
  }

  override committed(commit: OwnCommit): void {
    if (this.coverage === "sized") super.committed(commit);
    for (const [collection, changes] of this.#appliedBy(commit)) {
      const memory = this.recordsOf(collection);
      if (commit.late) memory.reset();
      else if (this.#follows(memory)) this.#apply(memory, changes);
    }
  }

  #appliedBy({ changes, version }: OwnCommit): AppliedByCollection {
    const prepared = this.#prepared.get(changes);
    // A transaction that was tried again has another version.
    if (prepared?.version === version) return prepared.applied;
    const isFollowed = (collection: string) => this.#follows(this.recordsOf(collection));
    return atOnce(this.#applied(changes, version, isFollowed));
  }

  /**
   * What a commit of this process makes of records.
   *
   * @param isWanted Of which collections; the others are told without it. By default all: which of them are followed may
   * change until the commit is done.
   */
  *#applied(
    changes: readonly Change[],
    version: number,
    isWanted: (collection: string) => boolean = () => true,
  ): Work<AppliedByCollection> {
    const written = changes.filter((change) => change.kind !== "check");
    const applied = new Map<string, readonly Applied<Entity>[]>();
    for (const [collection, some] of Map.groupBy(written, collectionOf)) {
      yield;
      const made = isWanted(collection)
        ? yield* this.#appliedTo(collection, some, String(version))
        : [];
      applied.set(collection, made);
    }
    return applied;
  }

  *#appliedTo(
    collection: string,
    changes: readonly Written[],
    rev: string,
  ): Work<Applied<Entity>[]> {
    const { records } = this.recordsOf(collection);
    const isBulk = changes.length > BULK;
    const applied: Applied<Entity>[] = [];
    for (const change of changes) {
      if (change.kind === "remove") applied.push(gone(change.before.id, rev));
      else if (isBulk) {
        const record = seal(change.after, rev), { id } = record;
        const isNew = change.kind === "insert";
        // Nobody reads it before it is committed, and what is read of it then is this.
        if (isNew) records.delete(id);
        applied.push({ id, record, rev, text: null, bytes: 0, isNew });
      } else applied.push(kept(seal(change.after, rev)));
      if (applied.length % PIECE === 0) yield;
    }
    return applied;
  }

  /** Whether a collection is in the index, or on its way there, so that it has to hear of all commits. */
  #follows({ projection, building }: CollectionRecords<Entity>): boolean {
    return this.coverage === "whole" || projection !== null || building !== null;
  }

  /** As collections grow, the index may come to hold a tenth more than it may; then it gives up the largest of them. */
  #apply(memory: CollectionRecords<Entity>, changes: readonly Applied<Entity>[]): void {
    if (this.#reading?.memory === memory) {
      for (const { id } of changes) this.#reading.overtaken.add(id);
    }
    memory.apply(changes);
    if (this.coverage === "whole" || !memory.projection) return;
    if (this.rows > 1.1 * this.maxRows) this.#largest().reset();
  }

  #largest(): CollectionRecords<Entity> {
    return [...this.#records.values()].reduce((most, one) =>
      sizeOf(one) > sizeOf(most) ? one : most
    );
  }

  /** Reads records as they are now, and takes all of them at once. */
  async #readAnew(collection: string, ids: readonly string[]): Promise<void> {
    const memory = this.recordsOf(collection);
    if (!this.#follows(memory)) return;
    if (ids.length > MAX_REREAD) return memory.reset();
    const overtaken = new Set<string>();
    this.#reading = { memory, overtaken };
    const found: (Stored<Entity> | null)[] = [];
    try {
      for (let from = 0; from < ids.length; from += REREAD_AT_A_TIME) {
        const some = ids.slice(from, from + REREAD_AT_A_TIME);
        found.push(...await this.#sources.get(collection)!.records(some));
      }
    } finally {
      this.#reading = null;
    }
    if (!this.#follows(memory)) return;
    const changes = ids.flatMap((id, n) => overtaken.has(id) ? [] : asFound(id, found[n] ?? null));
    this.#apply(memory, changes);
  }
}

function sizeOf({ projection }: CollectionRecords<Entity>): number {
  return projection?.size ?? 0;
}

function collectionOf({ collection }: { readonly collection: string }): string {
  return collection;
}

function kept(record: Entity): Applied<Entity> {
  const text = JSON.stringify(record);
  return { id: record.id, record, rev: record.rev, text, bytes: textBytes(text) };
}

function asFound(id: string, found: Stored<Entity> | null): Applied<Entity> {
  if (!found) return gone(id, "");
  const { record, text } = found;
  return { id, record, rev: record.rev, text, bytes: textBytes(text) };
}

function gone(id: string, rev: string): Applied<Entity> {
  return { id, record: null, rev, text: null, bytes: 0 };
}
