// From the journal to deliveries: one for each event and each webhook that asks for it. The deliveries of an event and
// the position that they stand for are one commit, so that a crash loses none and makes none twice. Of several processes
// one does it at a time; it says so in the record of the position, and whoever finds it silent takes over.
import { SECOND } from "../../core/units.ts";
import {
  JOURNAL,
  type Webhook,
  webhookDeliveries,
  type WebhookDelivery,
  type WebhookPosition,
  webhookPositions,
} from "../../models/webhooks.ts";
import type { JournalEntry, NewRecord } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { eventsOf, type RecordEvent } from "../events/event.ts";
import { opFor, sightsOf } from "../events/sights.ts";
import type { Services } from "../services.ts";
import { activeWebhooks, asksFor, ownerOf, stopWebhook } from "./hooks.ts";

/** Milliseconds that a process has the journal for itself, and after which it says that it still does. */
const HELD = 30 * SECOND;
const RENEWED = 10 * SECOND;
/** Milliseconds after which a position is written though no delivery came of what was passed. */
const RESTED = 600 * SECOND;
/** Entries that are looked at together. */
const BATCH = 100;
/** Deliveries of a commit, about. */
const PER_COMMIT = 100;
/** Milliseconds between counts of the deliveries that wait for one webhook. */
const COUNTED = 10 * SECOND;

const server = { userId: null };

/** A webhook with what decides whether it is told. */
interface Listener {
  readonly hook: Webhook;
  readonly owner: Principal;
  /** Nothing at or before this position is told. */
  readonly since: string;
}

/** An entry of the journal that events follow from. */
interface Entry {
  readonly seq: string;
  readonly events: readonly RecordEvent[];
}

/** The deliveries of one event, and the place that is reached with them. */
interface Step {
  readonly place: Place;
  readonly deliveries: readonly NewRecord<WebhookDelivery>[];
}

export interface JournalOptions {
  /** Deliveries that may wait for one webhook before it is stopped. @default 50,000 */
  readonly maxWaiting?: number;
  /** Milliseconds between renewals. @default 10 s where others share the store, else 10 min */
  readonly renewed?: number;
}

type Place = Pick<WebhookPosition, "position" | "told">;

/** Another process has the journal now. */
class Lost extends Error {
  override readonly name = "Lost";
}

export class WebhookJournal {
  readonly #id = crypto.randomUUID();
  /** As it is stored. */
  #place: Place = { position: "" };
  /** The last entry that is done, in the store or not. */
  #reached = "";
  /** Settles when the write that is under way is done. */
  #writing: Promise<unknown> = Promise.resolve();
  readonly #countedAt = new Map<string, number>();
  readonly #maxWaiting: number;
  readonly #renewed: number | undefined;

  /** @param onDeliveries There is something to send. */
  constructor(
    readonly services: () => Services,
    readonly onDeliveries: () => void,
    { maxWaiting = 50_000, renewed }: JournalOptions = {},
  ) {
    this.#maxWaiting = maxWaiting;
    this.#renewed = renewed;
  }

  /**
   * Makes deliveries from where they were last made, until the signal aborts or another process does.
   *
   * @throws {StoreUnavailable}
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { store } = this.services();
    if (!await this.#take()) return;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.#renew().catch(() => lost.abort());
    }, this.#renewed ?? (store.shared ? RENEWED : RESTED));
    Deno.unrefTimer(renewal);
    try {
      await this.#read(await this.#start(), AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    } finally {
      clearInterval(renewal);
      await this.#writing.catch(() => {});
    }
  }

  /** Lets another process go on at once. */
  async leave(): Promise<void> {
    if (!this.services().store.shared) return;
    await this.services().store.transact(server, async (tx) => {
      const held = await tx.from(webhookPositions).get(JOURNAL);
      if (held?.holder !== this.#id) return;
      tx.update(webhookPositions, held, { holder: undefined, heldUntil: undefined });
    });
  }

  /** Whether this process has the journal. */
  async #take(): Promise<boolean> {
    const { store } = this.services();
    const position = store.position();
    const held = await store.transact(server, async (tx) => {
      const found = await tx.from(webhookPositions).get(JOURNAL);
      const mine = store.shared ? { holder: this.#id, heldUntil: this.#end(tx.now) } : {};
      // The webhooks came from another store, whose journal is not here.
      if (!found) return tx.insert(webhookPositions, { id: JOURNAL, position, ...mine });
      const taken = found.holder !== undefined && found.holder !== this.#id;
      if (taken && (found.heldUntil ?? "") > tx.now) return null;
      return store.shared ? tx.update(webhookPositions, found, mine) : found;
    });
    if (!held) return false;
    this.#place = { position: held.position, told: held.told };
    this.#reached = held.position;
    return true;
  }

  /** Where to begin reading: what lies before the first position of any webhook concerns none. */
  async #start(): Promise<string> {
    const { store } = this.services();
    const hooks = await activeWebhooks(store);
    const own = await store.from(webhookPositions).getMany(hooks.map(({ id }) => id));
    const first = own.map((one) => one?.position ?? "").sort()[0] ?? "";
    return first > this.#place.position ? first : this.#place.position;
  }

