// The port: lists, counts and aggregates on a known set of records.
import assert from "node:assert/strict";
import { sales, tasks } from "../../models/dashboard.ts";
import { permissions } from "../../models/permissions.ts";
import { type User, users } from "../../models/users.ts";
import { everyByKey } from "../../storage/every_match.ts";
import { InvalidQuery, type ListQuery, type Store, type Where } from "../../storage/port.ts";
import { expectedGroups, expectedRows } from "./model.ts";
import { addPerson, server, storedPerson } from "./people.ts";
import type { StorageTest } from "./storage_test_case.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

/** 40 people: created on two days each week, some with a department, a login, names that share beginnings. */
async function fillPeople(store: Store): Promise<readonly User[]> {
  await store.load(
    users,
    Array.from({ length: 40 }, (_, i) => {
      const createdAt = new Date(START + Math.floor(i / 2) * 3.5 * DAY).toISOString();
      return storedPerson(`u${String(i * 7 % 40).padStart(2, "0")}`, createdAt, {
        name: ["Ann", "ann", "Bob 100%", "Ünal_x", "Zoë\\"][i % 5]! + (i % 3),
        email: `p${i}@${i % 4 ? "example.com" : "example.org"}`,
        role: ["user", "admin", "guest"][i % 3]!,
        status: (["active", "inactive", "suspended"] as const)[i % 7 % 3]!,
        ...(i % 4 ? { department: `D${i % 4}` } : {}),
        ...(i % 2 ? { lastLoginAt: new Date(START + i * DAY).toISOString() } : {}),
      });
    }),
  );
  return await Array.fromAsync(store.from(users).scan());
}

const wheres: readonly Where<User>[] = [
  {},
  { role: "admin" },
  { role: "nobody" },
  { role: ["admin", "guest"] },
  { role: [] },
  { department: null },
  { department: ["D1", null] },
  { role: "user", status: "active", department: "D2" },
  { id: ["u01", "u02", "none", "u01"] },
  { id: "u03" },
  { name: "Ann0" },
  { email: { gte: "p2", lt: "p3" } },
  { createdAt: { gte: "2026-02-01T00:00:00.000Z" } },
  { createdAt: { gt: "2026-01-10", lte: "2026-02-20" } },
  { lastLoginAt: { lt: "2026-01-20T00:00:00.000Z" } },
  { lastLoginAt: null },
  { any: [{ role: "admin" }, { id: ["u05", "u06"] }] },
  { any: [{ role: "admin", status: "active" }, { department: "D3" }], status: "active" },
  { any: [] },
  { any: [{}] },
  { status: undefined },
  { role: { ne: "admin" } },
  { role: { ne: ["admin", "guest", "nobody"] } },
  { role: { ne: [] } },
  { department: { ne: "D1" } },
  { department: { ne: ["D1", null] } },
  { department: { ne: null } },
  { department: { in: ["D1", "D2"], ne: "D2" } },
  { id: { ne: ["u01", "none"] } },
  { id: { in: ["u01", "u02", "u03"], gt: "u01" } },
  { name: { ne: "Ann0", gte: "Ann", lt: "B" } },
  { lastLoginAt: { ne: "2026-01-02T00:00:00.000Z" } },
  { lastLoginAt: { ne: "2026-01-02T00:00:00.000Z", lt: "2026-01-20T00:00:00.000Z" } },
  { lastLoginAt: { ne: "no time" } },
  { all: [] },
  { role: ["user", "admin"], all: [{ role: ["admin", "guest"] }, { status: "active" }] },
  { all: [{ any: [{ role: "admin" }, { id: "u05" }] }, { department: "D1" }] },
  {
    any: [{ role: "admin" }, { department: "D3" }],
    all: [{ any: [{ status: "active" }, { any: [{ id: "u05" }, { id: "u07" }] }] }],
  },
];

