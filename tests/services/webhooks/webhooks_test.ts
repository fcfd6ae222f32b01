// Webhooks at work: what happens is told once it is committed, by a signature that the library verifies, again until it
// arrives, and only of what the owner may see.
import assert from "node:assert/strict";
import { Webhook as Verifier } from "standardwebhooks";
import { DAY, HOUR, MINUTE, SECOND } from "../../../core/units.ts";
import { notifications } from "../../../models/notifications.ts";
import { users } from "../../../models/users.ts";
import { webhookDeliveries, webhooks } from "../../../models/webhooks.ts";
import { sweep } from "../../../services/sweep.ts";
import { interposedHarness, killed } from "../../interposed.ts";
import { until } from "../../until.ts";
import { openReceiver, type Receiver } from "../../webhook_receiver.ts";
import {
  addDocument,
  addHook,
  deliveries,
  ending,
  look,
  oldest,
  webhookEnv as env,
  webhookTest as test,
} from "../../webhook_scene.ts";

test("an event is told with its record, signed as Standard Webhooks says", async (h, receiver) => {
  const { secret } = await addHook(h, receiver, { events: ["documents.*"] });
  await look(h);
  const document = await addDocument(h, "Log");
  await receiver.arrived(1);
  const [{ headers, body, event }] = receiver.received as [Receiver["received"][0]];
  // The test's clock stands far from the library's, which refuses what is old: it is signed anew by the same header.
  const seconds = Number(headers["webhook-timestamp"]);
  assert.equal(seconds, Math.floor(h.clock.now().getTime() / 1000));
  const signature = new Verifier(secret).sign(headers["webhook-id"]!, h.clock.now(), body);
  assert.equal(headers["webhook-signature"], signature);
  assert.deepEqual([event.type, event.data.id], ["documents.created", document.id]);
  assert.equal(event.data.actor, h.accounts.super.id);
  assert.equal(event.data.record.content, "Log");
  assert.equal(headers["content-type"], "application/json");
  await until(async () => (await deliveries(h, "delivered")).length === 1);
  const shown = await h.ask(
    "GET",
    `/api/webhooks/${(await deliveries(h))[0]!.webhookId}/deliveries`,
    {
      as: "super",
    },
  );
  assert.deepEqual([shown.data[0].id, shown.data[0].last.status], [headers["webhook-id"], 204]);
});

test("only what is asked for is told, and removals without the record", async (h, receiver) => {
  await addHook(h, receiver, { events: ["documents.removed", "teams.created"] });
  await look(h);
  const { id } = await addDocument(h, "Log");
  await h.ask("DELETE", `/api/documents/${id}`, { as: "super" });
  await h.ask("POST", "/api/teams", { as: "super", body: { name: "Crew" } });
  await receiver.arrived(2);
  const told = receiver.received.map(({ event }) => event.type).sort();
  assert.deepEqual(told, ["documents.removed", "teams.created"]);
  const removed = receiver.received.find(({ event }) => event.type === "documents.removed")!;
  assert.deepEqual([removed.event.data.id, removed.event.data.record], [id, undefined]);
});

test("nothing is told that its owner may not see", async (h, receiver) => {
  await h.grant("user", "webhooks:view", "webhooks:create", "documents:create");
  await addHook(h, receiver, {}, "user");
  await look(h);
  await addDocument(h, "Not for them", "admin");
  await h.ask("POST", "/api/messages", {
    as: "super",
    body: { recipientId: h.accounts.admin.id, content: "Between us" },
  });
  const own = await addDocument(h, "Theirs", "user");
  await until(async () => (await deliveries(h)).some(({ targetId }) => targetId === own.id));
  assert.deepEqual((await deliveries(h)).map(({ targetId }) => targetId), [own.id]);
  await receiver.arrived(1);
  assert.ok(receiver.received.every(({ body }) => !/Not for them|Between us/.test(body)));
});

