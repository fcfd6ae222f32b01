// Webhooks at work in this process: while any is active, the journal is followed and what is due is sent. Without one,
// nothing is done for any write.
import { getLogger } from "@logtape/logtape";
import { tryEach } from "../../core/try_each.ts";
import { webhooks } from "../../models/webhooks.ts";
import type { Services } from "../services.ts";
import { Deliveries, type DeliveriesOptions } from "./deliveries.ts";
import { type JournalOptions, WebhookJournal } from "./journal.ts";
import type { WebhookWork } from "./work.ts";

const log = getLogger(["quarterdeck", "webhooks"]);

export class Webhooks implements WebhookWork {
  readonly #deliveries: Deliveries;
  readonly #journal: WebhookJournal;
  #following: { readonly end: AbortController; readonly done: Promise<void> } | null = null;
  #begun = false;
  #closed = false;
  /** How many were active when their collection had this generation. */
  #active: { readonly generation: number | null; readonly count: number } | null = null;

  constructor(readonly services: () => Services, options: DeliveriesOptions & JournalOptions = {}) {
    this.#deliveries = new Deliveries(services, options);
    this.#journal = new WebhookJournal(services, () => this.wake(), options);
  }

  /** Whether requests are on their way. */
  get busy(): boolean {
    return this.#deliveries.busy;
  }

  async look(): Promise<void> {
    if (this.#closed) return;
    this.#begun = true;
    if (await this.#countActive() === 0) return this.#following?.end.abort();
    this.#follow();
    await this.#deliveries.send();
  }

  wake(): void {
    if (!this.#begun || this.#closed) return;
    this.#deliveries.send().catch((error) => this.#report(error));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const following = this.#following;
    following?.end.abort();
    await tryEach([
      () => this.#deliveries.close(),
      async () => await following?.done,
      async () => following ? await this.#journal.leave() : undefined,
    ]);
  }

  async #countActive(): Promise<number> {
    const reader = this.services().store.from(webhooks);
    const generation = reader.generation();
    if (this.#active && generation !== null && generation === this.#active.generation) {
      return this.#active.count;
    }
    const count = await reader.count({ active: true });
    this.#active = { generation, count };
    return count;
  }

  /** In the background, until it ends by itself: the next look begins anew then. One that is ending is waited for. */
  #follow(): void {
    const before = this.#following;
    if (before && !before.end.signal.aborted) return;
    const end = new AbortController();
    const done = (before?.done ?? Promise.resolve())
      .then(() => this.#journal.follow(end.signal))
      .catch((error) => this.#report(error))
      .finally(() => {
        if (this.#following?.end === end) this.#following = null;
      });
    this.#following = { end, done };
  }

  #report(error: unknown): void {
    if (this.services().outages.counts(error)) return;
    log.error("Cannot follow the journal, or send, for webhooks", { error });
  }
}
