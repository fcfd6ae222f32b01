// Quotas: how seldom they count, what they hold while it is in flight, and how far processes pass them together.
import assert from "node:assert/strict";
import { events } from "../../../models/calendar.ts";
import { type Document, documents } from "../../../models/documents.ts";
import { storageUsage } from "../../../models/files.ts";
import type { Principal } from "../../../services/access/access.ts";
import { Quotas } from "../../../services/quotas/quotas.ts";
import type { NewRecord, Store, Transaction } from "../../../storage/port.ts";

const event = {
  title: "E",
  start: "",
  end: "",
  type: "task",
  allDay: false,
  ownerId: "u",
} as const;

/** A store in which nothing that is written is ever seen, and how often it was asked. */
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

interface Limits {
  readonly records?: number;
  readonly bytes?: number;
  readonly elapsed?: () => number;
  readonly rateLimits?: boolean;
}

function quotas(store: Store, limits: Limits = {}) {
  const { records = 10_000, bytes = 1e9, elapsed = () => 0, rateLimits = false } = limits;
  return new Quotas({ store, records, bytes, elapsed, rateLimits });
}

/** A plan that inserts so many events, each of so many bytes. */
const inserting = (count: number, size = 0) => (tx: Transaction) => {
  for (let n = 0; n < count; n++) tx.insert(events, { ...event, size });
};

/** Leaves a plan in flight once it has run. @returns What ends it. */
async function inFlight(held: Quotas, plan: (tx: Transaction) => void) {
  const planned = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const settled = held.within(principal("calendar:*"), async (run) => {
    await run(tx, plan);
    planned.resolve();
    await ended;
  });
  await planned.promise;
  return async () => {
    end();
    await settled;
  };
}

async function write(held: Quotas, plan: (tx: Transaction) => void): Promise<void> {
  await held.within(principal("calendar:*"), async (run) => await run(tx, plan));
}

Deno.test("quotas: many writes count once, and again after a minute", async () => {
  const { store, asked } = emptyStore();
  let now = 1;
  const held = quotas(store, { records: 100_000, elapsed: () => now });
  await write(held, inserting(1));
  const round = asked.count;
  assert.ok(round > 0 && round < 20, `${round}`);
  for (let n = 0; n < 1000; n++) await write(held, inserting(1));
  assert.equal(asked.count, round);
  now += 60_001;
  await write(held, inserting(1));
  assert.equal(asked.count, 2 * round);
});

Deno.test("quotas: of writes at the same time only one counts", async () => {
  const { store, asked } = emptyStore();
  const held = quotas(store, { records: 100_000 });
  await write(held, inserting(1));
  const round = asked.count;
  const { store: fresh, asked: again } = emptyStore();
  const together = quotas(fresh, { records: 100_000 });
  await Promise.all(Array.from({ length: 100 }, () => write(together, inserting(1))));
  assert.equal(again.count, round);
});

Deno.test("quotas: what is in flight counts, and is let go when it fails", async () => {
  const { store } = emptyStore();
  const held = quotas(store, { records: 3 });
  const end = await inFlight(held, inserting(2));
  await assert.rejects(write(held, inserting(2)), /3 records/);
  await end();
  await write(held, inserting(3));
});

Deno.test("quotas: bytes of events and of files in flight count together", async () => {
  const { store } = emptyStore();
  const held = quotas(store, { bytes: 1000 });
  const uploading = (used: number) => (tx: Transaction) =>
    void tx.insert(storageUsage, { id: "u", used });
  const end = await inFlight(held, uploading(900));
  await assert.rejects(write(held, inserting(1, 101)), /101 bytes: 100 bytes are left/);
  await write(held, inserting(1, 100));
  await end();
  await write(held, inserting(1, 1000));
});

Deno.test("quotas: what is committed while another write counts is counted once", async () => {
  let committed = 0;
  let end: (() => Promise<void>) | null = null;
  const readerOf = ({ name }: { name: string }) => ({
    async count() {
      const commit = end;
      end = null;
      if (commit) committed = 1;
      await commit?.();
      return name === events.name ? committed : 0;
    },
    get: () => null,
    aggregate: () => [],
  });
  const held = quotas({ from: readerOf } as unknown as Store, { records: 2 });
  const ending = await inFlight(held, inserting(1));
  end = ending;
  await write(held, inserting(1));
  await assert.rejects(write(held, inserting(2)), /2 records/);
});