test(
  "an owner who may not have webhooks any more is told nothing, and finds theirs stopped",
  async (h, receiver) => {
    await h.grant("user", "webhooks:view", "webhooks:create", "documents:create");
    const { id } = await addHook(h, receiver, {}, "user");
    await h.store.transact({ userId: null }, async (tx) => {
      const user = await tx.from(users).get(h.accounts.user.id);
      tx.update(users, user!, { permissions: ["documents:create"] });
    });
    await look(h);
    await addDocument(h, "Log", "user");
    await until(async () => (await h.store.from(webhooks).get(id))!.disabledReason === "owner");
    assert.deepEqual(await deliveries(h), []);
    assert.equal(receiver.received.length, 0);
  },
);

test(
  "a delivery that fails is tried again by the schedule, under the same id",
  async (h, receiver) => {
    receiver.answer = () => new Response("not now", { status: 503 });
    const { id } = await addHook(h, receiver, { events: ["documents.*"] });
    await look(h);
    await addDocument(h, "Log");
    const waits = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR];
    for (const [n, wait] of waits.entries()) {
      await until(async () => (await deliveries(h))[0]?.attempts === n + 1);
      const { dueAt = "" } = await oldest(h);
      const delay = Date.parse(dueAt) - h.clock.now().getTime();
      assert.ok(delay >= wait && delay <= 1.1 * wait + 1, `${delay} after attempt ${n + 1}`);
      await look(h);
      assert.equal(receiver.received.length, n + 1, "sent before it is due");
      h.clock.advance(delay + 1);
      await look(h);
    }
    await receiver.arrived(5);
    await until(async () => (await deliveries(h))[0]?.attempts === 5);
    assert.equal(new Set(receiver.received.map((one) => one.id)).size, 1);
    assert.ok((await h.store.from(webhooks).get(id))!.failingSince);
    const { id: deliveryId } = await oldest(h);
    const details = await h.ask("GET", `/api/webhooks/${id}/deliveries/${deliveryId}`, {
      as: "super",
    });
    assert.equal(details.data.response, "not now");
    assert.deepEqual(details.data.history.map((one: { status: number }) => one.status), [
      503,
      503,
      503,
      503,
      503,
    ]);

    receiver.answer = () => new Response();
    h.clock.advance(6 * HOUR);
    await look(h);
    await until(async () => (await deliveries(h, "delivered")).length === 1);
    assert.equal((await h.store.from(webhooks).get(id))!.failingSince, undefined);
  },
);

test(
  "Retry-After is heeded, a redirect is a failure, and 410 stops the webhook",
  async (h, receiver) => {
    const { id } = await addHook(h, receiver, { events: ["documents.*"] });
    receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": "600" } });
    await look(h);
    await addDocument(h, "Log");
    await until(async () => (await deliveries(h))[0]?.attempts === 1);
    const { dueAt = "" } = await oldest(h);
    assert.equal(Date.parse(dueAt) - h.clock.now().getTime(), 600 * SECOND);

    receiver.answer = () => Response.redirect(receiver.url, 307);
    h.clock.advance(601 * SECOND);
    await look(h);
    await until(async () => (await deliveries(h))[0]?.attempts === 2);
    assert.equal(receiver.received.length, 2, "the redirect was followed");

    receiver.answer = () => new Response(null, { status: 410 });
    h.clock.advance(HOUR);
    await look(h);
    await until(async () => (await deliveries(h, "failed")).length === 1);
    const hook = await h.store.from(webhooks).get(id);
    assert.deepEqual([hook!.active, hook!.disabledReason], [false, "gone"]);
    const { rows: [told] } = await h.store.from(notifications).list({ where: { subjectId: id } });
    assert.equal(told!.userId, h.accounts.super.id);
    await until(() => h.mails.some(({ subject }) => subject === "A webhook was stopped"));
  },
);

test("a webhook that fails for five days is stopped", async (h, receiver) => {
  receiver.answer = () => new Response(null, { status: 500 });
  const { id } = await addHook(h, receiver, { events: ["documents.*"] });
  await look(h);
  await addDocument(h, "First");
  await until(async () => (await deliveries(h))[0]?.attempts === 1);
  h.clock.advance(5 * DAY);
  await addDocument(h, "Last").catch(() => {});
  await look(h);
  await until(async () => (await h.store.from(webhooks).get(id))!.disabledReason === "failing");
});

