// Lists as CSV: what they hold, who gets what, and that they are sent as they are taken.
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import { users } from "../../../models/users.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { done } from "../content/document_scene.ts";
import { upload } from "../../uploads.ts";
import { stamp } from "../../services/content/deletion_scene.ts";

type Line = Readonly<Record<string, string>>;

const linesOf = (text: string): Line[] => parse(text, { columns: true });

async function csv(h: Harness, as: Account, path: string): Promise<Line[]> {
  const reply = await h.ask("GET", `/api${path}`, { as });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  const lines = linesOf(reply.text);
  assert.equal(reply.headers.get("x-total-count"), String(lines.length));
  return lines;
}

const EXPORTS = ["/users", "/documents", "/files", "/calendar/events"] as const;

async function scene(h: Harness) {
  const rights = ["documents", "files", "calendar"].map((resource) => `${resource}:create`);
  for (const account of ["user", "other"] as const) {
    await h.grant(account, ...rights);
    const as = account;
    const title = `=cmd|' /C calc'!A0 ${account}`;
    const body = { title, content: "never shown", tags: ["-x", "y"] };
    await done(h, "POST", "/api/documents", { as, body });
    await upload(h, as, { name: `${account}.png` });
    const times = { start: "2026-12-01T09:00:00Z", end: "2026-12-01T10:00:00Z" };
    await done(h, "POST", "/api/calendar/events", { as, body: { title, ...times } });
  }
}

Deno.test("exports: each holds what its list shows, of what the caller sees, and no formula", async () => {
  await using h = await harness({ variant: "compact" });
  await scene(h);
  for (const path of EXPORTS) {
    for (const as of ["super", "user"] as const) {
      const listed = await h.ask("GET", `/api${path}?limit=100`, { as });
      if (listed.status === 403) {
        assert.equal((await h.ask("GET", `/api${path}/export`, { as })).status, 403, path);
        continue;
      }
      const lines = await csv(h, as, `${path}/export?format=csv`);
      const ids = listed.data.map(({ id }: { id: string }) => id);
      assert.deepEqual(lines.map((line) => line.id), ids, `${path} ${as}`);
    }
  }
  const [document] = await csv(h, "user", "/documents/export");
  assert.equal(document!.title, "'=cmd|' /C calc'!A0 user");
  assert.deepEqual([document!.tags, document!.owner, document!.size], [
    "'-x; y",
    "User Person",
    "11",
  ]);
  const { text } = await h.ask("GET", "/api/documents/export", { as: "super" });
  assert.ok(!text.includes("never shown"));
  const people = await h.ask("GET", "/api/users/export", { as: "admin" });
  assert.ok(!people.text.includes("argon2"));
});

Deno.test("exports: filters, search and sort are those of the list", async () => {
  await using h = await harness({ variant: "compact" });
  await scene(h);
  const emails = async (query: string) =>
    (await csv(h, "super", `/users/export?${query}`)).map(({ email }) => email);
  assert.deepEqual(await emails("role=user&sort=email"), ["other@example.com", "user@example.com"]);
  assert.deepEqual(await emails("search=gues"), ["guest@example.com"]);
  assert.equal((await csv(h, "super", "/documents/export?tag=y&search=other")).length, 1);
  assert.equal((await csv(h, "super", "/calendar/events/export?from=2027-01-01")).length, 0);
  assert.equal((await csv(h, "super", "/files/export?type=image")).length, 2);
});

Deno.test("exports: what cannot be is refused before anything is sent", async () => {
  await using h = await harness({ variant: "compact" });
  for (const path of EXPORTS) {
    for (const query of ["format=xls", "sort=nothing", "page=2", "limit=5", "cursor=x", "x=1"]) {
      const { status } = await h.ask("GET", `/api${path}/export?${query}`, { as: "super" });
      assert.equal(status, 400, `${path} ${query}`);
    }
    assert.equal((await h.ask("GET", `/api${path}/export`)).status, 401);
    assert.equal((await h.ask("GET", `/api${path}/export`, { as: "guest" })).status, 403);
  }
});

Deno.test("exports: a byte order mark for Excel, a name for the file, and a limit an hour", async () => {
  await using h = await harness();
  const { text, headers } = await h.ask("GET", "/api/users/export?bom=true", { as: "super" });
  assert.ok(text.startsWith("\ufeffid,name,email,") || text.startsWith("id,name,email,"));
  assert.match(headers.get("content-disposition")!, /^attachment; filename="users.csv"/);
  for (let n = 1; n < 60; n++) {
    assert.equal((await h.ask("HEAD", "/api/users/export", { as: "super" })).status, 200);
  }
  assert.equal((await h.ask("GET", "/api/documents/export", { as: "super" })).status, 429);
  assert.equal((await h.ask("GET", "/api/users/export", { as: "admin" })).status, 200);
});

Deno.test("exports: HEAD tells no length, for it is not known before all is read", async () => {
  await using h = await harness({ variant: "compact" });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, h.app.fetch);
  const headers = { authorization: `Bearer ${h.tokens.super}` };
  for (const path of [...EXPORTS, "/audit"]) {
    const url = `http://127.0.0.1:${server.addr.port}/api${path}/export`;
    const { status, headers: told } = await fetch(url, { method: "HEAD", headers });
    const expected = [200, null, "text/csv; charset=utf-8; header=present"];
    assert.deepEqual(
      [status, told.get("content-length"), told.get("content-type")],
      expected,
      path,
    );
  }
});

Deno.test("exports: they are read no faster than they are taken, and broken off when the store fails", async () => {
  await using h = await interposedHarness();
  const many = Array.from({ length: 2000 }, (_, n) => ({
    ...stamp(n),
    name: `Person ${n}`,
    email: `p${n}@example.com`,
    role: "user",
    permissions: [],
    status: "active" as const,
  }));
  await h.store.load(users, many);
  let reads = 0;
  let broken = false;
  const { from } = h.store;
  h.store.from = ((collection: Parameters<typeof from>[0]) =>
    new Proxy(from(collection), {
      get(reader, method) {
        if (method === "listRows" && broken) throw new Error("the store is gone");
        if (method === "listRows") reads++;
        return (reader as unknown as Record<PropertyKey, CallableFunction>)[method]!.bind(reader);
      },
    })) as typeof from;
  const request = () =>
    h.app.fetch(
      new Request("http://localhost/api/users/export", {
        headers: { authorization: `Bearer ${h.tokens.super}` },
      }),
      { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } },
    );
  const response = await request();
  assert.equal(response.status, 200);
  const reader = response.body!.getReader();
  await reader.read();
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.ok(reads > 0 && reads <= 3, `${reads} pages were read of which one was taken`);
  broken = true;
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  broken = false;
  const text = await (await request()).text();
  assert.equal(linesOf(text).length, 2005);
  assert.equal(new Set(linesOf(text).map(({ id }) => id)).size, 2005);
});
