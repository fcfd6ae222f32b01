// Sends what is due. A delivery is claimed by a commit that puts off when it is due: whoever claims it sends it, and
// where that process ends meanwhile, another claims it after that time. What came of an attempt is a commit too.
import { getLogger } from "@logtape/logtape";
import { BoundedMap } from "../../core/bounded_map.ts";
import { KIB, MINUTE, SECOND } from "../../core/units.ts";
import {
  type DisabledReason,
  type Webhook,
  type WebhookAttempt,
  webhookDeliveries,
  type WebhookDelivery,
  webhooks,
} from "../../models/webhooks.ts";
import { StoreUnavailable, type Transaction } from "../../storage/port.ts";
import { isPublic } from "../events/event.ts";
import type { Services } from "../services.ts";
import { activeWebhooks, mailStop, ownerOf, planStop, stopWebhook } from "./hooks.ts";
import type { Resolve } from "./request.ts";
import { delayAfter, GIVEN_UP_AFTER, retryAfter } from "./schedule.ts";
import { secretSealer, secretsOf, signatureHeaders } from "./secrets.ts";

/** Requests on their way at a time: of a webhook, of one whose last delivery failed, of the process. */
const AT_ONCE = { webhook: 4, failing: 1, process: 100 };
/** Deliveries claimed in a commit. */
const CLAIMED = 50;
/** Milliseconds that a claim holds: twice the time limit of a request. */
const CLAIM = 30 * SECOND;
/** Attempts that a delivery keeps. */
const KEPT_ATTEMPTS = 20;
/** Bytes of a record that are sent along; of a larger one its id alone is told. */
const MAX_RECORD = 256 * KIB;
/** The type of the delivery that a person asks for to see whether the address answers. */
export const TEST_TYPE = "webhooks.test";

const log = getLogger(["quarterdeck", "webhooks"]);
const server = { userId: null };

export interface DeliveriesOptions {
  /** @default the system's */
  readonly resolve?: Resolve;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** What an attempt came to. */
interface Outcome extends WebhookAttempt {
  readonly delivered: boolean;
  readonly response?: string;
  /** Milliseconds that the address asks to wait. */
  readonly asked?: number;
}

export class Deliveries {
  /** How many requests are on their way, by webhook. */
  readonly #underWay = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #sending: Promise<void> | null = null;
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When each webhook's last delivery failed or not; what is in the store tells the same a little later. */
  readonly #failing = new BoundedMap<string, boolean>(1000);

  constructor(readonly services: () => Services, readonly options: DeliveriesOptions = {}) {}

  /** Whether requests are on their way. */
  get busy(): boolean {
    return this.#running.size > 0 || this.#sending !== null;
  }

  /** Begins to send what is due. Calls while that is looked for lead to one more look. */
  send(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    this.#again = true;
    return this.#sending ??= this.#sendAll().finally(() => this.#sending = null);
  }

