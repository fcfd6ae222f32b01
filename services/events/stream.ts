// One open stream: what its reader may know, and the bytes that wait for it.
import { CutAnswer } from "../../core/outflow.ts";
import { MIB } from "../../core/units.ts";
import type { Principal } from "../access/access.ts";
import type { Op, PublicCollection } from "./event.ts";
import { heartbeat, opening, recordFrame } from "./frames.ts";
import type { RecordViews, Topic } from "./records.ts";
import { opFor, type Sight } from "./sights.ts";

/** Bytes that may wait for a reader; whoever takes them more slowly is cut off, and resumes. */
const MAX_WAITING = MIB;
/** Events that may wait for their records to be read. */
const MAX_PENDING = 1000;

export interface StreamOptions {
  /** What it tells of; null: everything. */
  readonly topics: ReadonlySet<Topic> | null;
  /** Whether events carry the record. */
  readonly records: boolean;
  /** The address of the client: API keys may be for some alone. */
  readonly ip: string;
  /** Whether a reader whose rights have changed may still have it. @default always */
  readonly stays?: (principal: Principal) => boolean;
}

/** Reads a record for a reader, with others at a time. */
export type ShowRecord = RecordViews["show"];

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Up to where it has been told. */
  position = "";
  /** Whether the shared reader of the journal serves it; until then it reads the journal by itself. */
  isLive = false;
  #ended = false;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  /** The last id that was sent. */
  #sent = "";
  /** Settles when the events before have been sent; null while nothing waits for a record. */
  #before: Promise<void> | null = null;
  #pending = 0;
  /** Called when the reader has taken something. */
  #taken: () => void = () => {};
  readonly #admitted = new Map<Topic, boolean>();
  readonly #aborting = new AbortController();

  /** @param onEnd Called once, whoever ends it. */
  constructor(
    public principal: Principal,
    readonly options: StreamOptions,
    readonly views: RecordViews,
    readonly onEnd: (stream: EventStream) => void,
  ) {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#taken(),
      cancel: () => this.#over(),
    }, { highWaterMark: MAX_WAITING, size: (chunk) => chunk.byteLength });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Aborts when the stream ends. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  /** The caller as they are by now. */
  renew(principal: Principal): void {
    this.principal = principal;
    this.#admitted.clear();
  }

  /** Whether it tells of this at all, as asked and as allowed. */
  admits(topic: Topic): boolean {
    return (this.options.topics?.has(topic) ?? true) && this.mayRead(topic);
  }

  /** Whether its reader may read of this, be it asked for or not. */
  mayRead(topic: Topic): boolean {
    let admitted = this.#admitted.get(topic);
    if (admitted === undefined) {
      this.#admitted.set(topic, admitted = this.views.admits(this.principal, topic));
    }
    return admitted;
  }

  /** Whether so little waits for the reader that more may be read for them. */
  get hasRoom(): boolean {
    return this.#ended ||
      (this.#controller.desiredSize ?? 0) >= MAX_WAITING / 2 && this.#pending < MAX_PENDING / 2;
  }

  /** Resolves when there is room, or the stream has ended. */
  async room(): Promise<void> {
    while (!this.hasRoom) await new Promise<void>((resolve) => this.#taken = resolve);
  }

  open(position: string): void {
    this.position = this.#sent = position;
    this.send(opening(position));
  }

  /**
   * Tells of an event what its reader may know of it.
   *
   * @param ready The bytes of events without a record, by what they tell: they are the same for all streams.
   */
  tell(sight: Sight, ready: Map<Op, Uint8Array>, show: ShowRecord): void {
    const { event: { collection, id, position }, rev } = sight;
    if (this.#ended) return;
    const op = opFor(sight, this.principal);
    if (op === null || !this.admits(collection) && !this.#isSelf(collection, id)) return;
    if (!this.options.records || op === "removed") {
      let bytes = ready.get(op);
      if (!bytes) ready.set(op, bytes = recordFrame(sight.event, op, { rev }));
      return this.#inTurn(position, bytes);
    }
    this.#afterThose(async () => {
      const record = this.#ended ? null : await show(this.principal, collection, id);
      this.#write(position, recordFrame(sight.event, op, { rev, record }));
    });
  }

  /** Everyone signed in may know of their own account. */
  #isSelf(collection: PublicCollection, id: string): boolean {
    const { user, session } = this.principal;
    return collection === "users" && id === user.id && session !== null &&
      (this.options.topics?.has("users") ?? true);
  }

  /** Sends what has a place in the journal, after all that comes before it. */
  place(position: string, bytes: Uint8Array): void {
    this.#inTurn(position, bytes);
  }

  /** @param position Up to where all was told that this reader may know; null: more may be on its way. */
  beat(position: string | null): void {
    const moves = position !== null && this.#before === null && position > this.#sent &&
      !this.#sent.startsWith(`${position}-`);
    if (moves) this.#sent = position;
    this.send(heartbeat(moves ? position : null));
  }

  /** Sends bytes now. */
  send(bytes: Uint8Array): void {
    if (this.#ended) return;
    this.#controller.enqueue(bytes);
    if ((this.#controller.desiredSize ?? 0) < 0) this.cut("the reader is too slow");
  }

  /** Ends it as if all were told: the client comes again. */
  end(): void {
    if (this.#ended) return;
    this.#over();
    this.#controller.close();
  }

  /** Breaks it off without what waits. */
  cut(reason: string): void {
    if (this.#ended) return;
    this.#over();
    this.#controller.error(new CutStream(`Cannot send events: ${reason}`));
  }

  #inTurn(position: string, bytes: Uint8Array): void {
    if (this.#before === null) this.#write(position, bytes);
    else this.#afterThose(() => this.#write(position, bytes));
  }

  #write(position: string, bytes: Uint8Array): void {
    this.#sent = position;
    this.send(bytes);
  }

  #afterThose(step: () => Promise<void> | void): void {
    if (++this.#pending > MAX_PENDING) return this.cut("too many records wait");
    const mine = (this.#before ?? Promise.resolve()).then(step).catch(() =>
      // Without the record the event would be another one: the client comes again, and gets both.
      this.cut("a record cannot be read")
    ).finally(() => {
      this.#pending--;
      this.#taken();
      if (this.#before === mine) this.#before = null;
    });
    this.#before = mine;
  }

  #over(): void {
    this.#ended = true;
    this.#taken();
    this.#aborting.abort();
    this.onEnd(this);
  }
}

/** The stream was broken off: its reader resumes. */
export class CutStream extends CutAnswer {
  override readonly name = "CutStream";
}
