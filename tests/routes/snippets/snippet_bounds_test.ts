// What snippets may take, how long they stay, who lists and removes them, and how often they are asked for.
import assert from "node:assert/strict";
import { endpointsOf } from "../../../app.ts";
import { snippets } from "../../../models/snippets.ts";
import { removeExpiredSnippets } from "../../../services/snippets/snippets.ts";
import { type Account, type Harness, harness } from "../../harness.ts";

const KIB = 1024;
const DAY = 24 * 60 * 60 * 1000;
const FREE = { RATE_LIMIT: "false" };

interface Shared {
  readonly id: string;
  readonly url: string;
}

async function share(h: Harness, as?: Account, body: Record<string, unknown> = {}) {
  const reply = await h.ask("POST", "/api/share", { as, body: { content: "a", ...body } });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as Shared;
}

const ids = (rows: readonly Shared[]) => rows.map(({ id }) => id).sort();

Deno.test("snippets: an owner's are bounded by the quota, sent one by one or together", async () => {
  await using h = await harness({ env: { ...FREE, SNIPPET_QUOTA: "100KB" } });
  const body = { content: "é".repeat(8 * KIB) };
  const post = () => h.ask("POST", "/api/share", { as: "user", body });
  const replies = await Promise.all(Array.from({ length: 10 }, post));
  const made = replies.filter(({ status }) => status === 201);
  assert.equal(made.length, 5, "five of 16 KiB and what a record takes");
  const refused = replies.find(({ status }) => status === 413);
  assert.match(refused?.body.message, /16384 bytes, and 14336 are left/);
  assert.equal(await h.store.from(snippets).count(), 5);

  assert.equal((await h.ask("POST", "/api/share", { as: "other", body })).status, 201);
  assert.equal(
    (await h.ask("DELETE", `/api/share/${made[0]!.data.id}`, { as: "user" })).status,
    200,
  );
  assert.equal((await post()).status, 201, "what was removed makes room");
});

Deno.test("snippets: many small ones are bounded too", async () => {
  await using h = await harness({ env: { ...FREE, SNIPPET_QUOTA: "10KB" } });
  for (let i = 0; i < 9; i++) await share(h, "user");
  assert.equal(
    (await h.ask("POST", "/api/share", { as: "user", body: { content: "a" } })).status,
    413,
  );
});

Deno.test("snippets: those without an owner share ten times as much, and take nobody else's", async () => {
  await using h = await harness({ env: { ...FREE, SNIPPET_QUOTA: "10KB" } });
  const body = { content: "a".repeat(30 * KIB) };
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => h.ask("POST", "/api/share", { body })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 201, 413, 413, 413]);
  await share(h, "user");
});

Deno.test("snippets: what a deleted user shared stays, counts for who deleted them, and names nobody", async () => {
  await using h = await harness();
  const { other, super: chief } = h.accounts;
  const { id } = await share(h, "other", { userId: other.id });
  assert.equal((await h.ask("DELETE", `/api/users/${other.id}`, { as: "super" })).status, 200);
  assert.equal((await h.ask("GET", `/api/share/${id}`)).data.userId, undefined);
  assert.equal((await h.store.from(snippets).get(id))?.userId, chief.id);
});

Deno.test("snippets: those without an owner end after SNIPPET_DAYS, and are removed then", async () => {
  await using h = await harness({ env: { SNIPPET_DAYS: "2" } });
  const anonymous = await share(h);
  const owned = await share(h, "user");
  h.clock.advance(2 * DAY - 1);
  assert.equal((await h.ask("GET", `/api/share/${anonymous.id}`)).status, 200);
  h.clock.advance(1);
  assert.equal((await h.ask("GET", `/api/share/${anonymous.id}`)).status, 404);
  assert.equal((await h.ask("GET", anonymous.url)).status, 404);
  for (let i = 0; i < 25; i++) await share(h);
  h.clock.advance(3 * DAY);
  const late = await share(h);
  await removeExpiredSnippets(h.store, 2, h.clock.now());
  const left = await h.store.from(snippets).list();
  assert.deepEqual(ids(left.rows as unknown as Shared[]), [owned.id, late.id].sort());
});

