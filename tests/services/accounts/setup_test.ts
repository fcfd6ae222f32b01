// Whether an administrator is still to be named: asked at every start, so that it must not take reading all accounts.
import assert from "node:assert/strict";
import { type User, users } from "../../../models/users.ts";
import type { Reader } from "../../../storage/port.ts";
import { awaitsSetup } from "../../../services/accounts/setup.ts";
import { openOnEngine } from "../../engine.ts";
import { storedPerson } from "../../storage/people.ts";

const CREATED = "2026-01-02T03:04:05.000Z";
const ALL = 1000;
const open = { setup: true };

/** Accounts in the order of their age, with the administrator at a place among them, or with none. */
function* accounts(administrator: number | null): Generator<Omit<User, "rev">> {
  for (let i = 0; i < ALL; i++) {
    const id = `account-${String(i).padStart(4, "0")}`;
    yield storedPerson(id, CREATED, { role: i === administrator ? "super_admin" : "user" });
  }
}

/** A reader that notes how many records it has given, and how often something was asked that takes all of them. */
function watched(reader: Reader<User>) {
  const asked = { records: 0, ofAll: 0 };
  async function* scan() {
    for await (const record of reader.scan()) {
      asked.records++;
      yield record;
    }
  }
  const watching = new Proxy(reader, {
    get(of, field) {
      if (field === "scan") return scan;
      if (field === "count" || field === "aggregate" || field === "list") asked.ofAll++;
      return Reflect.get(of, field).bind(of);
    },
  });
  return { asked, store: { from: () => watching as Reader<never> } };
}

for (const place of [0, 60]) {
  Deno.test(`setup: an administrator with ${place} older accounts is found without reading more of them`, async () => {
    const store = await openOnEngine(() => new Date());
    await store.load(users, accounts(place));
    const { store: watching, asked } = watched(store.from(users));
    assert.equal(await awaitsSetup(watching, open), false);
    assert.deepEqual(asked, { records: place + 1, ofAll: 0 });
    await store.close();
  });
}

Deno.test("setup: an administrator who came late is found, and where there is none it is said", async () => {
  for (const place of [99, 100, ALL - 1, null]) {
    const store = await openOnEngine(() => new Date());
    await store.load(users, accounts(place));
    assert.equal(await awaitsSetup(store, open), place === null, `administrator at ${place}`);
    await store.close();
  }
});

Deno.test("setup: where it is off, nothing is read", async () => {
  const store = await openOnEngine(() => new Date());
  const { store: watching, asked } = watched(store.from(users));
  assert.equal(await awaitsSetup(watching, { setup: false }), false);
  assert.deepEqual(asked, { records: 0, ofAll: 0 });
  await store.close();
});
