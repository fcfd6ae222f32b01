// Plans that share a commit see each other as if each had one of its own: lists, counts, sums and unique values too.
import assert from "node:assert/strict";
import fc from "fast-check";
import { variants } from "../../config/variants.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { type User, users } from "../../models/users.ts";
import { seedRoles } from "../../services/accounts/first_start.ts";
import { type Store, type Transaction, UniqueConflict, type Where } from "../../storage/port.ts";
import { UnitOfWork } from "../../storage/unit_of_work.ts";
import { openOnEngine } from "../engine.ts";
import { addPerson, person, server } from "./people.ts";

const START = Date.UTC(2026, 0, 1);

const letters = fc.constantFrom("a", "b", "c", "d", "e", "f");
const patches = fc.record({
  username: fc.option(letters, { nil: undefined }),
  role: fc.constantFrom("user", "admin"),
  department: fc.option(fc.constantFrom("Ops", "R&D"), { nil: undefined }),
  lastLoginAt: fc.option(fc.constant("2026-01-01T00:00:00.000Z"), { nil: undefined }),
});
const acts = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), id: letters, patch: patches }),
  fc.record({ kind: fc.constant("update" as const), id: letters, patch: patches }),
  fc.record({ kind: fc.constant("remove" as const), id: letters, patch: patches }),
);
const steps = fc.array(fc.array(acts, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});
const wheres: fc.Arbitrary<Where<User>> = fc.constantFrom<Where<User>>(
  {},
  { role: "admin" },
  { department: null },
  { department: ["Ops", null], role: { ne: "user" } },
  { any: [{ role: "admin" }, { department: "R&D" }] },
);
const queries = fc.record({
  where: wheres,
  sort: fc.constantFrom("-createdAt", "name", "-lastLoginAt,name", "role"),
  limit: fc.integer({ min: 1, max: 4 }),
  search: fc.constantFrom("", "b", "person"),
});

type Act = typeof acts extends fc.Arbitrary<infer A> ? A : never;
type Query = typeof queries extends fc.Arbitrary<infer Q> ? Q : never;

/** Does what the state allows: what it does not is left. */
async function act(tx: Transaction, step: readonly Act[]): Promise<void> {
  const touched = new Set<string>();
  for (const { kind, id, patch } of step) {
    if (touched.has(id)) continue;
    touched.add(id);
    const known = await tx.from(users).get(id);
    const holder = patch.username && await tx.from(users).findBy("username", patch.username);
    const free = !holder && ![...touched].some((other) => other === `name ${patch.username}`);
    touched.add(`name ${patch.username}`);
    const fields = free ? patch : { ...patch, username: undefined };
    if (kind === "insert" && !known) tx.insert(users, { ...person(`person ${id}`), ...fields, id });
    if (kind === "update" && known) tx.update(users, known, fields);
    if (kind === "remove" && known) tx.remove(users, known);
  }
}

async function look(tx: Pick<Store, "from">, query: Query) {
  const pages = [];
  let cursor: string | undefined;
  do {
    const page = await tx.from(users).list({ ...query, cursor });
    pages.push({ total: page.total, rows: page.rows.map(bare) });
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  const second = await tx.from(users).list({ ...query, page: 2 });
  const reader = tx.from(users);
  return {
    pages,
    second: second.rows.map(bare),
    rows: (await reader.listRows(query)).rows.length,
    count: await reader.count(query.where),
    roles: await reader.aggregate({ by: "role", where: query.where }),
    days: await reader.aggregate({ by: "day" }),
    byName: bare(await reader.findBy("username", "a")),
    some: (await reader.getMany(["a", "x", "b"])).map(bare),
  };
}

/** Without its version, which differs from store to store. */
function bare(record: User | null) {
  return record && { ...record, rev: "" };
}

Deno.test("unit of work: each step reads what the steps before it would have committed", async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, queries, async (before, after, query) => {
      const clock = () => new Date(START);
      await using apart = await opened(clock);
      await using together = await opened(clock);
      for (const { store } of [apart, together]) {
        for (const step of before) await store.transact(server, (tx) => act(tx, step));
      }
      const wanted = [];
      for (const step of after) {
        await apart.store.transact(server, (tx) => act(tx, step));
        wanted.push(await look(apart.store, query));
      }
      const seen: unknown[] = [];
      await together.store.transact(server, async (tx) => {
        const unit = new UnitOfWork(tx);
        for (const [n, step] of after.entries()) {
          if (n > 0) await unit.step(async (tx) => seen.push(await look(tx, query)), new Map());
          await unit.step((tx) => act(tx, step), new Map());
        }
        await unit.step(async (tx) => seen.push(await look(tx, query)), new Map());
      });
      assert.deepEqual(seen, wanted);
      assert.deepEqual(await look(together.store, query), wanted.at(-1));
    }),
    { numRuns: Deno.env.has("TEST_ENGINE") ? 8 : 40 },
  );
});