  async #read(after: string, signal: AbortSignal): Promise<void> {
    const { store } = this.services();
    let waiting: Entry[] = [];
    for await (const entry of store.changes({ after, signal })) {
      const found = this.#entry(entry);
      if (found) waiting.push(found);
      // What is committed one after the other is told together, but what is there is not kept for what may come.
      const last = entry.seq >= store.position();
      if (waiting.length > 0 && (last || waiting.length >= BATCH)) {
        await this.#tell(waiting);
        waiting = [];
      }
      if (waiting.length === 0) this.#reached = entry.seq;
    }
  }

  #entry(entry: JournalEntry): Entry | null {
    const { told = "" } = this.#place;
    const events = eventsOf(entry).filter(({ position }) => position > told);
    return events.length > 0 ? { seq: entry.seq, events } : null;
  }

  async #tell(entries: readonly Entry[]): Promise<void> {
    const listeners = await this.#listeners();
    if (listeners.length === 0) return;
    let steps: Step[] = [];
    let count = 0;
    for (const entry of entries) {
      for (const step of await this.#stepsOf(entry, listeners)) {
        steps.push(step);
        count += step.deliveries.length;
        if (count < PER_COMMIT) continue;
        await this.#write(steps);
        [steps, count] = [[], 0];
      }
    }
    if (count > 0) await this.#write(steps);
  }

  async #listeners(): Promise<readonly Listener[]> {
    const { store } = this.services();
    const hooks = await activeWebhooks(store);
    const positions = await store.from(webhookPositions).getMany(hooks.map(({ id }) => id));
    const listeners: Listener[] = [];
    for (const [n, hook] of hooks.entries()) {
      const owner = await ownerOf(store, hook);
      if (owner === null) await stopWebhook(this.services(), hook.id, "owner");
      else if (await this.#isOverrun(hook)) await stopWebhook(this.services(), hook.id, "backlog");
      else listeners.push({ hook, owner, since: positions[n]?.position ?? "" });
    }
    return listeners;
  }

  async #isOverrun({ id: webhookId }: Webhook): Promise<boolean> {
    const now = performance.now();
    if (now - (this.#countedAt.get(webhookId) ?? -Infinity) < COUNTED) return false;
    this.#countedAt.set(webhookId, now);
    const { store } = this.services();
    const where = { webhookId, status: "pending" };
    return await store.from(webhookDeliveries).count(where) >= this.#maxWaiting;
  }

  async #stepsOf({ seq, events }: Entry, listeners: readonly Listener[]): Promise<Step[]> {
    const { store, clock, records } = this.services();
    const told = listeners.filter(({ since }) => seq > since);
    // Who is told `created` or `removed` of what was only shared, or no longer is, is decided by who it is.
    const wanted = events.filter(({ collection }) =>
      told.some(({ hook }) =>
        ["created", "updated", "removed"].some((op) => asksFor(hook, `${collection}.${op}`))
      )
    );
    const now = clock().toISOString();
    const sights = await sightsOf(store, wanted, now);
    return sights.map((sight, n) => {
      const { event: { position, collection, id, at, actor, traceparent }, rev } = sight;
      const deliveries = told.flatMap(({ hook, owner }) => {
        const op = records.admits(owner, collection) ? opFor(sight, owner) : null;
        if (op === null || !asksFor(hook, `${collection}.${op}`)) return [];
        return [{
          webhookId: hook.id,
          type: `${collection}.${op}`,
          target: collection,
          targetId: id,
          op,
          rev: op === "removed" ? undefined : rev,
          at,
          actorId: actor ?? undefined,
          position,
          traceparent,
          status: "pending" as const,
          attempts: 0,
          dueAt: now,
          history: [],
        }];
      });
      const whole = n === sights.length - 1;
      const place = whole ? { position: seq } : { position: this.#reached, told: position };
      return { place, deliveries };
    });
  }

  async #write(steps: readonly Step[]): Promise<void> {
    const { place } = steps.at(-1)!;
    await this.#move(() => place, steps.flatMap(({ deliveries }) => deliveries));
    this.onDeliveries();
  }

  async #renew(): Promise<void> {
    const { shared } = this.services().store;
    if (!shared && this.#furthest() === this.#place) return;
    await this.#move(() => this.#furthest(), []);
  }

  /** What is read may be ahead of what is written, and is behind it while some of it is being told. */
  #furthest(): Place {
    const { position, told } = this.#place;
    const ahead = told === undefined && this.#reached > position;
    return ahead ? { position: this.#reached } : this.#place;
  }

  /**
   * Commits deliveries with the place that is reached by them.
   *
   * @param reached Asked when what was written before is there.
   * @throws {Lost}
   */
  async #move(
    reached: () => Place,
    deliveries: readonly NewRecord<WebhookDelivery>[],
  ): Promise<void> {
    const { store } = this.services();
    const write = this.#writing.catch(() => {}).then(() => {
      const place = reached();
      return store.transact(server, async (tx) => {
        const held = await tx.from(webhookPositions).get(JOURNAL);
        const known = held?.position === this.#place.position && held?.told === this.#place.told;
        if (!held || !known || store.shared && held.holder !== this.#id) throw new Lost();
        const heldUntil = store.shared ? this.#end(tx.now) : undefined;
        tx.update(webhookPositions, held, { told: undefined, ...place, heldUntil });
        for (const delivery of deliveries) tx.insert(webhookDeliveries, delivery);
      }).then(() => this.#place = place);
    });
    this.#writing = write;
    await write;
  }

  #end(now: string): string {
    return new Date(Date.parse(now) + HELD).toISOString();
  }
}
