// The demo data: complete, coherent, the same each time, and never in the way of real data.
import assert from "node:assert/strict";
import { allCollections } from "../../../models/all.ts";
import { contents, files } from "../../../models/files.ts";
import { tags } from "../../../models/documents.ts";
import { sales, tasks } from "../../../models/dashboard.ts";
import { users } from "../../../models/users.ts";
import { fillDemoData } from "../../../services/demo/demo.ts";
import { createFirstAdmin, seedRoles } from "../../../services/accounts/first_start.ts";
import { mediaTypeOf } from "../../../services/content/media_types.ts";
import { timeOfId } from "../../../core/ids.ts";
import type { Entity, Store } from "../../../storage/port.ts";
import { variants } from "../../../config/variants.ts";
import { openStore } from "../../../storage/open.ts";
import { type Harness, harness } from "../../harness.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { openTestStore } from "../../storage/open.ts";

const NOW = new Date("2026-11-21T10:00:00.000Z");
const DEVELOPMENT = { production: false };
const ACCOUNTS = ["admin", "user", "guest"];

type Dump = Readonly<Record<string, readonly Entity[]>>;

async function withStore(test: (store: Store) => Promise<void>): Promise<void> {
  const store = await openTestStore({ clock: () => NOW });
  try {
    await seedRoles(store, variants.full!);
    await test(store);
  } finally {
    await store.close();
  }
}

async function dump(store: Store): Promise<Dump> {
  const all: Record<string, Entity[]> = {};
  for (const collection of allCollections) {
    all[collection.name] = await Array.fromAsync(store.from<Entity>(collection).scan());
  }
  return all;
}

/** Without what differs from store to store: versions, salts, the ids of blobs, and what the server made at its first start. */
function comparable(dumped: Dump): Dump {
  const { roles: _roles, permissions: _permissions, auditLog, ...others } = dumped;
  const rest = { ...others, auditLog: auditLog!.filter((record) => "actorId" in record) };
  return JSON.parse(
    JSON.stringify(
      rest,
      (key, value) => ["rev", "passwordHash", "blobId"].includes(key) ? undefined : value,
    ),
  );
}

Deno.test("demo: the same moment gives the same demo", async () => {
  const dumps: Dump[] = [];
  for (let n = 0; n < 2; n++) {
    await withStore(async (store) => {
      await fillDemoData(store, DEVELOPMENT, NOW);
      dumps.push(comparable(await dump(store)));
    });
  }
  assert.deepEqual(dumps[0], dumps[1]);
});

Deno.test("demo: filling again changes nothing", async () => {
  await withStore(async (store) => {
    await createFirstAdmin(store, { email: "chief@example.com", password: "a good password" });
    const lines = await fillDemoData(store, DEVELOPMENT, NOW);
    assert.equal(lines.length, 1);
    assert.match(
      lines[0]!,
      /demo-quarterdeck: admin@demo\.example, user@demo\.example, guest@demo\.example/,
    );
    const before = await dump(store);
    assert.deepEqual(await fillDemoData(store, DEVELOPMENT, new Date(NOW.getTime() + 864e5)), []);
    assert.deepEqual(await dump(store), before);
  });
});

Deno.test("demo: of several processes that start at once one fills the store, and all go on", async () => {
  const database = await postgresDatabase();
  const stores = await Promise.all(
    [1, 2, 3].map(() => openStore({ url: database.url, clock: () => NOW })),
  );
  try {
    await seedRoles(stores[0]!, variants.full!);
    const told = await Promise.all(
      stores.map((store, n) => fillDemoData(store, DEVELOPMENT, new Date(NOW.getTime() - n))),
    );
    assert.deepEqual(told.map(({ length }) => length).sort(), [0, 0, 1]);
    assert.equal(await stores[0]!.from(users).count({ email: "admin@demo.example" }), 1);
    // Nothing is missing, and nothing is there twice.
    assert.deepEqual(await fillDemoData(stores[1]!, DEVELOPMENT, NOW), []);
    const made = await dump(stores[0]!);
    await withStore(async (store) => {
      await fillDemoData(store, DEVELOPMENT, NOW);
      const counts = (all: Dump) => Object.entries(all).map(([name, { length }]) => [name, length]);
      assert.deepEqual(counts(made), counts(await dump(store)));
    });
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  }
});

Deno.test("demo: what someone deleted stays deleted", async () => {
  await withStore(async (store) => {
    await fillDemoData(store, DEVELOPMENT, NOW);
    await store.transact({ userId: null }, async (tx) => {
      for (const task of (await tx.from(tasks).list({ limit: 100 })).rows) tx.remove(tasks, task);
    });
    assert.deepEqual(await fillDemoData(store, DEVELOPMENT, NOW), []);
    assert.equal(await store.from(tasks).count(), 0);
  });
});

