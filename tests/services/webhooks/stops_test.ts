// Webhooks that the server stops by itself: too much waits for one, or its secret cannot be read any more.
import assert from "node:assert/strict";
import { DAY } from "../../../core/units.ts";
import { notifications } from "../../../models/notifications.ts";
import { webhookDeliveries, webhooks } from "../../../models/webhooks.ts";
import { Webhooks } from "../../../services/webhooks/webhooks.ts";
import type { Harness } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { until } from "../../until.ts";
import { openReceiver } from "../../webhook_receiver.ts";
import {
  addDocument,
  addHook,
  deliveries,
  ending,
  look,
  webhookEnv as env,
  webhookTest as test,
} from "../../webhook_scene.ts";

const server = { userId: null };

/** Deliveries that wait for a day. */
function addWaiting(h: Harness, webhookId: string, count: number): Promise<void> {
  return h.store.transact(server, (tx) => {
    const dueAt = new Date(Date.parse(tx.now) + DAY).toISOString();
    for (let n = 0; n < count; n++) {
      tx.insert(webhookDeliveries, {
        webhookId,
        type: "documents.created",
        at: tx.now,
        status: "pending",
        attempts: 1,
        dueAt,
        history: [],
      });
    }
  });
}

async function assertToldOf(h: Harness, id: string, why: RegExp): Promise<void> {
  const { rows } = await h.store.from(notifications).list({ where: { subjectId: id } });
  assert.equal(rows.length, 1);
  assert.equal(rows[0]!.userId, h.accounts.super.id);
  assert.match(rows[0]!.content, why);
  await until(() => h.mails.some(({ subject }) => subject === "A webhook was stopped"));
}

test(
  "so many wait for one that it is stopped: others are told, and what waited stays",
  async (h, receiver) => {
    const slow = await addHook(h, receiver, { events: ["documents.created"] });
    const other = await addHook(h, receiver, { events: ["documents.created"] });
    await addWaiting(h, slow.id, 5);
    await addWaiting(h, other.id, 4);
    const work = new Webhooks(() => h.app.services, { maxWaiting: 5 });
    try {
      await work.look();
      const { id } = await addDocument(h, "One more");
      await receiver.arrived(1);
      await until(async () => (await deliveries(h, "delivered")).length === 1);
      const [told] = await deliveries(h, "delivered");
      assert.deepEqual([told!.webhookId, told!.targetId], [other.id, id]);
      const stopped = await h.store.from(webhooks).get(slow.id);
      assert.deepEqual([stopped!.active, stopped!.disabledReason], [false, "backlog"]);
      assert.equal((await h.store.from(webhooks).get(other.id))!.active, true);
      const left = { webhookId: slow.id, status: "pending" };
      assert.equal(await h.store.from(webhookDeliveries).count(left), 5);
      await assertToldOf(h, slow.id, /too many wait/);
    } finally {
      await work.close();
    }
  },
);

test("a secret that cannot be read stops its webhook, until it is rotated", async (h, receiver) => {
  const { id } = await addHook(h, receiver, { events: ["documents.created"] });
  await h.store.transact(server, async (tx) => {
    const hook = await tx.from(webhooks).get(id);
    tx.update(webhooks, hook!, { secret: "sealed by another server" });
  });
  await look(h);
  const document = await addDocument(h, "Unsigned");
  await until(async () => (await h.store.from(webhooks).get(id))!.disabledReason === "secret");
  assert.equal(receiver.received.length, 0, "it was sent without a signature");
  await assertToldOf(h, id, /secret cannot be read/);

  const rotated = await h.ask("POST", `/api/webhooks/${id}/rotate`, { as: "super" });
  assert.equal(rotated.status, 200, rotated.text);
  const on = await h.ask("PUT", `/api/webhooks/${id}`, { as: "super", body: { active: true } });
  assert.equal(on.status, 200, on.text);
  h.clock.advance(DAY);
  await look(h);
  await receiver.arrived(1);
  assert.equal(receiver.received[0]!.event.data.id, document.id);
});

Deno.test("webhooks: one that is started again while its end is under way is told from then on", async () => {
  await using receiver = openReceiver();
  const h = await interposedHarness({ variant: "full", env });
  await ending(h, async () => {
    const { id } = await addHook(h, receiver, { events: ["documents.created"] });
    const ends = Promise.withResolvers<void>();
    const { changes } = h.store;
    h.store.changes = async function* (options) {
      yield* changes.call(h.store, options);
      await ends.promise;
    };
    await look(h);
    await addDocument(h, "First");
    await receiver.arrived(1);
    for (const active of [false, true]) {
      const body = { active };
      const { status } = await h.ask("PUT", `/api/webhooks/${id}`, { as: "super", body });
      assert.equal(status, 200);
      await look(h);
    }
    ends.resolve();
    await addDocument(h, "Second");
    await receiver.arrived(2);
  });
});
