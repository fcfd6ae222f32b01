// How memory follows a store that other processes write to: by the journal, in its order, one entry at a time.
import type { Entity, JournalEntry } from "../storage/port.ts";
import type { Access } from "./access.ts";
import { type Committed, insertedBy, type Memories } from "./commits.ts";
import type { Feed } from "./feed.ts";
import { type Journal, versionstampOf } from "./journal.ts";
import type { Applied, Memory } from "../storage/memory/memory.ts";
import { textBytes } from "../storage/memory/records.ts";
import type { Tails } from "../storage/tail.ts";

const BATCH = 100;
/** Milliseconds between looks at the journal; other processes may see an old state for two seconds at most. */
const POLL = 1000;
/** From more changes than this to one collection in an entry, its memory is reset and filled anew. */
const BULK = 2000;

export class Follower {
  /** This process's own commits whose journal entries it has not read yet, by position. */
  readonly #own = new Map<string, Committed>();
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(
    readonly journal: Journal,
    readonly feed: Feed,
    readonly access: Access,
    readonly memories: Memories,
    readonly tails: Tails,
  ) {
    this.#poll();
  }

  /** When it resolves, memory knows every commit that was done before the call. */
  catchUp(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#follow().finally(() => this.#running = null);
      return this.#running;
    }
    // The run that is under way may have read the journal too early.
    this.#next ??= this.#running.catch(() => {}).then(() => {
      this.#next = null;
      return this.catchUp();
    });
    return this.#next;
  }

  /** Follows the journal up to a commit of this process; when KV cannot be read, memory takes the commit alone. */
  async follow(committed: Committed): Promise<void> {
    this.#own.set(committed.seq, committed);
    try {
      await this.catchUp();
    } catch {
      this.#applyOwn(committed);
    } finally {
      this.#own.delete(committed.seq);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #poll(): void {
    this.#timer = setTimeout(async () => {
      // A lost connection needs no report here: requests that need to read will meet it themselves.
      await this.catchUp().catch(() => {});
      if (!this.#closed) this.#poll();
    }, POLL);
    Deno.unrefTimer(this.#timer);
  }

  async #follow(): Promise<void> {
    for (;;) {
      const entries = await this.journal.read(this.feed.position, BATCH);
      for (const entry of entries) {
        const own = this.#own.get(entry.seq);
        if (own) {
          this.#applyOwn(own);
          this.tails.add(this.feed.position, entry.seq, insertedBy(own));
        } else await this.#applyEntry(entry);
        this.feed.advance(entry.seq);
      }
      if (entries.length < BATCH) return;
    }
  }

  #applyOwn({ changes }: Committed): void {
    for (const [collection, applied] of changes) {
      const memory: Memory<Entity> = this.memories.get(collection)!;
      // Memory may hold a newer version already: earlier entries were followed by reading the records as they are now.
      memory.apply(applied.filter(({ id, rev }) => !((memory.records.revOf(id) ?? "") > rev)));
    }
  }

  async #applyEntry({ seq, changes }: JournalEntry): Promise<void> {
    for (const [collection, list] of Map.groupBy(changes, (change) => change.collection)) {
      const memory: Memory<Entity> | undefined = this.memories.get(collection);
      if (memory) await this.#refresh(memory, seq, list.map(({ id }) => id));
    }
  }

  async #refresh(memory: Memory<Entity>, seq: string, ids: readonly string[]): Promise<void> {
    if (ids.length > BULK) return memory.reset();
    const projected = memory.projection !== null || memory.building !== null;
    const stored = projected
      ? await this.access.records<Entity>(memory.declaration.name, ids)
      : ids.map(() => null);
    const applied = ids.map((id, n): Applied<Entity> => ({
      id,
      record: stored[n]?.record ?? null,
      rev: stored[n]?.record.rev ?? versionstampOf(seq),
      text: stored[n]?.text ?? null,
      bytes: stored[n] ? textBytes(stored[n].text) : 0,
    }));
    memory.apply(applied);
  }
}
