// A webhook at work: the application with a receiver that its webhooks are told to.
import assert from "node:assert/strict";
import { webhookDeliveries } from "../models/webhooks.ts";
import { type Account, type Harness, harness, type HarnessOptions } from "./harness.ts";
import { openReceiver, type Receiver } from "./webhook_receiver.ts";

export const webhookEnv = { WEBHOOK_ALLOW_PRIVATE: "true", RATE_LIMIT: "false" };

export const open = (options: HarnessOptions = {}) =>
  harness({ variant: "full", ...options, env: { ...webhookEnv, ...options.env } });

export async function addHook(h: Harness, receiver: Receiver, fields = {}, as: Account = "super") {
  const body = { url: receiver.url, events: ["*"], ...fields };
  const reply = await h.ask("POST", "/api/webhooks", { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string; secret: string };
}

export async function addDocument(h: Harness, title: string, as: Account = "super") {
  const reply = await h.ask("POST", "/api/documents", { as, body: { title, content: title } });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string };
}

export const look = (h: Harness) => h.app.services.webhooks.look();

/** Deliveries in this state, oldest first. */
export async function deliveries(h: Harness, status?: "pending" | "delivered" | "failed") {
  const where = status === undefined ? {} : { status };
  const { rows } = await h.store.from(webhookDeliveries).list({
    where,
    sort: "createdAt",
    limit: 100,
  });
  return rows;
}

/** The delivery that was made first. */
export async function oldest(h: Harness) {
  const [first] = await deliveries(h);
  return first ?? assert.fail("there is no delivery");
}

/** Ends what works in the background, then the harness. */
export async function ending(h: Harness, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    await h.app.services.webhooks.close();
    await h[Symbol.asyncDispose]();
  }
}

export function webhookTest(name: string, run: (h: Harness, receiver: Receiver) => Promise<void>) {
  Deno.test(`webhooks: ${name}`, async () => {
    await using receiver = openReceiver();
    const h = await open();
    await ending(h, () => run(h, receiver));
  });
}