test("a rotated secret signs beside the one before, for a day", async (h, receiver) => {
  const { id, secret } = await addHook(h, receiver, { events: ["documents.*"] });
  const rotated = await h.ask("POST", `/api/webhooks/${id}/rotate`, { as: "super" });
  assert.equal(rotated.status, 200, rotated.text);
  await look(h);
  await addDocument(h, "Log");
  await receiver.arrived(1);
  const verify = ({ id, headers, body }: Receiver["received"][0], key: string) => {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    return headers["webhook-signature"]!.split(" ").includes(new Verifier(key).sign(id, at, body));
  };
  const [first] = receiver.received as [Receiver["received"][0]];
  assert.ok(verify(first, secret) && verify(first, rotated.data.secret));
  h.clock.advance(DAY + 1);
  await h.store.transact({ userId: h.accounts.super.id }, async (tx) => {
    const { id } = await oldest(h);
    const sent = await tx.from(webhookDeliveries).get(id);
    tx.update(webhookDeliveries, sent!, { status: "pending", attempts: 0, dueAt: tx.now });
  });
  await look(h);
  await receiver.arrived(2);
  const second = receiver.received[1]!;
  assert.ok(!verify(second, secret) && verify(second, rotated.data.secret));
});

test("what was committed while nobody looked is told, each once", async (h, receiver) => {
  await addHook(h, receiver, { events: ["documents.created"] });
  const made: string[] = [];
  for (let n = 0; n < 30; n++) made.push((await addDocument(h, `Document ${n}`)).id);
  await look(h);
  await receiver.arrived(30);
  await until(async () => (await deliveries(h, "delivered")).length === 30);
  assert.deepEqual(receiver.received.map(({ event }) => event.data.id).sort(), made.sort());
});

test(
  "a stopped webhook is told nothing of the time, and what waited goes out afterwards",
  async (h, receiver) => {
    receiver.answer = () => new Response(null, { status: 500 });
    const { id } = await addHook(h, receiver, { events: ["documents.created"] });
    await look(h);
    const waited = await addDocument(h, "Waited");
    await until(async () => (await deliveries(h))[0]?.attempts === 1);
    const set = (active: boolean) =>
      h.ask("PUT", `/api/webhooks/${id}`, { as: "super", body: { active } });
    assert.equal((await set(false)).status, 200);
    await addDocument(h, "Missed");
    await look(h);
    receiver.answer = () => new Response();
    receiver.received.length = 0;
    assert.equal((await set(true)).status, 200);
    const later = await addDocument(h, "Later");
    h.clock.advance(MINUTE);
    await look(h);
    await receiver.arrived(2);
    await until(async () => (await deliveries(h, "delivered")).length === 2);
    const told = receiver.received.map(({ event }) => event.data.id).sort();
    assert.deepEqual(told, [waited.id, later.id].sort());
  },
);