Deno.test("snippets: with SNIPPET_DAYS=0 they stay", async () => {
  await using h = await harness({ env: { SNIPPET_DAYS: "0" } });
  const { id } = await share(h);
  h.clock.advance(9999 * DAY);
  await removeExpiredSnippets(h.store, 0, h.clock.now());
  assert.equal((await h.ask("GET", `/api/share/${id}`)).status, 200);
});

Deno.test("snippets: one lists one's own, administrators everyone's, and nobody the content", async () => {
  await using h = await harness();
  const mine = await share(h, "user", { content: "secret words", userId: h.accounts.user.id });
  const unnamed = await share(h, "user");
  const theirs = await share(h, "other", { language: "markdown" });
  const nobodys = await share(h);
  const list = async (as: Account, query = "") => {
    const reply = await h.ask("GET", `/api/share${query}`, { as });
    assert.equal(reply.status, 200, reply.text);
    assert.ok(!reply.text.includes("secret words"));
    return reply.data as (Shared & { userId?: string; size: number; expiresAt?: string })[];
  };
  assert.deepEqual(ids(await list("user")), ids([mine, unnamed]));
  assert.deepEqual(await list("user", `?userId=${h.accounts.other.id}`), []);
  assert.deepEqual(await list("user", "?anonymous=true"), []);
  assert.deepEqual(await list("guest"), []);
  assert.equal((await h.ask("GET", "/api/share")).status, 401);

  for (const as of ["super", "admin"] as const) {
    assert.deepEqual(ids(await list(as)), ids([mine, unnamed, theirs, nobodys]));
    const rows = await list(as, "?anonymous=true");
    assert.deepEqual(ids(rows), [nobodys.id]);
    assert.equal(rows[0]!.expiresAt, "2026-12-21T10:00:00.000Z");
    assert.deepEqual(ids(await list(as, "?anonymous=false&language=markdown")), [theirs.id]);
    const [row] = await list(as, `?id=${mine.id}`);
    assert.deepEqual([row?.size, row?.userId, row?.expiresAt], [12, h.accounts.user.id, undefined]);
  }
  // Who sees a snippet in the list may see by its side who shared it.
  const withOwners = async (as: Account) => {
    const { data } = await h.ask("GET", "/api/share?include=owner", { as });
    return data.map(({ owner }: { owner?: { name: string } }) => owner?.name).sort();
  };
  const { user, other } = h.accounts;
  assert.deepEqual(await withOwners("admin"), [other.name, user.name, user.name, undefined]);
  assert.deepEqual(await withOwners("user"), [user.name, user.name]);
  await h.grant("guest", "snippets:view");
  assert.equal((await list("guest")).length, 4);
});

Deno.test("snippets: administrators remove anyone's; the right to see them is not enough", async () => {
  await using h = await harness();
  const theirs = await share(h, "user");
  const nobodys = await share(h);
  await h.grant("guest", "snippets:view");
  const remove = async (as: Account, { id }: Shared) =>
    (await h.ask("DELETE", `/api/share/${id}`, { as })).status;
  assert.equal(await remove("guest", theirs), 403);
  assert.equal(await remove("admin", theirs), 200);
  await h.grant("guest", "snippets:delete");
  assert.equal(await remove("guest", nobodys), 200);
  assert.equal(await remove("user", await share(h, "user")), 200, "one's own, named or not");
});

Deno.test("snippets: callers with an account are held to a rate of their own", async () => {
  await using h = await harness();
  const limits = {
    "/api/share": [120, { content: "a" }],
    "/api/markdown": [240, { markdown: "a" }],
  };
  for (const [path, [limit, body]] of Object.entries(limits)) {
    const post = async (as?: Account) => (await h.ask("POST", path, { as, body })).status;
    for (let i = 0; i < (limit as number); i++) assert.ok(await post("user") < 300);
    assert.equal(await post("user"), 429);
    assert.ok(await post("other") < 300, "others are not held up");
    assert.ok(await post() < 300, "nor are callers without an account");
  }
});

