// Visits: counted in memory, written in batches day by day; what cannot be written is neither lost nor in the way.
import assert from "node:assert/strict";
import { visitors, visits } from "../../../models/dashboard.ts";
import { users } from "../../../models/users.ts";
import { createVisitCounter } from "../../../services/dashboard/visits.ts";
import type { Change } from "../../../storage/port.ts";
import { openOnEngine } from "../../engine.ts";
import { TestClock } from "../../harness.ts";
import { interposed, killed } from "../../interposed.ts";
import { addRoles } from "../../sql/databases.ts";
import { person, server } from "../../storage/people.ts";

const DAY = 24 * 60 * 60 * 1000;

async function setUp() {
  const clock = new TestClock("2026-11-21T10:00:00.000Z");
  const store = interposed(await openOnEngine(clock.now), clock.now);
  return {
    clock,
    store,
    counter: createVisitCounter(store, clock.now),
    async addUsers(...ids: string[]) {
      await addRoles(store);
      for (const id of ids) {
        await store.transact(server, (tx) => tx.insert(users, { ...person(id), id }));
      }
      store.committed.length = 0;
    },
    async written(date: string) {
      const day = await store.from(visits).get(date);
      return day && [day.visits, day.uniqueVisitors, day.pageViews];
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** Whether a commit is about the day. */
function isOf(date: string): (changes: readonly Change[]) => boolean {
  return (changes) =>
    changes.some((change) =>
      change.kind !== "check" && change.collection === "visits" &&
      ("after" in change ? change.after : change.before).id === date
    );
}

Deno.test("visits: added to what is there; a user counts once a day", async () => {
  await using s = await setUp();
  await s.addUsers("ann", "ben");
  for (const user of ["ann", "ann", "ben"]) s.counter.visit(user);
  s.counter.view();
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [3, 2, 1]);
  s.counter.visit("ann");
  s.counter.view();
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [4, 2, 2]);
  s.clock.advance(DAY);
  s.counter.visit("ann");
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-22"), [1, 1, 0]);
});

Deno.test("visits: nothing counted, nothing written", async () => {
  await using s = await setUp();
  await s.counter.flush();
  assert.equal(s.store.committed.length, 0);
});

Deno.test("visits: more users than a commit takes are all written", async () => {
  await using s = await setUp();
  const ids = Array.from({ length: 95 }, (_, n) => `user ${n}`);
  await s.addUsers(...ids);
  for (const id of ids) s.counter.visit(id);
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [95, 95, 0]);
  assert.equal(await s.store.from(visitors).count(), 95);
});

Deno.test("visits: when the first of two days fails, the second is written and the first is kept", async () => {
  await using s = await setUp();
  s.counter.visit("ann");
  s.clock.advance(DAY);
  s.counter.visit("ben");
  s.counter.view();
  const isFirst = isOf("2026-11-21");
  s.store.beforeCommit = (changes) => {
    if (isFirst(changes)) throw killed();
  };
  await assert.rejects(s.counter.flush(), { name: "StoreUnavailable" });
  assert.equal(await s.written("2026-11-21"), null);
  assert.deepEqual(await s.written("2026-11-22"), [1, 1, 1]);
  s.store.beforeCommit = null;
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [1, 1, 0]);
  assert.deepEqual(await s.written("2026-11-22"), [1, 1, 1]);
});

Deno.test("visits: an outage between two batches loses no visit and counts none twice", async () => {
  await using s = await setUp();
  await s.addUsers("user 3");
  for (let n = 0; n < 95; n++) s.counter.visit(`user ${n}`);
  s.counter.view();
  let commits = 0;
  s.store.beforeCommit = () => {
    if (++commits === 2) throw killed();
  };
  await assert.rejects(s.counter.flush());
  s.counter.visit("user 3");
  s.counter.visit("someone new");
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [97, 96, 1]);
});

Deno.test("visits: what is counted while others are written is not lost", async () => {
  await using s = await setUp();
  s.counter.visit("ann");
  s.store.beforeCommit = () => {
    s.store.beforeCommit = null;
    s.counter.visit("ben");
    s.counter.view();
  };
  await s.counter.flush();
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [2, 2, 1]);
});

Deno.test("visits: who was erased since they came is counted, and not named", async () => {
  await using s = await setUp();
  await s.addUsers("ann", "ben");
  const ben = await s.store.from(users).get("ben");
  await s.store.transact(server, (tx) => tx.update(users, ben!, { status: "inactive" }));
  for (const user of ["ann", "ben", "gone"]) s.counter.visit(user);
  await s.counter.flush();
  assert.deepEqual(await s.written("2026-11-21"), [3, 3, 0]);
  assert.deepEqual((await s.store.from(visitors).list()).rows.map(({ userId }) => userId), ["ann"]);
});
