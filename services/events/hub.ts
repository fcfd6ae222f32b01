// Hands the journal out to all streams of this process: one reader for those that are up to date, and each that comes
// back catches up by itself before it joins them.
import { getLogger } from "@logtape/logtape";
import { delay } from "../../core/delay.ts";
import { ApiError } from "../../core/errors.ts";
import { semaphore } from "../../core/semaphore.ts";
import { standing } from "../../core/standing.ts";
import { SECOND } from "../../core/units.ts";
import type { JournalEntry, Store } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { assertUsable } from "../accounts/api_keys.ts";
import { principalInPlan } from "../accounts/principals.ts";
import type { Op } from "./event.ts";
import { countsIn, readersIn, Throttle, unreadOf } from "./figures.ts";
import { frame, Frames } from "./frames.ts";
import type { RecordViews } from "./records.ts";
import { type Item, itemsOf, type Start, startAt } from "./replay.ts";
import { Replayer, tellItem } from "./replayer.ts";
import { Roster } from "./roster.ts";
import { EventStream, type ShowRecord, type StreamOptions } from "./stream.ts";

export interface HubOptions {
  readonly store: Store;
  readonly views: RecordViews;
  readonly clock: () => Date;
  /** What the ids of this journal begin with: see `journalOf`. @default nothing */
  readonly journal?: string;
  /** Streams at a time: of this process, and of one user. */
  readonly limits: { readonly total: number; readonly perUser: number };
  /** Milliseconds between two signs of life on a stream. @default 15000 */
  readonly heartbeat?: number;
}

/** Milliseconds before the journal is read again after it could not be. */
const RETRY = 500;
/** Streams that are told before others get their turn on the event loop. */
const AT_A_TIME = 200;
/** Records that are read at a time to be sent along. */
const SHOWN_AT_A_TIME = 16;

const log = getLogger(["quarterdeck", "events"]);

export class EventHub {
  readonly #roster = new Roster();
  readonly #standing = new Map<EventStream, () => void>();
  /** The newest entry that is being handed out, or was. */
  #position = "";
  /** The newest entry that was handed out to all. */
  #told = "";
  /** Ends the reading that is under way; null while there are no streams. */
  #reading: AbortController | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;
  readonly #frames: Frames;
  readonly #show: ShowRecord;
  readonly #replayer: Replayer;
  readonly #unread = new Throttle((userId) => void this.#tellUnread(userId));
  readonly #dashboard = new Throttle(() => this.#tellDashboard());

  constructor(readonly options: HubOptions) {
    this.#frames = new Frames(options.journal);
    const showing = semaphore(SHOWN_AT_A_TIME);
    this.#show = (...asked) => showing(() => options.views.show(...asked));
    const { store, clock } = options;
    this.#replayer = new Replayer({ store, clock, show: this.#show, head: () => this.#position });
  }

  /** The id of a position of the journal, as clients have it. */
  idOf(position: string): string {
    return this.#frames.idOf(position);
  }

  /** How many streams are open. */
  get size(): number {
    return this.#roster.all.size;
  }