Deno.test("snippets: a long source counts for more than a short one", async () => {
  await using h = await harness();
  const post = async (markdown: string) =>
    (await h.ask("POST", "/api/markdown", { body: { markdown } })).status;
  for (let i = 0; i < 8; i++) assert.equal(await post(`${i}${"a ".repeat(128 * KIB - 8)}`), 200);
  assert.equal(await post("a"), 429);
});

Deno.test("snippets: a network shares 200 a day without an account", async () => {
  await using h = await harness();
  for (let minute = 0; minute < 8; minute++) {
    for (let i = 0; i < 25; i++) await share(h);
    h.clock.advance(61_000);
  }
  const reply = await h.ask("POST", "/api/share", { body: { content: "a" } });
  assert.equal(reply.status, 429);
  assert.ok(Number(reply.headers.get("retry-after")) > 3600);
  await share(h, "user");
});

Deno.test("snippets: pages are held to a rate", async () => {
  await using h = await harness();
  const { url } = await share(h, undefined, { content: "# a", language: "markdown" });
  const from = "198.51.100.7";
  for (let i = 0; i < 300; i++) assert.equal((await h.ask("GET", url, { from })).status, 200);
  assert.equal((await h.ask("GET", url, { from })).status, 429);
  assert.equal((await h.ask("GET", url, { from: "198.51.100.8" })).status, 200);
});

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`snippets: SNIPPETS=false leaves none of their routes in ${variant}`, async () => {
    await using h = await harness({ variant, env: { SNIPPETS: "false" } });
    const left = endpointsOf(h.settings.variant).filter(({ tag }) => tag === "Snippets");
    assert.deepEqual(left, []);
    for (const path of ["/api/share", "/api/markdown", "/api/checkin"]) {
      const { status } = await h.ask("POST", path, { as: "user", body: { content: "a" } });
      assert.equal(status, 404, path);
    }
  });
}

Deno.test("snippets: with SNIPPET_ORIGIN their pages are served there, and nothing else is", async () => {
  const origin = "https://snippets.example";
  await using h = await harness({ variant: "web", env: { SNIPPET_ORIGIN: origin } });
  const { id, url } = await share(h, undefined, { content: "<b>x</b>" });
  assert.equal(url, `${origin}/s/${id}`);
  const here = await h.ask("GET", `/s/${id}`);
  assert.deepEqual([here.status, here.headers.get("location")], [302, url]);
  assert.equal(here.text, "");
  assert.equal((await h.ask("GET", "/s/none")).status, 404);

  // The proxy that ends TLS asks by http, with the host as it was sent.
  const there = (path: string) => h.app.fetch(new Request(`http://snippets.example${path}`));
  const page = await there(`/s/${id}`);
  assert.equal(page.status, 200);
  const text = await page.text();
  assert.ok(text.includes('sandbox="allow-scripts" srcdoc="<b>x</b>"'));
  assert.ok(!text.includes('role="note"'));
  for (
    const path of ["/", "/login", "/api/health", "/api/users/me", "/livez", "/s", "/styles.css"]
  ) {
    assert.equal((await there(path)).status, 404, path);
  }
});

Deno.test("snippets: a proxy may spell the default port of SNIPPET_ORIGIN out", async () => {
  await using h = await harness({ env: { SNIPPET_ORIGIN: "https://snippets.example" } });
  const { id } = await share(h, undefined, { content: "<b>x</b>" });
  const there = (host: string, path: string) => h.app.fetch(new Request(`http://${host}${path}`));
  assert.equal((await there("snippets.example:443", `/s/${id}`)).status, 200);
  assert.equal((await there("snippets.example:443", "/api/health")).status, 404);
  assert.equal((await there("snippets.example:8443", `/s/${id}`)).status, 302);
  assert.equal((await there("snippets.example:8443", "/api/health")).status, 200);
});