const queries: readonly ListQuery<User>[] = [
  ...wheres.map((where) => ({ where })),
  ...["id", "-id", "createdAt", "-updatedAt", "name", "-name", "email", "-role", "lastLoginAt"]
    .map((sort) => ({ sort })),
  { sort: "-lastLoginAt", where: { role: ["user", "admin"] } },
  ...["role,name", "-role,name", "role,-name", "-role,-name", "status,-role,email", "role,-id"]
    .map((sort) => ({ sort })),
  ...["lastLoginAt,-role", "-lastLoginAt,role", "role,lastLoginAt", "role,-lastLoginAt", "id,name"]
    .map((sort) => ({ sort })),
  { sort: "role,-role,role,status,-id,name" },
  { sort: "-status,lastLoginAt,name", where: { role: { ne: "admin" } } },
  { sort: "role,-createdAt", where: { id: ["u01", "u02", "u03", "u20", "u21", "u22", "u23"] } },
  { sort: "role,-lastLoginAt", search: "ann" },
  ...[
    "ann",
    "ANN",
    "bob 1",
    "100%",
    "_x",
    "\\",
    "p1",
    "e",
    "example.org",
    "ünal",
    "zoë",
    "none",
    "ann\0",
    "\ud800",
  ]
    .map((search) => ({ search })),
  { search: "ann", where: { status: "active" }, sort: "-name" },
  { search: "" },
];