test("deliveries are sent again, one and those of a time", async (h, receiver) => {
  const { id } = await addHook(h, receiver, { events: ["documents.created"] });
  await look(h);
  for (const title of ["One", "Two", "Three"]) await addDocument(h, title);
  await until(async () => (await deliveries(h, "delivered")).length === 3);
  const [first] = await deliveries(h);
  const one = await h.ask("POST", `/api/webhooks/${id}/deliveries/${first!.id}/replay`, {
    as: "super",
  });
  assert.equal(one.status, 200, one.text);
  await receiver.arrived(4);
  assert.equal(receiver.received[3]!.id, first!.id);
  await until(async () => (await deliveries(h, "delivered")).length === 3);
  const range = await h.ask("POST", `/api/webhooks/${id}/replay`, {
    as: "super",
    body: { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z", status: "delivered" },
  });
  assert.deepEqual(range.data, { count: 3, nextCursor: null });
  await receiver.arrived(7);
});

test(
  "of a deleted webhook nothing more is sent, and the sweep removes what is left",
  async (h, receiver) => {
    receiver.answer = () => new Response(null, { status: 500 });
    const { id } = await addHook(h, receiver, { events: ["documents.created"] });
    await look(h);
    for (let n = 0; n < 60; n++) await addDocument(h, `Document ${n}`);
    await until(async () => (await h.store.from(webhookDeliveries).count()) === 60);
    await until(async () => (await deliveries(h)).some(({ attempts }) => attempts === 1));
    assert.equal((await h.ask("DELETE", `/api/webhooks/${id}`, { as: "super" })).status, 200);
    const sent = receiver.received.length;
    h.clock.advance(DAY);
    await look(h);
    assert.ok(receiver.received.length <= sent + 4, "no more than was on its way");
    await sweep(h.app.services, h.clock.now());
    assert.equal(await h.store.from(webhookDeliveries).count(), 0);
  },
);

test(
  "what is tried on outlives WEBHOOK_DAYS until it has arrived, but not for a stopped webhook",
  async (h, receiver) => {
    receiver.answer = () => new Response(null, { status: 500 });
    const tried = await addHook(h, receiver, { events: ["documents.created"] });
    const stopped = await addHook(h, receiver, { events: ["documents.created"] });
    await look(h);
    await addDocument(h, "Waits");
    await until(async () => (await deliveries(h)).filter((one) => one.attempts === 1).length === 2);
    await h.store.transact({ userId: null }, async (tx) => {
      tx.update(webhooks, (await tx.from(webhooks).get(stopped.id))!, { active: false });
    });
    const afterMonth = async () => {
      h.clock.advance(31 * DAY);
      await sweep(h.app.services, h.clock.now());
      return (await deliveries(h)).map(({ webhookId }) => webhookId);
    };
    assert.deepEqual(await afterMonth(), [tried.id]);
    receiver.answer = () => new Response();
    await look(h);
    await until(async () => (await deliveries(h, "delivered")).length === 1);
    assert.deepEqual(await afterMonth(), []);
  },
);

test(
  "what the address before answers, or did not, stops no webhook that leads elsewhere since",
  async (h, receiver) => {
    receiver.answer = () => new Response(null, { status: 500 });
    const { id } = await addHook(h, receiver, { events: ["documents.created"] });
    const hook = async () => (await h.store.from(webhooks).get(id))!;
    const lead = async (path: string) => {
      const body = { url: receiver.url + path };
      const reply = await h.ask("PUT", `/api/webhooks/${id}`, { as: "super", body });
      assert.equal(reply.status, 200, reply.text);
    };
    await look(h);
    await addDocument(h, "Fails");
    await until(async () => (await hook()).failingSince !== undefined);
    await lead("/second");
    assert.equal((await hook()).failingSince, undefined);
    const held = Promise.withResolvers<Response>();
    receiver.answer = () => held.promise;
    await addDocument(h, "Held");
    await receiver.arrived(2);
    await lead("/third");
    held.resolve(new Response(null, { status: 410 }));
    await until(async () => (await deliveries(h)).every(({ attempts }) => attempts === 1));
    assert.ok((await hook()).active);
    assert.equal((await deliveries(h, "pending")).length, 2, "both are tried on, there");
  },
);

Deno.test("webhooks: a process that ends around a commit loses no event and makes none twice", async () => {
  await using receiver = openReceiver();
  const h = await interposedHarness({ variant: "full", env });
  await ending(h, async () => {
    await addHook(h, receiver, { events: ["documents.created"] });
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await addDocument(h, `Document ${n}`)).id);
    const derives = (changes: readonly { collection: string; kind: string }[]) =>
      changes.some(({ collection, kind }) =>
        collection === webhookDeliveries.name && kind === "insert"
      );
    let cuts = 0;
    h.store.beforeCommit = (changes) => {
      if (derives(changes) && cuts++ === 0) throw killed();
    };
    h.store.afterCommit = (changes) => {
      if (derives(changes) && cuts === 2) throw killed();
    };
    await until(async () => {
      await look(h);
      return (await deliveries(h, "delivered")).length === 5;
    });
    assert.deepEqual((await deliveries(h)).map(({ targetId }) => targetId).sort(), made.sort());
  });
});

Deno.test("webhooks: without one, nothing is read or written for any write", async () => {
  const h = await interposedHarness({ variant: "full", env });
  await ending(h, async () => {
    let followed = 0;
    const { changes } = h.store;
    h.store.changes = (options) => (followed++, changes(options));
    await look(h);
    await addDocument(h, "Log");
    await look(h);
    assert.equal(followed, 0);
    assert.ok(
      h.store.committed.flat().every(({ collection }) => !collection.startsWith("webhook")),
    );
  });
});
