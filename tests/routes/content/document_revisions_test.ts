// The history of documents: what makes a revision, who reads it, and how a document becomes what it was.
import assert from "node:assert/strict";
import { documentRevisions } from "../../../models/revisions.ts";
import { storageOf } from "../../../services/content/storage_usage.ts";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange as arrangeDocuments, done, share, type State } from "./document_scene.ts";

/** A document that was changed twice. */
async function arrange(h: Harness): Promise<State> {
  const s = await arrangeDocuments(h);
  await done(h, "PUT", s.path, { as: "user", body: { content: "text, longer" } });
  h.clock.advance(1000);
  await done(h, "PUT", s.path, { as: "user", body: { title: "Plan B", type: "code" } });
  return s;
}

const change = (h: Harness, s: State, body: unknown) =>
  done(h, "PUT", s.path, { as: "user", body });
const count = (h: Harness) => h.store.from(documentRevisions).count();

scenarios("document revisions", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "the newest first, with who changed what, without the content",
      method: "GET",
      path: ({ path }) => `${path}/revisions`,
      as: "user",
      status: 200,
      holds: (s: State, h: Harness) => ({
        data: [
          {
            revision: 2,
            title: "Plan",
            type: "document",
            size: 12,
            changed: ["title", "type"],
            changedBy: { id: s.id.user, name: "User Person" },
            changedAt: h.clock.now().toISOString(),
          },
          { revision: 1, title: "Plan", size: 4, changed: ["content"] },
        ],
        pagination: { total: 2 },
      }),
      absent: ["longer"],
    },
    {
      name: "filtered by who changed it",
      method: "GET",
      path: ({ path, id }) => `${path}/revisions?changedBy=${id.other}`,
      as: "user",
      status: 200,
      holds: { data: [] },
    },
    {
      name: "one with its content",
      method: "GET",
      path: ({ path }) => `${path}/revisions/1`,
      as: "user",
      status: 200,
      holds: { data: { revision: 1, title: "Plan", type: "document", content: "text" } },
    },
    ...["0", "3", "x", "1e0", "99999999999"].map((number) => ({
      name: `none of number ${number}: 404`,
      method: "GET",
      path: ({ path }: State) => `${path}/revisions/${number}`,
      as: "user" as const,
      status: 404,
    })),
    ...[["GET", ""], ["GET", "/1"], ["POST", "/1/restore"], ["DELETE", "/1"]].flatMap((
      [method, rest],
    ) => [
      {
        name: `${method} ${rest} of another's: 404`,
        method: method!,
        path: ({ path }: State) => `${path}/revisions${rest}`,
        as: "other" as const,
        status: 404,
      },
      {
        name: `${method} ${rest} without a token: 401`,
        method: method!,
        path: ({ path }: State) => `${path}/revisions${rest}`,
        status: 401,
      },
    ]),
    {
      name: "restore makes the document what it was, and what it was until now a revision",
      method: "POST",
      path: ({ path }) => `${path}/revisions/1/restore`,
      as: "user",
      status: 200,
      holds: { data: { title: "Plan", type: "document", content: "text", size: 4 } },
      async after(h, _, s) {
        const [newest] = await done(h, "GET", `${s.path}/revisions`, { as: "user" });
        assert.deepEqual([newest.revision, newest.title, newest.changed], [3, "Plan B", [
          "title",
          "content",
          "type",
        ]]);
        await done(h, "POST", `${s.path}/revisions/3/restore`, { as: "user" });
        const back = await done(h, "GET", s.path, { as: "user" });
        assert.deepEqual([back.title, back.type, back.content], ["Plan B", "code", "text, longer"]);
      },
    },
    {
      name: "restore with a stale If-Match: 412",
      method: "POST",
      path: ({ path }) => `${path}/revisions/1/restore`,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      name: "delete gives the bytes back",
      method: "DELETE",
      path: ({ path }) => `${path}/revisions/2`,
      as: "user",
      status: 200,
      async after(h, _, s) {
        assert.equal((await h.ask("GET", `${s.path}/revisions/2`, { as: "user" })).status, 404);
        const { used } = await storageOf(h.store, s.id.user, 0);
        assert.equal(used, "text, longer".length + "text".length);
        assert.equal((await change(h, s, { title: "C" })).title, "C");
        assert.equal((await done(h, "GET", `${s.path}/revisions`, { as: "user" }))[0].revision, 3);
      },
    },
  ],
});

