// Streams that read the journal by themselves, each at the pace of its reader, until they are up to date.
import { nextTurn } from "../../core/delay.ts";
import { semaphore } from "../../core/semaphore.ts";
import type { JournalEntry, Store } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { commitOf, isWithin, type Op } from "./event.ts";
import { isFading, type Item, itemsOf, type Start } from "./replay.ts";
import { seesAll } from "./sights.ts";
import type { EventStream, ShowRecord } from "./stream.ts";

export interface ReplayerOptions {
  readonly store: Store;
  readonly clock: () => Date;
  readonly show: ShowRecord;
  /** The newest entry that is being told to the streams that are up to date, or was. */
  readonly head: () => string;
}

/** Streams that read at a time, and entries that one reads before the next has its turn. */
const REPLAYS = { atATime: 8, entries: 500 };
/** Milliseconds that one of them holds the event loop: SQLite answers in the turn in which it is asked. */
const TURN = 5;

export class Replayer {
  readonly #replaying = semaphore(REPLAYS.atATime);
  /** The turns that they have asked for. */
  #turns: Promise<void> = Promise.resolve();
  #turnedAt = -Infinity;

  constructor(readonly options: ReplayerOptions) {}

  /**
   * Tells what comes behind the stream's position; then the stream joins the others.
   *
   * @returns Whether whole commits had come that it was not told of.
   */
  async catchUp(stream: EventStream, from: Start["kind"]): Promise<boolean> {
    const missed = commitOf(stream.position) < this.#head;
    // The last look and joining are in one turn: no entry comes in between.
    while (!stream.ended && (isWithin(stream.position) || stream.position < this.#head)) {
      await stream.room();
      await this.#replaying(() => this.#replaySome(stream, from));
    }
    stream.isLive = true;
    return missed;
  }

  async #replaySome(stream: EventStream, from: Start["kind"]): Promise<void> {
    const { store, clock } = this.options;
    if (isWithin(stream.position)) {
      // Read anew: whoever waits for a reader keeps no entry meanwhile.
      const entry = await store.entry(commitOf(stream.position));
      if (!entry) return this.beginAnew(stream);
      if (!await this.#tellAlone(stream, entry)) return;
    }
    await this.#takeTurns();
    let left = REPLAYS.entries;
    const { signal } = stream;
    for await (const entry of store.changes({ after: stream.position, signal })) {
      if (!isFading(entry, clock())) {
        if (from === "behind" && mayChangeRights(entry, stream.principal)) stream.doubtRights();
        if (!await this.#tellAlone(stream, entry)) return;
      } else if (from !== "earliest") return this.beginAnew(stream);
      stream.position = entry.seq;
      if (--left === 0 || stream.position >= this.#head || !stream.hasRoom) return;
      await this.#takeTurns();
    }
  }

  /** Waits for a turn of the event loop when this one has had its time. No two of them go on in the same one. */
  async #takeTurns(): Promise<void> {
    if (performance.now() - this.#turnedAt < TURN) return;
    await (this.#turns = this.#turns.then(nextTurn));
    this.#turnedAt = performance.now();
  }

  /** What came behind the stream's position is not all kept any more. */
  beginAnew(stream: EventStream): void {
    stream.place(this.#head, stream.frames.reset("too-old", null, this.#head));
    stream.position = this.#head;
  }

  /** Tells what of an entry comes behind the stream's position, while it has room. @returns Whether that was all. */
  async #tellAlone(stream: EventStream, entry: JournalEntry): Promise<boolean> {
    const { store, clock, show } = this.options;
    for await (const items of itemsOf(store, entry, clock, stream.position)) {
      for (const item of items) {
        if (stream.ended || !stream.hasRoom) return false;
        tellItem(stream, item, new Map(), show);
        stream.position = item.position;
      }
    }
    stream.position = entry.seq;
    return true;
  }

  get #head(): string {
    return this.options.head();
  }
}

/** Whether an entry may have changed what its reader may do: what their account and role were before is not known. */
function mayChangeRights({ changes }: JournalEntry, { user, role }: Principal): boolean {
  return changes.some(({ collection, id }) =>
    collection === "users" && id === user.id || collection === "roles" && id === role?.id
  );
}

/** @param ready The bytes of this item that other streams were sent. */
export function tellItem(
  stream: EventStream,
  { position, sight, reload }: Item,
  ready: Map<Op, Uint8Array>,
  show: ShowRecord,
): void {
  if (sight) return stream.tell(sight, ready, show);
  const isNamed = reload.userIds.includes(stream.principal.user.id);
  const told = reload.collections.filter((collection) =>
    stream.admits(collection) &&
    (isNamed || reload.managers && seesAll(stream.principal, collection))
  );
  if (told.length > 0) stream.place(position, stream.frames.reset("membership", told, position));
}
