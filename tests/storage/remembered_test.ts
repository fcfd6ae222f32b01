// What is remembered of whole collections belongs to one store, holds until one of them changes, and is bounded.
import assert from "node:assert/strict";
import { tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import { remembering } from "../../storage/memory/remembered.ts";
import { harness, type Reply } from "../harness.ts";
import { openMemory } from "./open.ts";
import { addPerson, server } from "./people.ts";

const options = { maxBytes: 10_000, bytesOf: (text: string) => text.length };

Deno.test("remembered: the same key of two stores holds two values", async () => {
  const names = remembering<string>([users], options);
  const [one, two] = await Promise.all([openMemory(), openMemory()]);
  await Promise.all([one, two].map((store) => addPerson(store, "Ann")));
  assert.equal(one.from(users).generation(), two.from(users).generation(), "alike in all but name");
  assert.equal(await names(one).through("key", () => "of one"), "of one");
  assert.equal(await names(two).through("key", () => "of two"), "of two");
  assert.equal(await names(one).through("key", () => "made again"), "of one");
  await Promise.all([one.close(), two.close()]);
});

Deno.test("remembered: forgotten when a collection that it rests on changes, and only then", async () => {
  const names = remembering<string>([users], options);
  const store = await openMemory();
  const ann = await addPerson(store, "Ann");
  let made = 0;
  const ask = () => names(store).through("key", () => `made ${++made}`);
  assert.equal(ask(), "made 1");
  await store.transact(server, (tx) => tx.insert(tags, { name: "other" }));
  assert.equal(ask(), "made 1");
  await store.transact(server, (tx) => tx.update(users, ann, { bio: "new" }));
  assert.equal(ask(), "made 2");
  await store.close();
});

Deno.test("remembered: a value that was made while a record changed is not kept", async () => {
  const names = remembering<string>([users], options);
  const store = await openMemory();
  const slow = names(store).through("key", async () => {
    await addPerson(store, "Ann");
    return "of before";
  });
  assert.equal(await slow, "of before");
  assert.equal(await names(store).through("key", () => "of now"), "of now");
  await store.close();
});

Deno.test("remembered: bounded in bytes, the oldest goes first; what is too large is not kept", async () => {
  const names = remembering<string>([users], options);
  const store = await openMemory();
  const kept = names(store);
  for (let n = 0; n < 100; n++) await kept.through(`key ${n}`, () => "x".repeat(900));
  assert.ok(kept.bytes <= 10_000);
  assert.equal(await kept.through("key 99", () => "made again"), "x".repeat(900));
  assert.equal(await kept.through("key 0", () => "made again"), "made again");
  await kept.through("large", () => "x".repeat(20_000));
  assert.equal(await kept.through("large", () => "made again"), "made again");
  await store.close();
});

Deno.test("remembered: two applications in a process never answer with each other's rows", async () => {
  await using one = await harness();
  await using two = await harness();
  for (
    const path of ["/api/users", "/api/users?limit=5", "/api/dashboard/stats", "/api/users/me"]
  ) {
    const [a, b] = [
      await one.ask("GET", path, { token: one.tokens.admin }),
      await two.ask("GET", path, { token: two.tokens.admin }),
    ];
    if (path.startsWith("/api/users")) {
      const ids = ({ data }: Reply) => [data].flat().map(({ id }: { id: string }) => id);
      assert.deepEqual(new Set(ids(a)).intersection(new Set(ids(b))), new Set(), path);
    }
  }
  await one.store.transact(server, (tx) => tx.insert(tags, { name: "no user" }));
  await two.grant("guest", "documents:view");
  const { data } = await two.ask("GET", "/api/users", { token: two.tokens.admin });
  const guest = data.find(({ id }: { id: string }) => id === two.accounts.guest.id);
  assert.ok(guest.permissions.includes("documents:view"));
});
