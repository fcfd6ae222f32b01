// One's own settings of user interfaces: replaced, merged, within bounds, and nobody else's.
import assert from "node:assert/strict";
import { preferences } from "../../../models/preferences.ts";
import { listen } from "../../event_stream.ts";
import { type Account, type Harness, harness } from "../../harness.ts";

const PATH = "/api/users/me/preferences";

function send(h: Harness, method: string, body: unknown, headers = {}, as: Account = "user") {
  return h.ask(method, PATH, { as, body, headers });
}

Deno.test("preferences: PUT replaces them, PATCH changes the keys that it names, each user has their own", async () => {
  await using h = await harness();
  const first = await h.ask("GET", PATH, { as: "user" });
  assert.deepEqual([first.status, first.data], [200, {}]);
  const views = [{ name: "Mine", query: "?sort=-size", columns: ["name", null, 3.5, true] }];
  const put = await send(h, "PUT", { theme: "dark", language: "zh", views, none: null });
  assert.deepEqual([put.status, put.data], [200, { theme: "dark", language: "zh", views }]);
  const patched = await send(h, "PATCH", { theme: "light", language: null, width: 3 });
  assert.deepEqual(patched.data, { theme: "light", views, width: 3 });
  assert.deepEqual((await h.ask("GET", PATH, { as: "user" })).data, patched.data);
  assert.deepEqual((await send(h, "PUT", { width: 4 })).data, { width: 4 });
  assert.deepEqual((await h.ask("GET", PATH, { as: "other" })).data, {});
  assert.deepEqual((await send(h, "PATCH", { width: 5 }, {}, "other")).data, { width: 5 });
  assert.deepEqual((await h.ask("GET", PATH, { as: "user" })).data, { width: 4 });
  assert.equal((await h.ask("GET", PATH)).status, 401);
  assert.equal((await h.ask("PUT", PATH, { body: {} })).status, 401);
});

Deno.test("preferences: If-Match holds from the first write on, and of two at once one is told", async () => {
  await using h = await harness();
  const { headers } = await h.ask("GET", PATH, { as: "user" });
  const none = { "if-match": headers.get("etag")! };
  const both = await Promise.all([
    send(h, "PUT", { tab: 1 }, none),
    send(h, "PUT", { tab: 2 }, none),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  const etag = both.find(({ status }) => status === 200)!.headers.get("etag")!;
  assert.equal((await send(h, "PATCH", { tab: 3 }, { "if-match": etag })).status, 200);
  assert.equal((await send(h, "PATCH", { tab: 4 }, { "if-match": etag })).status, 412);
  const now = await h.ask("GET", PATH, { as: "user" });
  const unchanged = { "if-none-match": now.headers.get("etag")! };
  assert.equal((await h.ask("GET", PATH, { as: "user", headers: unchanged })).status, 304);
  // Without a condition none of those that come at once is lost.
  const keys = ["a", "b", "c", "d", "e"];
  const merged = await Promise.all(keys.map((key) => send(h, "PATCH", { [key]: 1 })));
  assert.deepEqual(merged.map(({ status }) => status), [200, 200, 200, 200, 200]);
  const { data } = await h.ask("GET", PATH, { as: "user" });
  assert.deepEqual(data, { tab: 3, a: 1, b: 1, c: 1, d: 1, e: 1 });
});

Deno.test("preferences: what is no object, too large, too deep or hostile is refused or kept as plain data", async () => {
  await using h = await harness();
  for (const body of ["[]", '"dark"', "3", "null", "{", '{"a":"\\u0000"}', '{"a":"\\ud800"}']) {
    const headers = { "content-type": "application/json" };
    assert.equal((await h.ask("PUT", PATH, { as: "user", body, headers })).status, 400, body);
  }
  const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  assert.equal((await send(h, "PUT", { a: nested(9) })).status, 200);
  assert.equal((await send(h, "PUT", { a: nested(10) })).status, 400);
  const deep = `{"a":${"[".repeat(4000)}${"]".repeat(4000)}}`;
  const headers = { "content-type": "application/json" };
  assert.equal((await h.ask("PUT", PATH, { as: "user", body: deep, headers })).status, 400);
  assert.equal((await send(h, "PUT", { ["k".repeat(101)]: 1 })).status, 400);
  // 16 KiB, counted in bytes.
  const fits = "界".repeat(5458);
  assert.equal((await send(h, "PUT", { a: `${fits}ab` })).status, 200);
  assert.equal((await send(h, "PUT", { a: `${fits}abc` })).status, 413);
  assert.equal((await send(h, "PATCH", { b: "x" })).status, 413);
  assert.equal((await send(h, "PATCH", { a: null, b: "x" })).status, 200);
  const body = '{"constructor":{"prototype":{"admin":true}},"toString":1,"b":null}';
  const kept = await h.ask("PATCH", PATH, { as: "user", body, headers });
  assert.deepEqual(
    kept.data,
    JSON.parse('{"constructor":{"prototype":{"admin":true}},"toString":1}'),
  );
  const proto = '{"__proto__":{"admin":true},"b":1}';
  assert.equal((await h.ask("PUT", PATH, { as: "user", body: proto, headers })).status, 200);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
  assert.equal((await h.ask("GET", PATH, { as: "user" })).data.admin, undefined);
});

Deno.test("preferences: a change is told live to oneself, with the record, and to nobody else", async () => {
  await using h = await harness();
  const own = await listen(h, "user", "?records=true&collections=preferences");
  const boss = await listen(h, "super", "?collections=preferences,users");
  await send(h, "PUT", { theme: "dark" });
  const told = await own.event("preferences.created", h.accounts.user.id);
  assert.deepEqual(told.data.record, { theme: "dark" });
  await send(h, "PATCH", { theme: "light" });
  const changed = await own.event("preferences.updated", h.accounts.user.id);
  assert.deepEqual(changed.data.record, { theme: "light" });
  await send(h, "PUT", { theme: "blue" }, {}, "super");
  await boss.event("preferences.created", h.accounts.super.id);
  assert.deepEqual(boss.told, [`preferences.created ${h.accounts.super.id}`]);
});

Deno.test("preferences: they end with their user; keys and who acts as the user read them alone", async () => {
  await using h = await harness();
  await send(h, "PUT", { theme: "dark" });
  const made = await h.ask("POST", "/api/auth/keys", {
    as: "user",
    body: { name: "Backup", scopes: ["documents:view"] },
  });
  const key = made.data.key;
  assert.deepEqual((await h.ask("GET", PATH, { token: key })).data, { theme: "dark" });
  assert.equal((await h.ask("PUT", PATH, { token: key, body: {} })).status, 403);
  const { id } = h.accounts.user;
  const acting = await h.ask("POST", `/api/users/${id}/impersonate`, { as: "super" });
  const token = acting.data.accessToken;
  assert.equal((await h.ask("GET", PATH, { token })).status, 200);
  assert.equal((await h.ask("PATCH", PATH, { token, body: { theme: "light" } })).status, 403);
  assert.equal((await h.ask("DELETE", `/api/users/${id}`, { as: "super" })).status, 200);
  assert.equal(await h.store.from(preferences).count(), 0);
});