  /** Ends the requests that are on their way; another process, or the next start, sends them at once. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#sending?.catch(() => {});
    await Promise.all(this.#running);
  }

  async #sendAll(): Promise<void> {
    while (this.#again && !this.#closing.signal.aborted) {
      this.#again = false;
      while (await this.#sendSome());
    }
  }

  /** @returns Whether there may be more that can be sent now. */
  async #sendSome(): Promise<boolean> {
    const { store, clock } = this.services();
    const hooks = new Map((await activeWebhooks(store)).map((hook) => [hook.id, hook]));
    const free = [...hooks.values()].filter((hook) => this.#roomOf(hook) > 0);
    const room = Math.min(CLAIMED, AT_ONCE.process - this.#running.size);
    if (free.length === 0 || room <= 0 || this.#closing.signal.aborted) return false;
    const webhookId = free.map(({ id }) => id);
    const { rows } = await store.from(webhookDeliveries).list({
      where: { webhookId, dueAt: { lte: clock().toISOString() } },
      sort: "dueAt",
      limit: CLAIMED,
    });
    const chosen = this.#choose(rows, hooks, room);
    for (const { delivery, hook } of await this.#claim(chosen)) this.#start(delivery, hook);
    if (chosen.length > 0) return true;
    await this.#waitForNext(webhookId);
    return false;
  }

  #roomOf(hook: Webhook): number {
    const failing = this.#failing.get(hook.id) ?? hook.failingSince !== undefined;
    const most = failing ? AT_ONCE.failing : AT_ONCE.webhook;
    return most - (this.#underWay.get(hook.id) ?? 0);
  }

  #choose(
    rows: readonly WebhookDelivery[],
    hooks: ReadonlyMap<string, Webhook>,
    room: number,
  ): readonly WebhookDelivery[] {
    const chosen: WebhookDelivery[] = [];
    const left = new Map<string, number>();
    for (const row of rows) {
      const hook = hooks.get(row.webhookId)!;
      const places = left.get(hook.id) ?? this.#roomOf(hook);
      if (places <= 0 || chosen.length >= room) continue;
      left.set(hook.id, places - 1);
      chosen.push(row);
    }
    return chosen;
  }

  /** What nobody else has claimed meanwhile, for webhooks that are still active. */
  #claim(chosen: readonly WebhookDelivery[]) {
    if (chosen.length === 0) return [];
    return this.services().store.transact(server, async (tx) => {
      const found = await tx.from(webhookDeliveries).getMany(chosen.map(({ id }) => id));
      const hooks = await tx.from(webhooks).getMany(chosen.map(({ webhookId }) => webhookId));
      const dueAt = new Date(Date.parse(tx.now) + CLAIM).toISOString();
      return found.flatMap((delivery, n) => {
        const hook = hooks[n];
        if (!hook?.active || !delivery?.dueAt || delivery.dueAt > tx.now) return [];
        return [{ delivery: tx.update(webhookDeliveries, delivery, { dueAt }), hook }];
      });
    });
  }

  /** Looks again when the next one is due. */
  async #waitForNext(webhookId: readonly string[]): Promise<void> {
    const { store, clock } = this.services();
    const where = { webhookId, status: "pending" };
    const { rows: [next] } = await store.from(webhookDeliveries).list({
      where,
      sort: "dueAt",
      limit: 1,
    });
    clearTimeout(this.#timer);
    if (next?.dueAt === undefined || this.#closing.signal.aborted) return;
    const wait = Date.parse(next.dueAt) - clock().getTime();
    this.#timer = setTimeout(() => this.#sendAgain(), Math.min(Math.max(wait, 0) + 1, MINUTE));
    Deno.unrefTimer(this.#timer);
  }

  #sendAgain(): void {
    this.send().catch((error) => this.#report(error));
  }

  #report(error: unknown): void {
    const { outages } = this.services();
    if (!outages.counts(error)) log.error("Cannot send to a webhook", { error });
  }

  #start(delivery: WebhookDelivery, hook: Webhook): void {
    const { id } = hook;
    this.#underWay.set(id, (this.#underWay.get(id) ?? 0) + 1);
    const run = this.#deliver(delivery, hook)
      // What cannot be written is sent once more when the claim has ended.
      .catch((error) => this.#report(error))
      .finally(() => {
        this.#running.delete(run);
        const left = this.#underWay.get(id)! - 1;
        if (left > 0) this.#underWay.set(id, left);
        else this.#underWay.delete(id);
        this.#sendAgain();
      });
    this.#running.add(run);
  }

  async #deliver(delivery: WebhookDelivery, hook: Webhook): Promise<void> {
    const services = this.services();
    const owner = await ownerOf(services.store, hook);
    if (owner === null) return await stopWebhook(services, hook.id, "owner");
    const sealer = secretSealer(services.settings);
    const secrets = secretsOf(sealer, hook, services.clock().toISOString());
    if (secrets === null) return await stopWebhook(services, hook.id, "secret");
    const body = await this.#bodyOf(delivery, hook, owner);
    const outcome = await this.#attempt(delivery, hook, secrets, body);
    if (outcome === null) return await this.#release(delivery);
    this.#failing.set(hook.id, !outcome.delivered);
    await this.#record(delivery, hook, outcome);
  }

  /** The body of the request, made anew for each attempt: it holds what the owner may see at that time. */
  async #bodyOf(
    { type, target, targetId, op, rev, at, actorId }: WebhookDelivery,
    { records: withRecord }: Webhook,
    owner: NonNullable<Awaited<ReturnType<typeof ownerOf>>>,
  ): Promise<string> {
    const event = { type, timestamp: at };
    if (target === undefined || targetId === undefined || !isPublic(target)) {
      return JSON.stringify({ ...event, data: { id: targetId } });
    }
    const data = { id: targetId, collection: target, op, at, rev, actor: actorId ?? null };
    const { records } = this.services();
    const wanted = withRecord && op !== "removed";
    const record = wanted ? await records.show(owner, target, targetId).catch(withoutRecord) : null;
    const start = JSON.stringify({ ...event, data }).slice(0, -2);
    const fits = record !== null && new TextEncoder().encode(record).length <= MAX_RECORD;
    return fits ? `${start},"record":${record}}}` : `${start}}}`;
  }