Deno.test("demo: production is told that the password is known", async () => {
  await withStore(async (store) => {
    const lines = await fillDemoData(store, { production: true }, NOW);
    assert.equal(lines.length, 2);
    assert.match(lines[1]!, /production/);
  });
});

Deno.test("demo: a store in use is left alone", async () => {
  const fields = { name: "Someone", role: "user", permissions: [], status: "active" as const };
  const uses: ((store: Store) => Promise<unknown>)[] = [
    (store) =>
      store.transact({ userId: null }, (tx) => {
        tx.insert(users, { ...fields, email: "one@example.com" });
        tx.insert(users, { ...fields, email: "two@example.com" });
      }),
    (store) =>
      store.transact(
        { userId: null },
        (tx) => tx.insert(sales, { date: "2026-11-21", amount: 1, orders: 1, cost: 0 }),
      ),
    // Someone's own account, of the address that the demo would use.
    (store) =>
      store.transact(
        { userId: null },
        (tx) => tx.insert(users, { ...fields, email: "admin@demo.example" }),
      ),
  ];
  for (const use of uses) {
    await withStore(async (store) => {
      await use(store);
      const before = await dump(store);
      assert.deepEqual(await fillDemoData(store, DEVELOPMENT, NOW), []);
      assert.deepEqual(await dump(store), before);
    });
  }
});

Deno.test("demo: one that broke off is finished at the next start", async () => {
  let expected: Dump = {};
  await withStore(async (store) => {
    await fillDemoData(store, DEVELOPMENT, NOW);
    expected = comparable(await dump(store));
  });
  for (const failing of ["users", "contents", "receipts", "sales"]) {
    await withStore(async (store) => {
      let loads = 0;
      const broken: Store = {
        ...store,
        from: store.from.bind(store),
        blobs: store.blobs,
        load(collection, records) {
          if (collection.name === failing && ++loads === 2) {
            return Promise.reject(new Error("power cut"));
          }
          return store.load(collection, records);
        },
      };
      await assert.rejects(fillDemoData(broken, DEVELOPMENT, NOW), /power cut/);
      const lines = await fillDemoData(store, DEVELOPMENT, new Date(NOW.getTime() + 36e5));
      assert.equal(lines.length, 1);
      assert.deepEqual(comparable(await dump(store)), expected, failing);
    });
  }
});

Deno.test("demo: records fit their schemas, refer to what is there, and are in order of their ids", async () => {
  await withStore(async (store) => {
    await createFirstAdmin(store, { email: "chief@example.com", password: "a good password" });
    await fillDemoData(store, DEVELOPMENT, NOW);
    const all = await dump(store);
    for (const { name, schema, references, unique } of allCollections) {
      const records = all[name]! as (Entity & Record<string, string>)[];
      for (const { rev: _, ...record } of records) {
        assert.deepEqual(schema.parse(record), record, name);
        assert.ok(record.createdAt! <= NOW.toISOString(), `${name} of the future`);
        // Its id is that of the user.
        const time = name === "storageUsage" ? null : timeOfId(record.id!);
        if (time !== null) assert.equal(new Date(time).toISOString(), record.createdAt, name);
      }
      for (const [field, target] of Object.entries(references) as [string, string][]) {
        const ids = new Set(all[target]!.map(({ id }) => id));
        for (const record of records) {
          if (record[field] !== undefined) assert.ok(ids.has(record[field]), `${name}.${field}`);
        }
      }
      for (const fields of Object.values(unique) as string[][]) {
        const keys = records.filter((record) =>
          fields.every((field) => record[field] !== undefined)
        )
          .map((record) => fields.map((field) => record[field]).join("\0"));
        assert.equal(new Set(keys).size, keys.length, `${name} ${fields}`);
      }
    }
    // Sessions, mailed links, check-ins, remembered answers, changes and deletions are made by use alone.
    const unused = [
      "sessions",
      "passwordResets",
      "emailLinks",
      "apiKeys",
      "secondFactors",
      "signInChallenges",
      "avatars",
      "preferences",
      "passkeys",
      "usedChallenges",
      "identities",
      "checkins",
      "hiddenMessages",
      "idempotentAnswers",
      "deletions",
      "documentRevisions",
      "trash",
      "trashParts",
      "webhooks",
      "auditLinks",
      "auditCheckpoints",
      "auditPositions",
      "webhookDeliveries",
      "webhookPositions",
    ];
    for (const { name } of allCollections) {
      assert.equal(all[name]!.length > 0, !unused.includes(name), name);
    }
  });
});

