// One open stream: what its reader may know, and the bytes that wait for it.
import { CutAnswer } from "../../core/outflow.ts";
import { MIB } from "../../core/units.ts";
import type { Principal } from "../access/access.ts";
import type { Op, PublicCollection } from "./event.ts";
import { frame, Frames } from "./frames.ts";
import type { RecordViews, Topic } from "./records.ts";
import { opFor, type Sight } from "./sights.ts";

/**
 * Bytes that may wait for a reader; with more it is cut off, and resumes. What the journal holds is not sent any more
 * while half of it waits.
 */
const MAX_WAITING = MIB;
/** Signs of life in a row at which a reader for whom half of that waits has taken nothing, until it is cut off. */
const MAX_STALLS = 4;
/** Events that may wait for their records to be read. */
const MAX_PENDING = 1000;

/** Rights may have changed: what they show is in no commit. */
const READ_ANEW = frame("reset", JSON.stringify({ reason: "permissions", collections: null }));

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
  /** Up to where it has been told, while it reads the journal by itself: of a commit, or within one. */
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
  /** Called when the reader may have taken something, or fewer events wait for their records. */
  #waiting: (() => void)[] = [];
  /** Bytes that were sent. */
  #given = 0;
  /** Bytes that the reader had taken at the last sign of life, and signs of life at which it was stalled in a row. */
  #taken = 0;
  #stalls = 0;
  /** Whether the reader was asked to read anew, since their rights may have changed while they were away. */
  #doubted = false;
  readonly #admitted = new Map<Topic, boolean>();
  readonly #aborting = new AbortController();

  /** @param onEnd Called once, whoever ends it. */
  constructor(
    public principal: Principal,
    readonly options: StreamOptions,
    readonly views: RecordViews,
    readonly onEnd: (stream: EventStream) => void,
    readonly frames = new Frames(),
  ) {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#wake(),
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

  /**
   * The caller as they are by now. Who may do more or less than before is to read anew what they follow: records come
   * and go with it that no commit concerns.
   */
  renew(principal: Principal): void {
    const held = rightsOf(this.principal);
    this.principal = principal;
    this.#admitted.clear();
    const isOther = held.symmetricDifference(rightsOf(principal)).size > 0;
    if (isOther && this.options.topics?.size !== 0) this.send(READ_ANEW);
  }

  /** Asks the reader to read anew, once: by then they are told of what they may do now. */
  doubtRights(): void {
    if (!this.#doubted) this.send(READ_ANEW);
    this.#doubted = true;
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
    return this.#ended || this.#bytesWaiting <= MAX_WAITING / 2 && this.#pending < MAX_PENDING / 2;
  }

  /** Resolves when there is room, or the stream has ended. */
  async room(): Promise<void> {
    while (!this.hasRoom) await this.#change();
  }

  get #bytesWaiting(): number {
    return MAX_WAITING - (this.#controller.desiredSize ?? MAX_WAITING);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) wake();
  }

  open(position: string): void {
    this.position = this.#sent = position;
    this.send(this.frames.opening(position));
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
      if (!bytes) ready.set(op, bytes = this.frames.record(sight.event, op, { rev }));
      return this.#inTurn(position, bytes);
    }
    this.#afterThose(async () => {
      // Records are far larger than events: half a thousand of them must not wait for the reader.
      while (!this.#ended && this.#bytesWaiting > MAX_WAITING / 2) await this.#change();
      const record = this.#ended ? null : await show(this.principal, collection, id);
      this.#write(position, this.frames.record(sight.event, op, { rev, record }));
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
    if (this.#isStalled()) return this.cut("the reader takes nothing");
    const moves = position !== null && this.#before === null && position > this.#sent &&
      !this.#sent.startsWith(`${position}-`);
    if (moves) this.#sent = position;
    this.send(this.frames.heartbeat(moves ? position : null));
  }

  /** Sends bytes now. */
  send(bytes: Uint8Array): void {
    if (this.#ended) return;
    const before = this.#bytesWaiting;
    this.#controller.enqueue(bytes);
    this.#given += bytes.byteLength;
    // One large record is no slowness of the reader, who would be cut at it again each time it came back.
    const isSlow = before > MAX_WAITING / 2 && this.#bytesWaiting > MAX_WAITING;
    if (isSlow) this.cut("the reader is too slow");
  }

  /** Whether the reader has taken nothing of much for some signs of life; to be asked once at each. */
  #isStalled(): boolean {
    const taken = this.#given - this.#bytesWaiting;
    const isStill = taken === this.#taken && this.#bytesWaiting > MAX_WAITING / 2;
    this.#stalls = isStill ? this.#stalls + 1 : 0;
    this.#taken = taken;
    return this.#stalls >= MAX_STALLS;
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
      this.#wake();
      if (this.#before === mine) this.#before = null;
    });
    this.#before = mine;
  }

  #over(): void {
    this.#ended = true;
    this.#wake();
    this.#aborting.abort();
    this.onEnd(this);
  }
}

/** What a caller may do; of what everyone may, the scopes of a key decide. */
function rightsOf({ permissions, key }: Principal): Set<string> {
  return new Set([...permissions, ...key?.scopes ?? []]);
}

/** The stream was broken off: its reader resumes. */
export class CutStream extends CutAnswer {
  override readonly name = "CutStream";
}
