// Quotas: how seldom they count, what they hold while it is in flight, and that a plan that runs again is held once.
import assert from "node:assert/strict";
import { events } from "../../models/calendar.ts";
import type { Principal } from "../../services/access/access.ts";
import { Quotas } from "../../services/quotas.ts";
import type { NewRecord, Store, Transaction } from "../../storage/port.ts";

const event = {
  title: "E",
  start: "",
  end: "",
  type: "task",
  allDay: false,
  ownerId: "u",
} as const;

/** A store in which everybody has nothing, and how often it was asked. */
function emptyStore() {
  const asked = { count: 0 };
  const reader = {
    count: () => (asked.count++, 0),
    get: () => null,
    aggregate: () => [],
  };
  return { asked, store: { from: () => reader } as unknown as Store };
}

const tx = {
  insert: (_: unknown, record: NewRecord<never>) => record,
} as unknown as Transaction;

function principal(...permissions: string[]): Principal {
  return { user: { id: "u" }, permissions } as unknown as Principal;
}

function quotas(store: Store, records: number, elapsed = () => 0) {
  return new Quotas({ store, records, bytes: 1000, elapsed, rateLimits: false });
}

/** Charges one plan that inserts so many events, and leaves it in flight. */
async function charge(held: Quotas, inserts: number) {
  const opened = held.open(principal("calendar:*"))!;
  await opened.run(tx, (tx) => {
    for (let n = 0; n < inserts; n++) tx.insert(events, event);
  });
  return opened;
}

Deno.test("quotas: many writes count once, and again after a minute", async () => {
  const { store, asked } = emptyStore();
  let now = 1;
  const held = quotas(store, 100_000, () => now);
  const write = async () => {
    const opened = await charge(held, 1);
    opened.done();
    opened.close();
  };
  await write();
  const round = asked.count;
  assert.ok(round > 0 && round < 20, `${round}`);
  for (let n = 0; n < 1000; n++) await write();
  assert.equal(asked.count, round);
  now += 60_001;
  await write();
  assert.equal(asked.count, 2 * round);
});

Deno.test("quotas: what is in flight counts, and is let go when it fails", async () => {
  const { store } = emptyStore();
  const held = quotas(store, 3);
  const first = await charge(held, 2);
  const refused = held.open(principal())!;
  const plan = (tx: Transaction) => void [tx.insert(events, event), tx.insert(events, event)];
  await assert.rejects(refused.run(tx, plan), /3 records/);
  refused.close();
  first.close();
  (await charge(held, 3)).close();
});

Deno.test("quotas: a plan that runs again is held once", async () => {
  const { store } = emptyStore();
  const held = quotas(store, 2);
  const opened = held.open(principal())!;
  const plan = (tx: Transaction) => void [tx.insert(events, event), tx.insert(events, event)];
  for (let tries = 0; tries < 5; tries++) await opened.run(tx, plan);
  opened.close();
  await (await charge(held, 2)).close();
});

Deno.test("quotas: whoever may create users is held to none", () => {
  const { store } = emptyStore();
  assert.equal(quotas(store, 1).open(principal("users:create")), null);
  assert.equal(quotas(store, 1).open(principal("users:*")), null);
  assert.notEqual(quotas(store, 1).open(principal("documents:*", "users:view")), null);
});