Deno.test("demo: files are what they say, and their bytes are counted", async () => {
  await withStore(async (store) => {
    await fillDemoData(store, DEVELOPMENT, NOW);
    const types = new Set<string>();
    for await (const file of store.from(files).scan()) {
      const content = await store.from(contents).get(file.sha256);
      const stream = await store.blobs.get(content!.blobId);
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      assert.equal(bytes.length, file.size);
      const digest = await crypto.subtle.digest("SHA-256", bytes);
      assert.equal(new Uint8Array(digest).toHex(), file.sha256);
      const known = await mediaTypeOf(bytes, file.mimeType, null);
      assert.equal(known, file.mimeType, file.name);
      types.add(file.type);
    }
    assert.deepEqual([...types].sort(), ["archive", "audio", "document", "image", "other"]);
    for await (const { id, references } of store.from(contents).scan()) {
      const held = (await dump(store)).fileVersions as unknown as { sha256: string }[];
      assert.equal(held.filter(({ sha256 }) => sha256 === id).length, references);
    }
  });
});

/** A full server with the demo in it, and a token of each account that signs in with the demo's password. */
async function demoHarness(variant: string) {
  const h = await harness({
    variant,
    open: async (clock) => {
      const store = await openTestStore({ clock });
      await seedRoles(store, variants[variant]!);
      await createFirstAdmin(store, { email: "chief@example.com", password: "a good password" });
      await fillDemoData(store, DEVELOPMENT, clock());
      return store;
    },
  });
  const tokens = new Map<string, string>();
  const emails = ACCOUNTS.map((name) => [name, `${name}@demo.example`, "demo-quarterdeck"]);
  for (
    const [name, email, password] of [...emails, ["chief", "chief@example.com", "a good password"]]
  ) {
    const { status, body } = await h.ask("POST", "/api/auth/login", { body: { email, password } });
    assert.equal(status, 200, name);
    tokens.set(name!, body.accessToken);
  }
  return { h, tokens };
}

/** Every list that takes no parameters. */
function listPaths(h: Harness): string[] {
  const lists = h.app.endpoints.filter(({ method, path, list, access }) =>
    method === "get" && !path.includes("{") && access !== "public" &&
    !/^\/(auth\/(passkeys|keys)|trash|webhooks|backups)$/.test(path) &&
    (list || path === "/folders")
  );
  return lists.map(({ path }) => `/api${path}`);
}

for (const variant of ["compact", "full"]) {
  Deno.test(`demo: every list of ${variant} holds something for everyone who may see it`, async () => {
    const { h, tokens } = await demoHarness(variant);
    await using _ = h;
    const seen = new Set<string>();
    for (const path of listPaths(h)) {
      for (const [name, token] of tokens) {
        const { status, data } = await h.ask("GET", path, { token });
        if (status === 403) continue;
        assert.equal(status, 200, path);
        assert.ok(data.length > 0, `${path} is empty for ${name}`);
        seen.add(path);
      }
    }
    assert.deepEqual([...seen].sort(), listPaths(h).sort());
  });
}

Deno.test("demo: every figure of the dashboard says something", async () => {
  const { h, tokens } = await demoHarness("full");
  await using _ = h;
  const get = async (name: string, as = "guest") =>
    (await h.ask("GET", `/api/dashboard/${name}`, { token: tokens.get(as)! })).data;
  for (const [name, value] of Object.entries(await get("stats"))) assert.notEqual(value, 0, name);
  for (const day of await get("visits?days=365")) {
    assert.ok(day.visits > 0 && day.uniqueVisitors <= day.visits);
  }
  for (const month of await get("sales?months=13")) {
    assert.ok(month.sales > month.profit && month.profit > 0);
  }
  assert.ok((await get("pie")).length >= 5);
  const figures = await get("users");
  for (const name of ["active", "inactive", "suspended", "newThisMonth"]) {
    assert.ok(figures[name] > 0, name);
  }
  assert.equal(figures.byRole.length, 4);
  for (const account of [...ACCOUNTS, "chief"]) {
    assert.ok((await get("calendar", account)).length > 1, `${account} has nothing today`);
  }
});

Deno.test("demo: made at any time of the year, this month and the last have figures", async () => {
  for (
    const now of [
      "2026-01-01T00:00:00.000Z",
      "2024-02-29T23:59:59.999Z",
      "2026-03-31T12:00:00.000Z",
      "2026-12-01T00:30:00.000Z",
    ]
  ) {
    await withStore(async (store) => {
      await fillDemoData(store, DEVELOPMENT, new Date(now));
      const months = await store.from(sales).aggregate({
        by: "month",
        on: "date",
        sum: ["amount"],
      });
      assert.equal(months.length, 13, now);
      assert.equal(months.at(-1)!.key, now.slice(0, 7));
      const newest = await store.from(users).list({ limit: 1 });
      assert.equal(newest.rows[0]!.createdAt.slice(0, 7), now.slice(0, 7));
      assert.ok(await store.from(tags).count() > 0);
    });
  }
});