  /** Null when this process ends meanwhile. */
  async #attempt(
    delivery: WebhookDelivery,
    { url }: Webhook,
    secrets: readonly string[],
    body: string,
  ): Promise<Outcome | null> {
    // What makes connections is loaded when there is something to deliver.
    const { DeliveryError, post } = await import("./request.ts");
    const { id } = delivery;
    const { clock, settings } = this.services();
    const { signal } = this.#closing;
    const now = clock();
    const began = performance.now();
    const told = () => ({ at: now.toISOString(), duration: Math.round(performance.now() - began) });
    try {
      const headers = signatureHeaders(secrets, { id, body, now });
      const { allowPrivate } = settings.webhooks;
      const { resolve } = this.options;
      const request = () => post(url, { headers, body, allowPrivate, signal, resolve });
      const { status, retryAfter: header, body: response } = await this.#traced(delivery, request);
      const delivered = status >= 200 && status < 300;
      return { ...told(), status, delivered, response, asked: retryAfter(header, now) };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return signal.aborted ? null : { ...told(), error: error.message, delivered: false };
    }
  }

  /** Sends as a part of the trace of the request that the event comes of, where anything is traced. */
  #traced<R>({ id, type, traceparent }: WebhookDelivery, send: () => Promise<R>): Promise<R> {
    const { tracing } = this.services();
    if (tracing === null) return send();
    const attributes = { "quarterdeck.webhook.id": id, "quarterdeck.webhook.type": type };
    return tracing.within(traceparent, { name: `tell ${type}`, attributes }, send);
  }

  /** Gives up a claim. */
  async #release({ id, dueAt }: WebhookDelivery): Promise<void> {
    await this.services().store.transact(server, async (tx) => {
      const current = await tx.from(webhookDeliveries).get(id);
      if (current?.dueAt === dueAt) tx.update(webhookDeliveries, current!, { dueAt: tx.now });
    });
  }

  async #record(claimed: WebhookDelivery, { url }: Webhook, outcome: Outcome): Promise<void> {
    const services = this.services();
    const stopped = await services.store.transact(server, async (tx) => {
      const delivery = await tx.from(webhookDeliveries).get(claimed.id);
      const hook = await tx.from(webhooks).get(claimed.webhookId);
      // Someone else has claimed it since, or sends it again; or the webhook is gone, and with it what waits for it.
      if (!delivery || delivery.dueAt !== claimed.dueAt) return null;
      if (!hook) return tx.remove(webhookDeliveries, delivery) ?? null;
      // What an address answers says nothing of the one that its owner has put in its place meanwhile.
      const moved = hook.url !== url;
      this.#planOutcome(tx, delivery, outcome, moved);
      const reason = moved ? null : planHealth(tx, hook, outcome);
      return reason && { hook, reason };
    });
    if (stopped) await mailStop(services, stopped.hook, stopped.reason);
  }

  #planOutcome(
    tx: Transaction,
    delivery: WebhookDelivery,
    outcome: Outcome,
    moved: boolean,
  ): void {
    const { delivered, response, asked, ...attempt } = outcome;
    const attempts = delivery.attempts + 1;
    const history = [...delivery.history, JSON.stringify(attempt)].slice(-KEPT_ATTEMPTS);
    const wait = delivered || attempt.status === 410 && !moved
      ? null
      : delayAfter(attempts, asked, this.options.random);
    tx.update(webhookDeliveries, delivery, {
      attempts,
      history,
      response,
      status: delivered ? "delivered" : wait === null ? "failed" : "pending",
      deliveredAt: delivered ? tx.now : undefined,
      dueAt: wait === null ? undefined : new Date(Date.parse(tx.now) + wait).toISOString(),
    });
  }
}

/** What cannot be shown for a defect keeps nobody from being told of it. @throws {StoreUnavailable} */
function withoutRecord(error: unknown): null {
  if (error instanceof StoreUnavailable) throw error;
  log.error("Cannot show a record to a webhook", { error });
  return null;
}

/** Plans what an attempt says of its webhook. @returns Why it was stopped, if it was. */
function planHealth(tx: Transaction, hook: Webhook, outcome: Outcome): DisabledReason | null {
  if (outcome.delivered) {
    if (hook.failingSince !== undefined) tx.update(webhooks, hook, { failingSince: undefined });
    return null;
  }
  const since = hook.failingSince ?? tx.now;
  const failing = hook.failingSince === undefined
    ? tx.update(webhooks, hook, { failingSince: since })
    : hook;
  const reason = outcome.status === 410
    ? "gone"
    : Date.parse(tx.now) - Date.parse(since) >= GIVEN_UP_AFTER
    ? "failing"
    : null;
  if (reason === null || !hook.active) return null;
  planStop(tx, failing, reason);
  return reason;
}