Deno.test("unit of work: a step does not see its own writes, and what it got shows the later ones", async () => {
  await using at = await opened();
  const { store } = at;
  const ann = await addPerson(store, "Ann");
  const [first, second] = await store.transact(server, async (tx) => {
    const unit = new UnitOfWork(tx);
    const first = await unit.step(async (tx) => {
      const changed = tx.update(users, (await tx.from(users).get(ann.id))!, { department: "Ops" });
      assert.equal((await tx.from(users).get(ann.id))!.department, undefined);
      return changed;
    }, new Map());
    const second = await unit.step(async (tx) => {
      const known = (await tx.from(users).get(ann.id))!;
      const changed = tx.update(users, known, { department: "R&D" });
      assert.equal(known.department, "Ops");
      return changed;
    }, new Map());
    return [first, second];
  });
  const stored = await store.from(users).get(ann.id);
  assert.equal(stored!.department, "R&D");
  assert.deepEqual([first, second], [stored, stored]);
});

Deno.test("unit of work: sums count what is planned, and a record made and removed is nothing", async () => {
  await using at = await opened();
  const { store } = at;
  const kept = { requestHash: "h", expiresAt: new Date(START).toISOString() };
  await store.transact(server, (tx) => tx.insert(idempotentAnswers, { ...kept, size: 5 }));
  await store.transact(server, async (tx) => {
    const unit = new UnitOfWork(tx);
    const made = await unit.step(
      (tx) => tx.insert(idempotentAnswers, { ...kept, size: 7 }),
      new Map(),
    );
    const sum = (tx: Transaction) => tx.from(idempotentAnswers).aggregate({ sum: ["size"] });
    const [group] = await unit.step(sum, new Map());
    assert.deepEqual(group, { key: "", count: 2, sums: { size: 12 } });
    assert.equal(unit.size, 1);
    await unit.step(async (tx) => {
      tx.remove(idempotentAnswers, (await tx.from(idempotentAnswers).get(made.id))!);
    }, new Map());
    assert.equal(unit.size, 0);
    assert.equal((await unit.step(sum, new Map()))[0]!.count, 1);
  });
  assert.equal(await store.from(idempotentAnswers).count(), 1);
});

Deno.test("unit of work: two steps that take one unique value conflict at the second; a freed one is taken", async () => {
  await using at = await opened();
  const { store } = at;
  const ann = await addPerson(store, "Ann", { username: "ann" });
  await store.transact(server, async (tx) => {
    const unit = new UnitOfWork(tx);
    await unit.step((tx) => tx.update(users, ann, { username: "was-ann" }), new Map());
    const take = (name: string) =>
      unit.step((tx) => tx.insert(users, { ...person(name), username: "ann" }), new Map());
    await take("Bob");
    await assert.rejects(take("Cyd"), UniqueConflict);
    throw new Stop();
  }).catch(unlessStopped);
  await store.transact(server, async (tx) => {
    const unit = new UnitOfWork(tx);
    await unit.step((tx) => tx.update(users, ann, { username: "was-ann" }), new Map());
    await unit.step((tx) => tx.insert(users, { ...person("Bob"), username: "ann" }), new Map());
  });
  assert.equal((await store.from(users).findBy("username", "ann"))!.name, "Bob");
});

Deno.test("unit of work: what takes a stored value is found, and a step that runs again gives the same ids", async () => {
  await using at = await opened();
  const { store } = at;
  await addPerson(store, "Ann", { username: "ann" });
  let unit: UnitOfWork | undefined;
  const ids = [new Map<string, string[]>(), new Map<string, string[]>()];
  const made = new Set<string>();
  const failed = await store.transact(server, async (tx) => {
    unit = new UnitOfWork(tx);
    for (const [n, username] of ["bob", "ann"].entries()) {
      const plan = (tx: Transaction) => tx.insert(users, { ...person(username + n), username });
      made.add((await unit.step(plan, ids[n]!)).id);
    }
  }).catch((error) => error);
  assert.ok(failed instanceof UniqueConflict);
  assert.equal(await unit!.culpritOf(failed, store), 1);
  const again = await store.transact(server, async (tx) => {
    const plan = (tx: Transaction) => tx.insert(users, { ...person("Bob"), username: "bob" });
    return await new UnitOfWork(tx).step(plan, ids[0]!);
  });
  assert.ok(made.has(again.id));
});

class Stop extends Error {}

function unlessStopped(error: unknown): void {
  if (!(error instanceof Stop)) throw error;
}

/** A store with the roles that users refer to. */
async function opened(clock = () => new Date(START)) {
  const store = await openOnEngine(clock);
  await seedRoles(store, variants.compact!);
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
