// The memory of an engine whose database one process answers for: it holds what lists need of all records, and follows
// each commit in the same turn; what another process has written is read anew by the journal.
import type { Change, CollectionDeclaration, Entity, JournalEntry } from "../storage/port.ts";
import { type Applied, Memory as CollectionRecords } from "../storage/memory/memory.ts";
import { RecordsBudget, textBytes } from "../storage/memory/records.ts";
import type { Source } from "../storage/memory/source.ts";
import { seal } from "../storage/records.ts";
import { Memory } from "./memory.ts";

/** From more changes than this to one collection in a journal entry, its memory is filled anew. */
const BULK = 2000;

export class LocalMemory extends Memory {
  readonly #records = new Map<string, CollectionRecords<Entity>>();
  readonly #sources = new Map<string, Source<Entity>>();

  /** @param maxBytes How much memory records may take; answers to queries are not kept. */
  constructor(maxBytes: number, collections: Iterable<CollectionDeclaration<Entity>>) {
    super(0);
    const budget = new RecordsBudget(maxBytes);
    for (const declaration of collections) {
      this.#records.set(declaration.name, new CollectionRecords(declaration, budget));
    }
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
        return { id: record.id, record, rev, bytes: textBytes(JSON.stringify(record)) };
      }));
    }
  }

  /** For a commit that the journal has already overtaken: others may have changed the same records since. */
  lost(changes: readonly Change[]): void {
    for (const { collection } of changes) this.recordsOf(collection).reset();
  }

  async #readAnew(collection: string, ids: readonly string[]): Promise<void> {
    const memory = this.recordsOf(collection);
    if (ids.length > BULK) return memory.reset();
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
