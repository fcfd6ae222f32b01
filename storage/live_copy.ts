// Copies a store that others write to, as it is at one position of its journal: first all of it as it comes, then again
// and again what the journal tells was changed since, and in the end the little that is left while all writers wait.
import { delay } from "../core/delay.ts";
import { DAY, SECOND } from "../core/units.ts";
import { type Content, contents } from "../models/files.ts";
import {
  beginCopy,
  copiedCollections,
  CopyError,
  copyFile,
  copyRecords,
  describeDamaged,
} from "./copying.ts";
import { JOURNAL_RETENTION } from "./limits.ts";
import type { AnyCollection, LiveSource } from "./live.ts";
import { type JournalEntry, type Store, StoreFull, StoreUnavailable } from "./port.ts";
import type { Spool } from "./spool.ts";
import { markFinished } from "./state.ts";

/** Records that are read at a time: few enough when all are as long as they may be. */
const BATCH = 100;
/** Entries of the journal that are read at a time. */
const ENTRIES = 200;
/** With fewer changed records than this the copy is near enough to its source. */
const NEAR = 250;
/** What is read while all writers wait, at most: changed records, and milliseconds. */
const HELD = { records: 500, milliseconds: 2 * SECOND };
/** How often it is tried to come nearer, and to end. */
const TRIES = 10;
/** Milliseconds for which a store that cannot be reached is asked again, and between two times. */
const PATIENCE = 30 * SECOND;
const PAUSE = SECOND;
/** Milliseconds after which the journal may have lost what was changed since. */
const FORGETS = JOURNAL_RETENTION - DAY;

const OUTRUN = "others write to it faster than it is read; try again when less is written";
/** Records that cannot be read and that the message names. */
const MAX_NAMED = 10;

const byName = new Map(copiedCollections.map((one) => [one.name, one]));

/**
 * @param to An empty store; marked as unfinished until it is whole.
 * @param spool Where records are until they are of one position: before that, two of them may have the same unique value.
 * @returns The position in the journal of the source: everything up to there is in the copy, and nothing after.
 * @throws {CopyError}
 * @throws {StoreUnavailable}
 */
export async function copyLive(source: LiveSource, to: Store, spool: Spool): Promise<string> {
  await beginCopy(source, to);
  const position = await new LiveCopy(source, to, spool).run();
  await copyRecords(spool, to);
  await markFinished(to);
  return position;
}

class LiveCopy {
  /** Up to where the spool has followed the journal; it may hold what is later. */
  #position = "";
  /** When that was found, by `performance.now()`. */
  #at = 0;
  /** Ids of the blobs that are copied. */
  readonly #blobs = new Set<string>();

  constructor(readonly source: LiveSource, readonly to: Store, readonly spool: Spool) {}

  async run(): Promise<string> {
    this.#reached(await patiently(() => this.source.position()));
    for (const collection of copiedCollections) await this.#read(collection);
    for (let tries = 0; tries < TRIES; tries++) {
      await this.#catchUp();
      // They may take long, so that it is caught up once more.
      await this.#copyFiles();
      await this.#catchUp();
      if (!await this.#end() || !await this.#copyFiles()) continue;
      await this.#removeOthers();
      this.#assertReadable();
      return this.#position;
    }
    throw this.#failed(OUTRUN);
  }

  #reached(position: string): void {
    this.#position = position;
    this.#at = performance.now();
  }