Deno.test("document revisions: who reads it reads its history, who edits it restores, its owner deletes", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const asOther = async (permission: string) => {
    await share(h, s, { userId: s.id.other, permission });
    const ask = async (method: string, rest: string) =>
      (await h.ask(method, `${s.path}/revisions${rest}`, { as: "other" })).status;
    return [
      await ask("GET", ""),
      await ask("GET", "/1"),
      await ask("POST", "/1/restore"),
      await ask("DELETE", "/1"),
    ];
  };
  assert.deepEqual(await asOther("read"), [200, 200, 403, 403]);
  assert.deepEqual(await asOther("edit"), [200, 200, 200, 403]);
  const [newest] = await done(h, "GET", `${s.path}/revisions`, { as: "user" });
  assert.equal(newest.changedBy.id, s.id.other);
});

Deno.test("document revisions: what changes nothing of the text makes none", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrangeDocuments(h);
  await change(h, s, { title: "Plan", content: "text", type: "document" });
  await change(h, s, { folder: "/b", tags: ["u"] });
  await done(h, "POST", `${s.path}/move`, { as: "user", body: { folder: "/c" } });
  await share(h, s, { userId: s.id.other });
  assert.equal(await count(h), 0);
});

Deno.test("document revisions: the oldest go beyond REVISIONS_KEPT, and with 0 there are none", async () => {
  for (const kept of [3, 0]) {
    await using h = await harness({ variant: "full", env: { REVISIONS_KEPT: String(kept) } });
    const s = await arrangeDocuments(h);
    for (let n = 0; n < 6; n++) await change(h, s, { content: `text ${n}` });
    const shown = await done(h, "GET", `${s.path}/revisions`, { as: "user" });
    assert.deepEqual(
      shown.map((one: { revision: number }) => one.revision),
      kept ? [6, 5, 4] : [],
    );
    assert.equal(await count(h), kept);
  }
});

Deno.test("document revisions: their bytes count for the owner, whoever makes them", async () => {
  await using h = await harness({ variant: "full", env: { STORAGE_QUOTA: "10KB" } });
  const s = await arrangeDocuments(h);
  await share(h, s, { userId: s.id.other, permission: "edit" });
  const edit = (as: "user" | "other", n: number) =>
    h.ask("PUT", s.path, { as, body: { content: String(n).padEnd(2000, ".") } });
  for (let n = 0; n < 4; n++) assert.equal((await edit("other", n)).status, 200);
  const refused = await edit("other", 5);
  assert.equal(refused.status, 413, "a tenth of the quota is kept for the owner");
  assert.equal((await edit("user", 6)).status, 200);
  assert.equal((await edit("user", 7)).status, 413);
  await done(h, "DELETE", `${s.path}/revisions/2`, { as: "user" });
  assert.equal((await edit("user", 8)).status, 200);
});

Deno.test("document revisions: two changes at once are two revisions", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrangeDocuments(h);
  const bodies = Array.from({ length: 8 }, (_, n) => ({ content: `text ${n}` }));
  await Promise.all(bodies.map((body) => change(h, s, body)));
  const { rows } = await h.store.from(documentRevisions).list({ sort: "revision", limit: 20 });
  assert.deepEqual(rows.map(({ revision }) => revision), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(rows[0]!.content, "text");
});

Deno.test("document revisions: they outlive who made them, and pass on with the document", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  await done(h, "DELETE", `/api/users/${s.id.user}`, { as: "super" });
  const [newest] = await done(h, "GET", `${s.path}/revisions`, { as: "super" });
  assert.deepEqual([newest.revision, newest.changedBy], [2, undefined]);
  const revision = await h.store.from(documentRevisions).findBy("revision", s.own.id, 1);
  assert.equal(revision!.ownerId, s.id.super);
});
