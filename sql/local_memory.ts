// The memory of an engine whose database one process answers for: it holds what lists need of all records, and follows
// each commit in the same turn; what another process has written is read anew by the journal.
import type { Awaitable } from "../core/awaitable.ts";
import { slices, type Work } from "../core/slices.ts";
import type { Change, CollectionDeclaration, Entity, JournalEntry } from "../storage/port.ts";
import { type Applied, Memory as CollectionRecords } from "../storage/memory/memory.ts";
import { BULK } from "../storage/memory/projection.ts";
import { RecordsBudget, textBytes } from "../storage/memory/records.ts";
import type { Source } from "../storage/memory/source.ts";
import { seal } from "../storage/records.ts";
import { Memory } from "./memory.ts";

/** Records between two places where preparing a commit may be interrupted. */
const PIECE = 100;
/** From more changes than this to one collection in a journal entry, its memory is filled anew. */
const MAX_REREAD = 2000;

export class LocalMemory extends Memory {
  readonly #records = new Map<string, CollectionRecords<Entity>>();
  readonly #budget: RecordsBudget;
  readonly #sources = new Map<string, Source<Entity>>();

  /** @param maxBytes How much memory records may take; answers to queries are not kept. */
  constructor(maxBytes: number, collections: Iterable<CollectionDeclaration<Entity>>) {
    super(0);
    this.#budget = new RecordsBudget(maxBytes);
    for (const declaration of collections) {
      this.#records.set(declaration.name, new CollectionRecords(declaration, this.#budget));
    }
  }

  override get held() {
    return { bytes: this.#budget.bytes, maxBytes: this.#budget.maxBytes };
  }

  recordsOf(collection: string): CollectionRecords<Entity> {
    return this.#records.get(collection)!;
  }

  /** Where the records of a collection are read. */
  readFrom(collection: string, source: Source<Entity>): void {
    this.#sources.set(collection, source);
  }

  override doubt(collection: string, id: string): void {
    const memory = this.recordsOf(collection);
    memory.forget(id);
    memory.records.delete(id);
  }

  override async follow(changes: JournalEntry["changes"]): Promise<void> {
    for (const [collection, list] of Map.groupBy(changes, (change) => change.collection)) {
      await this.#readAnew(collection, list.map(({ id }) => id));
    }
  }

  /** Does beforehand, in slices, what a large commit takes when it is done. */
  prepare(changes: readonly Change[], version: number): Awaitable<void> {
    return slices.run(sealed(changes, String(version)));
  }

  /** A commit of this process. */
  committed(changes: readonly Change[], version: number): void {
    const rev = String(version);
    const written = changes.filter((change) => change.kind !== "check");
    for (const [collection, list] of Map.groupBy(written, (change) => change.collection)) {
      this.recordsOf(collection).apply(list.map((change): Applied<Entity> => {
        if (change.kind === "remove") {
          return { id: change.before.id, record: null, rev, bytes: 0 };
        }
        const record = seal(change.after, rev);
        const bytes = list.length > BULK ? 0 : textBytes(JSON.stringify(record));
        return { id: record.id, record, rev, bytes };
      }));
    }
  }

  /** For a commit that the journal has already overtaken: others may have changed the same records since. */
  lost(changes: readonly Change[]): void {
    for (const { collection } of changes) this.recordsOf(collection).reset();
  }

  async #readAnew(collection: string, ids: readonly string[]): Promise<void> {
    const memory = this.recordsOf(collection);
    if (ids.length > MAX_REREAD) return memory.reset();
    for (;;) {
      const { version } = memory;
      const stored = await this.#sources.get(collection)!.records(ids);
      // A commit of this process came between, so what was read may be out of date: it is read again.
      if (version !== memory.version) continue;
      return memory.apply(ids.map((id, n): Applied<Entity> => {
        const found = stored[n];
        return {
          id,
          record: found?.record ?? null,
          rev: found?.record.rev ?? "",
          bytes: found ? textBytes(found.text) : 0,
        };
      }));
    }
  }
}

function* sealed(changes: readonly Change[], rev: string): Work<void> {
  for (const [n, change] of changes.entries()) {
    if (change.kind === "insert" || change.kind === "update") seal(change.after, rev);
    if (n % PIECE === PIECE - 1) yield;
  }
}