  async #read(collection: AnyCollection): Promise<void> {
    for (let after = "";;) {
      const records = await patiently(() => this.source.scan(collection, after, BATCH));
      this.spool.set(collection.name, records.map((record) => [record.id, record]));
      if (records.length < BATCH) return;
      after = records.at(-1)!.id;
    }
  }

  /** Follows the journal until little is left of it. @throws {CopyError} Others write faster. */
  async #catchUp(): Promise<void> {
    let least = Infinity;
    for (let fruitless = 0; fruitless < TRIES;) {
      const changed = await this.#follow();
      if (changed < NEAR) return;
      fruitless = changed < least ? 0 : fruitless + 1;
      least = Math.min(least, changed);
    }
    throw this.#failed(OUTRUN);
  }

  /** @returns How many records were changed between the position and what was the end when it began. */
  async #follow(): Promise<number> {
    if (performance.now() - this.#at > FORGETS) {
      throw this.#failed("it took so long that the journal does not tell all changes any more");
    }
    const end = await patiently(() => this.source.position());
    let changed = 0;
    while (end > this.#position) {
      const entries = await patiently(() => this.source.changes(this.#position, ENTRIES, end));
      changed += await patiently(() => this.#take(entries));
      this.#reached(entries.length < ENTRIES ? end : entries.at(-1)!.seq);
    }
    return changed;
  }

  /**
   * Reads again what entries tell of, as it is now.
   *
   * @param until By `performance.now()`: when no more is read. @default never
   * @returns How many records that were.
   */
  async #take(entries: readonly JournalEntry[], until = Infinity): Promise<number> {
    let taken = 0;
    const changes = entries.flatMap((entry) => entry.changes);
    for (const [name, list] of Map.groupBy(changes, ({ collection }) => collection)) {
      const collection = byName.get(name);
      if (!collection) continue;
      const ids = [...new Set(list.map(({ id }) => id))];
      taken += ids.length;
      for (let at = 0; at < ids.length && performance.now() < until; at += BATCH) {
        const some = ids.slice(at, at + BATCH);
        const records = await this.source.records(collection, some);
        this.spool.set(name, some.map((id, n) => [id, records[n]!]));
      }
    }
    return taken;
  }

  /** Follows the last of the journal while nobody writes. @returns Whether the spool is of one position then. */
  async #end(): Promise<boolean> {
    const end = await patiently(() => this.source.hold(() => this.#last()));
    if (end === null) return false;
    this.#reached(end);
    return true;
  }

  /** Null: it is too much to let everybody wait. */
  async #last(): Promise<string | null> {
    const until = performance.now() + HELD.milliseconds;
    const end = await this.source.position();
    if (end <= this.#position) return this.#position;
    const entries = await this.source.changes(this.#position, HELD.records, end);
    const changed = entries.reduce((sum, { changes }) => sum + changes.length, 0);
    if (entries.length >= HELD.records || changed > HELD.records) return null;
    await this.#take(entries, until);
    return performance.now() < until ? end : null;
  }

  /**
   * Copies the files of the spool that are not copied yet.
   *
   * @returns Whether all of them are now. Others may have removed one meanwhile, of which the journal tells.
   * @throws {CopyError} The bytes of one are not those that were uploaded.
   */
  async #copyFiles(): Promise<boolean> {
    const damaged = new Set<string>();
    let whole = true;
    for await (const { id: sha256, blobId, size } of this.spool.from(contents).scan()) {
      if (this.#blobs.has(blobId)) continue;
      const expected = { sha256, size };
      if (await this.#copyFile(blobId, expected)) this.#blobs.add(blobId);
      else if (await this.#isThere(sha256, blobId)) damaged.add(sha256);
      else whole = false;
    }
    if (damaged.size > 0) throw this.#failed(await describeDamaged(this.spool, damaged));
    return whole;
  }

  /** @returns Whether the source has its bytes. */
  async #copyFile(
    blobId: string,
    expected: { readonly sha256: string; readonly size: number },
  ): Promise<boolean> {
    try {
      return await patiently(() => copyFile(this.source, this.to, blobId, expected));
    } catch (error) {
      // In the middle of it, its bytes may have been removed.
      const gone = error instanceof StoreUnavailable;
      if (gone || await this.#isThere(expected.sha256, blobId)) throw error;
      return false;
    }
  }

  /** Whether the source has the file still: its bytes go after it. */
  async #isThere(sha256: string, blobId: string): Promise<boolean> {
    const [content] = await patiently(() => this.source.records(contents, [sha256]));
    return content !== null && (content as Content).blobId === blobId;
  }

  /** Removes the bytes of files that were removed since they were copied. */
  async #removeOthers(): Promise<void> {
    const others = new Set(this.#blobs);
    for await (const { blobId } of this.spool.from(contents).scan()) others.delete(blobId);
    for (const id of others) await this.to.blobs.remove(id);
  }

  #assertReadable(): void {
    const problems = this.source.unreadable();
    if (problems.length === 0) return;
    const shown = problems.slice(0, MAX_NAMED).join("; ");
    throw this.#failed(`of its records, ${problems.length} cannot be read: ${shown}`);
  }

  #failed(problem: string): CopyError {
    return new CopyError(`Cannot copy ${this.source.engine}: ${problem}`);
  }
}

/** Asks a store that cannot be reached once more. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const passes = error instanceof StoreUnavailable && !(error instanceof StoreFull);
      if (!passes || performance.now() > end) throw error;
      await delay(PAUSE);
    }
  }
}
