// How memory reads from Deno KV what it lacks of one collection.
import type { ParsedQuery } from "../storage/query.ts";
import type { Entity, Page } from "../storage/port.ts";
import type { Memory } from "../storage/memory/memory.ts";
import { FILL_BATCH, type Source, type Stored } from "../storage/memory/source.ts";
import type { UniqueValues } from "../storage/memory/unique_misses.ts";
import type { Access } from "./access.ts";
import { readHead } from "./head.ts";
import { countKey, MAX_ID_LENGTH, uniqueKey } from "./keys.ts";

export class KvSource<T extends Entity> implements Source<T> {
  readonly fillBatch = FILL_BATCH;
  readonly #name: string;

  constructor(readonly memory: Memory<T>, readonly access: Access) {
    this.#name = memory.declaration.name;
  }

  canHold(id: string): boolean {
    return id.length <= MAX_ID_LENGTH;
  }

  records(ids: readonly string[]): Promise<readonly (Stored<T> | null)[]> {
    return this.access.records<T>(this.#name, ids);
  }

  scan(after: string, limit: number): Promise<readonly Stored<T>[]> {
    return this.access.scan<T>(this.#name, after, limit);
  }

  async idsOf(
    unique: string,
    all: readonly UniqueValues[],
  ): Promise<readonly (string | null)[]> {
    const entries = await this.access.read(
      all.map((values) => uniqueKey(this.#name, unique, values)),
    );
    return entries.map(({ value }) => typeof value === "string" ? value : null);
  }

  /** Null when some records cannot be read: the stored count includes them, so only the records themselves tell. */
  async count(): Promise<number | null> {
    if (this.access.unreadable.has(this.#name)) return null;
    const [entry] = await this.access.read([countKey(this.#name)]);
    return Number((entry!.value as Deno.KvU64 | null)?.value ?? 0);
  }

  firstPage(query: ParsedQuery): Promise<Page<T> | null> {
    return readHead(this.memory, this.access, query);
  }
}