  /**
   * Opens a stream for a caller.
   *
   * @param lastEventId `earliest`, or the id after which it begins. @default with what comes
   * @throws {ApiError} VALIDATION_ERROR for an id that is none; RATE_LIMITED, UNAVAILABLE beyond the limits.
   */
  async open(
    principal: Principal,
    asked: StreamOptions,
    lastEventId?: string,
  ): Promise<ReadableStream<Uint8Array>> {
    this.#assertRoom(principal);
    const { store, clock } = this.options;
    const start = await startAt(store, this.#frames.journal, lastEventId, clock());
    this.#assertRoom(principal);
    const stream = this.#add(principal, asked);
    // What has changed of the caller since the request was let in was told to the streams that were there.
    await this.#renew(stream);
    if (!stream.ended) this.#begin(stream, start);
    return stream.body;
  }

  /**
   * Opens a stream for what is in no journal: whoever asks for it tells it. It counts as the others do, and ends as they
   * do.
   *
   * @throws {ApiError} RATE_LIMITED, UNAVAILABLE beyond the limits.
   */
  async openAside(
    principal: Principal,
    asked: Pick<StreamOptions, "ip" | "stays">,
  ): Promise<EventStream> {
    this.#assertRoom(principal);
    const stream = this.#add(principal, { topics: new Set(), records: false, ...asked });
    await this.#renew(stream);
    if (!stream.ended) stream.open("");
    return stream;
  }

  /** Ends all streams; their readers come again, elsewhere. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#roster.all) stream.end();
    this.#unread.close();
    this.#dashboard.close();
  }

  #assertRoom({ user }: Principal): void {
    const { total, perUser } = this.options.limits;
    const headers = { "retry-after": "10" };
    if (this.#closed || this.size >= total) {
      const message = "There are as many event streams as this server keeps: try again later";
      throw new ApiError("UNAVAILABLE", message, { headers });
    }
    if (this.#roster.of(user.id).size < perUser) return;
    const message = `You have ${perUser} event streams open, which is as many as one user may`;
    throw new ApiError("RATE_LIMITED", message, { headers });
  }

  #add(principal: Principal, asked: StreamOptions): EventStream {
    const over = (one: EventStream) => this.#over(one);
    const stream = new EventStream(principal, asked, this.options.views, over, this.#frames);
    this.#roster.add(stream);
    this.#standing.set(stream, standing.open());
    this.#read();
    return stream;
  }

  #over(stream: EventStream): void {
    this.#roster.remove(stream);
    this.#standing.get(stream)?.();
    this.#standing.delete(stream);
    if (this.size > 0) return;
    this.#reading?.abort();
    this.#reading = null;
    clearInterval(this.#timer);
  }

  #begin(stream: EventStream, start: Start): void {
    if (start.kind === "now" || start.kind === "anew") {
      stream.open(this.#position);
      if (start.kind === "anew") this.#replayer.beginAnew(stream);
      stream.isLive = true;
      return;
    }
    stream.open(start.kind === "behind" ? start.position : "");
    this.#follow(stream, start.kind);
  }

  /** A stream reads the journal by itself, until it is up to date. */
  #follow(stream: EventStream, from: Start["kind"]): void {
    this.#replayer.catchUp(stream, from).then((missed) => {
      if (!missed || stream.ended) return;
      this.#unread.ask(stream.principal.user.id);
      if (stream.admits("dashboard")) stream.send(dashboardFrame());
    }).catch((error) => {
      if (stream.ended) return;
      log.debug("Cannot replay events: {error}", { error });
      stream.cut("the journal cannot be read");
    });
  }

  /** Begins to read the journal, if nothing reads it yet. */
  #read(): void {
    if (this.#reading) return;
    const reading = this.#reading = new AbortController();
    this.#position = this.#told = this.options.store.position();
    this.#timer = setInterval(() => void this.#beat(), this.options.heartbeat ?? 15 * SECOND);
    this.#handOut(reading.signal).then(() => {
      // The store was closed: nothing will come any more.
      if (!reading.signal.aborted) { for (const stream of this.#roster.all) stream.end(); }
    });
  }

  async #handOut(signal: AbortSignal): Promise<void> {
    const { store } = this.options;
    for (;;) {
      try {
        for await (const entry of store.changes({ after: this.#position, signal })) {
          if (signal.aborted) return;
          this.#position = entry.seq;
          await this.#handOutEntry(entry, signal);
          if (signal.aborted) return;
          this.#told = entry.seq;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn("Cannot hand out events: {reason}", {
          reason: error instanceof Error ? error.message : String(error),
        });
        // What some were not told they get when they come again.
        for (const stream of this.#roster.all) if (stream.isLive) stream.cut("the store is away");
        await delay(RETRY, signal);
        this.#told = this.#position;
      }
    }
  }

  async #handOutEntry(entry: JournalEntry, signal: AbortSignal): Promise<void> {
    await this.#renewThose(entry);
    for (const userId of readersIn(entry)) {
      if (this.#roster.of(userId).size > 0) this.#unread.ask(userId);
    }
    if (countsIn(entry)) this.#dashboard.ask("");
    const { store, clock } = this.options;
    let before = `${entry.seq}-`;
    for await (const items of itemsOf(store, entry, clock)) {
      for (const item of items) {
        await this.#handOutItem(item, { entry, before, signal });
        if (signal.aborted) return;
        before = item.position;
      }
    }
  }

  /** @param before The position that all who are told of the item have been told up to. */
  async #handOutItem(
    item: Item,
    { entry, before, signal }: {
      readonly entry: JournalEntry;
      readonly before: string;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const ready = new Map<Op, Uint8Array>();
    let told = 0;
    for (const stream of this.#roster.concernedBy(item)) {
      if (signal.aborted) return;
      if (!stream.isLive || stream.position >= entry.seq) continue;
      if (stream.hasRoom) tellItem(stream, item, ready, this.#show);
      else this.#leaveBehind(stream, before);
      if (++told % AT_A_TIME === 0) await delay();
    }
  }

  /** A stream whose reader does not keep up reads the journal by itself, at the reader's pace. */
  #leaveBehind(stream: EventStream, position: string): void {
    stream.isLive = false;
    stream.position = position;
    this.#follow(stream, "behind");
  }

  /** Callers whose account, role, session or key an entry changes are looked at anew before they are told of it. */
  async #renewThose({ changes }: JournalEntry): Promise<void> {
    const concerned = new Set<EventStream>();
    for (const { collection, id, traits } of changes) {
      const userId = collection === "users" ? id : traits?.userId;
      if (collection === "users" || collection === "sessions" || collection === "apiKeys") {
        for (const stream of this.#roster.restingOn(userId ?? "")) concerned.add(stream);
      } else if (collection === "roles") {
        for (const stream of this.#roster.all) {
          if ((stream.principal.role?.id ?? id) === id) concerned.add(stream);
        }
      }
    }
    let renewed = 0;
    for (const stream of concerned) {
      await this.#renew(stream);
      if (++renewed % AT_A_TIME === 0) await delay();
    }
  }

  /** Ends the stream of a caller who would not be let in any more. */
  async #renew(stream: EventStream): Promise<void> {
    try {
      const principal = await principalInPlan(this.options.store, stream.principal);
      if (stream.ended) return;
      const stays = stream.options.stays ?? (() => true);
      if (principal === null || this.#hasExpired(principal, stream) || !stays(principal)) {
        return stream.end();
      }
      stream.renew(principal);
      this.#roster.sort(stream);
    } catch (error) {
      log.debug("Cannot look at a caller again: {error}", { error });
      stream.cut("the caller cannot be looked at");
    }
  }

  #hasExpired({ session, key }: Principal, { options: { ip } }: EventStream): boolean {
    const now = this.options.clock().toISOString();
    if (session !== null && session.expiresAt <= now) return true;
    try {
      if (key) assertUsable(key, now, ip);
      return false;
    } catch {
      return true;
    }
  }

  async #beat(): Promise<void> {
    let beaten = 0;
    for (const stream of this.#roster.all) {
      if (this.#hasExpired(stream.principal, stream)) stream.end();
      else stream.beat(stream.isLive ? this.#told : null);
      if (++beaten % AT_A_TIME === 0) await delay();
    }
  }

  async #tellUnread(userId: string): Promise<void> {
    const streams = [...this.#roster.of(userId)].filter((stream) => stream.admits("unread"));
    if (streams.length === 0) return;
    try {
      const { notifications, messages } = await unreadOf(this.options.store, userId);
      for (const stream of streams) {
        const shown = stream.mayRead("messages") ? { notifications, messages } : { notifications };
        stream.send(frame("unread.changed", JSON.stringify(shown)));
      }
    } catch (error) {
      log.debug("Cannot count what is unread: {error}", { error });
    }
  }

  #tellDashboard(): void {
    const bytes = dashboardFrame();
    for (const stream of this.#roster.seeing("dashboard")) stream.send(bytes);
  }
}

function dashboardFrame(): Uint8Array {
  return frame("dashboard.changed", "{}");
}