Deno.test("quotas: a plan that runs again is held once", async () => {
  const { store } = emptyStore();
  const held = quotas(store, { records: 2 });
  await held.within(principal(), async (run) => {
    for (let tries = 0; tries < 5; tries++) await run(tx, inserting(2));
  });
  await write(held, inserting(2));
});

Deno.test("quotas: what a plan removes makes no room unless it is committed", async () => {
  const { store } = emptyStore();
  const held = quotas(store, { records: 2 });
  const removing = { ...tx, remove: () => {} } as unknown as Transaction;
  const before = { ...event, id: "e", createdAt: "", updatedAt: "", rev: "1" };
  const replacing = (tx: Transaction) => {
    for (let n = 0; n < 3; n++) tx.remove(events, before);
    tx.insert(documents, { title: "D", ownerId: "u", size: 10 } as NewRecord<Document>);
  };
  await write(held, inserting(1));
  const failing = held.within(principal(), async (run) => {
    await run(removing, replacing);
    await assert.rejects(write(held, inserting(3)), /2 records/, "while it is on its way");
    throw new Error("The commit fails");
  });
  await assert.rejects(failing, /The commit fails/);
  await assert.rejects(write(held, inserting(3)), /2 records/);
});

Deno.test("quotas: a record that a plan writes twice counts with what it is in the end", async () => {
  const { store } = emptyStore();
  const held = quotas(store, { bytes: 100 });
  const inPlace = {
    update: (_: unknown, before: object, patch: object) => Object.assign(before, patch),
  } as unknown as Transaction;
  const before = { ...event, id: "e", createdAt: "", updatedAt: "", rev: "1", size: 50 };
  const growing = (to: number) => (tx: Transaction) => {
    const once = tx.update(events, { ...before }, { size: 60 });
    tx.update(events, once, { size: to });
  };
  const grow = (to: number) =>
    held.within(principal(), async (run) => await run(inPlace, growing(to)));
  await grow(150);
  await assert.rejects(grow(151), /101 bytes: 100 bytes are left/);
});

Deno.test("quotas: what other processes write meanwhile is passed by no more than a grant", async () => {
  const { store } = emptyStore();
  for (const [size, most] of [[0, 1000], [64 * 1024, 16]] as const) {
    let theirs = 0;
    const counted = {
      count: () => theirs,
      get: () => null,
      aggregate: () => [{ key: "", count: theirs, sums: { size: theirs * 64 * 1024 } }],
    };
    Object.assign(store, { from: () => counted });
    const held = quotas(store, { records: 100_000 });
    await write(held, inserting(1, size));
    // Another process fills the quota.
    theirs = 100_000;
    let passed = 0;
    await assert.rejects(async () => {
      for (; passed <= most; passed++) await write(held, inserting(1, size));
    }, /100000 records|storage quota/);
    assert.equal(passed, most);
  }
});

Deno.test("quotas: changes of a day count while they are on their way, and not when they fail", async () => {
  const { store } = emptyStore();
  const held = quotas(store, { records: 2, rateLimits: true });
  const updating = { ...tx, update: () => before } as unknown as Transaction;
  const before = { ...event, id: "e", createdAt: "", updatedAt: "", rev: "1" };
  const commits = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  const change = ({ promise }: typeof commits[number]) =>
    held.within(principal(), async (run) => {
      // A plan that runs again counts once.
      for (let n = 0; n < 3; n++) await run(updating, (tx) => tx.update(events, before, {}));
      await promise;
    });
  const outcomes = commits.map((commit) => change(commit).then(() => "made", String));
  commits[0]!.reject(new Error("it fails"));
  assert.match(await outcomes[0]!, /it fails/);
  commits.slice(1).forEach(({ resolve }) => resolve());
  const told = await Promise.all(outcomes.slice(1));
  assert.equal(told.filter((one) => one === "made").length, 1);
  assert.equal(told.filter((one) => /You have made 2 changes/.test(one)).length, 8);
  const last = Promise.withResolvers<void>();
  last.resolve();
  await change(last);
  await assert.rejects(change(last), /You have made 2 changes/);
});

Deno.test("quotas: whoever may create users is held to none", async () => {
  const { store, asked } = emptyStore();
  const held = quotas(store, { records: 1 });
  for (const permission of ["users:create", "users:*", "*"]) {
    await held.within(principal(permission), async (run) => await run(tx, inserting(3)));
  }
  assert.equal(asked.count, 0);
  const other = held.within(principal("documents:*", "users:view"), async (run) => {
    await run(tx, inserting(3));
  });
  await assert.rejects(other, /1 records/);
});