export const listTests: readonly StorageTest[] = [
  {
    name: "lists filter, search and sort, with exact totals, on every page",
    run: async (store) => {
      const all = await fillPeople(store);
      const reader = store.from(users);
      for (const query of queries) {
        const expected = expectedRows(users, all, query);
        const about = JSON.stringify(query);
        for (let page = 1; page <= Math.ceil(expected.length / 7) + 1; page++) {
          const { rows, total } = await reader.list({ ...query, page, limit: 7 });
          assert.deepEqual(rows, expected.slice(page * 7 - 7, page * 7), `${about}, page ${page}`);
          assert.equal(total, expected.length, about);
        }
      }
    },
  },
  {
    name: "cursors walk through every row once",
    run: async (store) => {
      const all = await fillPeople(store);
      for (const query of queries) {
        const walked: User[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.from(users).list({ ...query, limit: 6, cursor });
          walked.push(...page.rows);
          if (page.nextCursor !== null) assert.match(page.nextCursor, /^[\w-]+$/);
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        assert.deepEqual(walked, expectedRows(users, all, query), JSON.stringify(query));
      }
    },
  },
  {
    name: "a cursor stays good while rows come and go",
    run: async (store) => {
      const all = await fillPeople(store);
      const query: ListQuery<User> = { sort: "email", limit: 10 };
      const first = await store.from(users).list(query);
      await store.transact(server, (tx) => {
        for (const row of [first.rows[9]!, first.rows[0]!]) tx.remove(users, row);
      });
      await addPerson(store, "Aaron", { email: "a@example.com" });
      const rest = await store.from(users).list({ ...query, cursor: first.nextCursor!, limit: 50 });
      assert.deepEqual(rest.rows, expectedRows(users, all, query).slice(10));
      assert.equal(rest.total, 39);
    },
  },
  {
    name: "the default list is the newest ten",
    run: async (store) => {
      for (let i = 0; i < 12; i++) await addPerson(store, `P${i}`);
      const { rows, total, nextCursor } = await store.from(users).list();
      assert.deepEqual(
        rows.map(({ name }) => name),
        [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((i) => `P${i}`),
      );
      assert.equal(total, 12);
      const rest = await store.from(users).list({ cursor: nextCursor! });
      assert.deepEqual(rest.rows.map(({ name }) => name), ["P1", "P0"]);
      assert.equal(rest.nextCursor, null);
    },
  },
  {
    name: "a list of values counts as it is at each request, whatever its caller does with it",
    run: async (store) => {
      await fillPeople(store);
      const reader = store.from(users), department = ["D1"], frozen = Object.freeze(["D9"]);
      const answers = async () => [
        (await reader.list({ where: { department, status: "active" }, limit: 50 })).total,
        await reader.count({ department }),
      ];
      const before = await answers();
      department[0] = "D9";
      assert.deepEqual(await answers(), [0, 0]);
      department[0] = "D1";
      assert.deepEqual(await answers(), before);
      assert.equal(await reader.count({ department: frozen }), 0);
      await addPerson(store, "Paul", { department: "D9" });
      assert.equal(await reader.count({ department: frozen }), 1);
    },
  },
  {
    name: "booleans are filtered",
    run: async (store) => {
      await store.transact(server, (tx) => {
        for (let i = 0; i < 5; i++) {
          tx.insert(permissions, {
            name: `p${i}`,
            resource: "users",
            action: `a${i}`,
            builtIn: i % 2 === 0,
          });
        }
      });
      const reader = store.from(permissions);
      assert.equal(await reader.count({ builtIn: true }), 3);
      assert.equal(
        (await reader.list({ where: { builtIn: false }, sort: "name" })).rows[1]!.name,
        "p3",
      );
      assert.deepEqual(
        (await reader.aggregate({ by: "builtIn" })).map(({ key, count }) => [key, count]),
        [
          ["false", 2],
          ["true", 3],
        ],
      );
    },
  },
  {
    name: "counts and aggregates are those of the matching records",
    run: async (store) => {
      const all = await fillPeople(store);
      const reader = store.from(users);
      for (const where of wheres) {
        const about = JSON.stringify(where);
        assert.equal(await reader.count(where), expectedRows(users, all, { where }).length, about);
        for (const by of [undefined, "day", "month", "role", "department"] as const) {
          const query = { by, where };
          assert.deepEqual(await reader.aggregate(query), expectedGroups(all, query), about);
        }
      }
      const logins = { by: "month", on: "lastLoginAt" } as const;
      assert.deepEqual(await reader.aggregate(logins), expectedGroups(all, logins));
    },
  },
  {
    name: "sums are added up by date, and follow changes",
    run: async (store) => {
      await store.transact(server, (tx) => {
        for (let i = 0; i < 90; i++) {
          const date = new Date(START + i * DAY).toISOString().slice(0, 10);
          tx.insert(sales, { date, amount: i * 1.25, orders: i, cost: i });
        }
      });
      const reader = store.from(sales);
      const query = { by: "month", on: "date", sum: ["amount", "orders"] } as const;
      const check = async () =>
        assert.deepEqual(
          await reader.aggregate(query),
          expectedGroups(await Array.fromAsync(reader.scan()), query),
        );
      await check();
      const [first] = (await reader.list({ sort: "date" })).rows;
      const changed = await store.transact(
        server,
        (tx) => tx.update(sales, first!, { amount: 0.5, orders: 1000 }),
      );
      await check();
      await store.transact(server, (tx) => tx.remove(sales, changed));
      await check();
      assert.deepEqual(await reader.aggregate({ sum: ["orders"], where: { date: "2026-01-03" } }), [
        { key: "", count: 1, sums: { orders: 2 } },
      ]);
      assert.deepEqual(await reader.aggregate({ sum: ["orders"], where: { date: "1999" } }), []);
    },
  },
  {
    name: "absent values sort lowest",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      await store.transact(server, (tx) => {
        for (const dueDate of ["2026-02-01T00:00:00.000Z", undefined, "2026-01-01T00:00:00.000Z"]) {
          tx.insert(tasks, {
            title: dueDate ?? "none",
            status: "pending",
            priority: "low",
            dueDate,
            createdBy: ann.id,
          });
        }
      });
      const titles = async (sort: string) =>
        (await store.from(tasks).list({ sort })).rows.map(({ title }) => title.slice(0, 7));
      assert.deepEqual(await titles("dueDate"), ["none", "2026-01", "2026-02"]);
      assert.deepEqual(await titles("-dueDate"), ["2026-02", "2026-01", "none"]);
    },
  },
  {
    name: "the keys of a page are what its rows have, and find what their texts find",
    run: async (store) => {
      const people = await fillPeople(store);
      const byId = new Map(people.map((person) => [person.id, person]));
      const reader = store.from(users);
      await store.warmUp();
      for (const sort of ["name", "-email", "createdAt"]) {
        const page = await reader.listRows({ sort, limit: 15 }, ["id", "department", "role"]);
        if (!page.keys) {
          const { maxBytes } = (await store.facts()).memory;
          assert.ok(maxBytes === 0 || store.shared, "rows in memory come with keys");
          continue;
        }
        const shown = (await reader.list({ sort, limit: 15 })).rows;
        const told = page.keys.map((keys) => shown.map((_, n) => keys.at(n)));
        assert.deepEqual(told, [
          shown.map(({ id }) => id),
          shown.map(({ department }) => department),
          shown.map(({ role }) => role),
        ]);
        assert.deepEqual(await reader.rowsOf(page.keys[0]!), page.rows);
        // Ids, but not of users.
        const others = await reader.rowsOf(page.keys[2]!);
        assert.deepEqual(others, shown.map(() => null));
        const held = reader.held?.("department", page.keys[1]!);
        assert.ok(held || store.shared, "what is in memory is held");
        if (!held) continue;
        for (const [n, { department }] of shown.entries()) {
          const expected = people.filter((one) => one.department === department && department);
          const found: readonly User[] = held[n] ?? [];
          assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort());
          assert.ok(found.every((person) => byId.get(person.id)?.rev === person.rev));
        }
      }
    },
  },
  {
    name: "what memory holds of some values is what a list finds",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const reader = store.from(tasks);
      const statuses = ["pending", "in_progress", "done"] as const;
      const asked = [["done"], ["done", "pending", "none"], ["done", "done"], ["none"], []];
      const check = async () => {
        for (const status of asked) {
          const held = reader.held?.("status", status);
          const listed = await reader.list({ where: { status }, sort: "id", limit: 100 });
          const found = await everyByKey(store, tasks, "status", status);
          for (const byKey of held ? [held, found] : [found]) {
            for (const [n, one] of status.entries()) {
              const sorted = (byKey[n] ?? []).toSorted((a, b) => a.id < b.id ? -1 : 1);
              const expected = listed.rows.filter((task) => task.status === one);
              assert.deepEqual(sorted, expected, JSON.stringify(status));
            }
            assert.ok(byKey.length <= status.length);
          }
        }
      };
      await check();
      const made = await store.transact(
        server,
        (tx) =>
          Array.from({ length: 30 }, (_, n) =>
            tx.insert(tasks, {
              title: `Task ${n}`,
              status: statuses[n % 3]!,
              priority: "low",
              createdBy: ann.id,
            })),
      );
      await check();
      await store.warmUp?.();
      await check();
      for (const [n, { id }] of made.entries()) {
        await store.transact(server, async (tx) => {
          const task = (await tx.from(tasks).get(id))!;
          if (n % 4 === 0) tx.remove(tasks, task);
          else tx.update(tasks, task, { status: statuses[n % 2]! });
        });
      }
      await check();
    },
  },
  {
    // A Mac composes names of files, and Vietnamese keyboards what is typed, in another way than other systems.
    name: "a search finds an accent however it is composed, of what lay there and what is written",
    run: async (store) => {
      const composed = "Zo\u00eb Nguy\u1ec5n", decomposed = composed.normalize("NFD");
      const found = async () => {
        const totals: number[] = [];
        for (const search of [composed, decomposed, decomposed.toUpperCase()]) {
          totals.push((await store.from(users).list({ search })).total);
        }
        return totals;
      };
      await store.load(users, [
        storedPerson("a", "2026-01-01T00:00:00.000Z", { name: composed }),
        storedPerson("b", "2026-01-02T00:00:00.000Z", { name: decomposed }),
      ]);
      assert.deepEqual(await found(), [2, 2, 2]);
      await addPerson(store, "c", { name: decomposed });
      assert.deepEqual(await found(), [3, 3, 3]);
      assert.equal(
        (await store.from(users).list({ search: decomposed })).rows[0]!.name,
        decomposed,
      );
    },
  },
  {
    name: "what is not declared, and what is no cursor, is refused",
    run: async (store) => {
      await fillPeople(store);
      const reader = store.from(users);
      const bad: (() => unknown)[] = [
        () => reader.list({ sort: "bio" }),
        () => reader.list({ sort: "-" }),
        () => reader.list({ sort: "" }),
        () => reader.list({ sort: "name," }),
        () => reader.list({ sort: "name,bio" }),
        () => reader.list({ sort: "name, email" }),
        () => reader.list({ sort: "name,email,role,status,lastLoginAt,id" }),
        () => reader.list({ where: { all: [{ bio: "x" }] } }),
        () => reader.list({ where: { bio: { ne: "x" } } }),
        () => reader.list({ where: { bio: "x" } }),
        () => reader.list({ where: { any: [{ passwordHash: null }] } }),
        () => reader.count({ phone: "1" }),
        () => reader.aggregate({ by: "bio" }),
        () => reader.aggregate({ by: "day", on: "bio" }),
        () => reader.aggregate({ sum: ["name"] }),
        () => reader.list({ cursor: "" }),
        () => reader.list({ cursor: "%%%" }),
        () => reader.list({ cursor: "bm9uZQ" }),
        () => reader.list({ page: 0 }),
        () => reader.list({ limit: 1.5 }),
        () => store.from(sales).list({ search: "x" }),
      ];
      for (const ask of bad) {
        await assert.rejects(async () => await ask(), InvalidQuery, String(ask));
      }
      const { nextCursor } = await reader.list({ sort: "name" });
      const other = async () => await reader.list({ sort: "email", cursor: nextCursor! });
      await assert.rejects(other, InvalidQuery);
      for (const sort of ["-name", "name,email", "name,-id"]) {
        const asked = async () => await reader.list({ sort, cursor: nextCursor! });
        await assert.rejects(asked, InvalidQuery, sort);
      }
    },
  },
];
