// What front ends call beside the routes of documents, files and folders: the same rules by other paths.
import assert from "node:assert/strict";
import { shares } from "../../../models/shares.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { form, png } from "../../uploads.ts";

const WRITER = ["documents:create", "documents:update", "documents:delete"];
const KEEPER = ["files:create", "files:update", "files:delete"];

async function writers(): Promise<Harness> {
  const h = await harness({ variant: "full" });
  await h.grant("user", ...WRITER, ...KEEPER);
  await h.grant("other", ...WRITER, ...KEEPER);
  return h;
}

async function make(h: Harness, path: string, body: unknown, as: Account = "user") {
  const reply = await h.ask("POST", `/api${path}`, { as, body });
  assert.ok(reply.status < 300, reply.text);
  return reply.data;
}

Deno.test("neighbours: documents, files and folders take a new name by PATCH", async () => {
  await using h = await writers();
  const document = await make(h, "/documents", { title: "Draft", content: "text", tags: ["kept"] });
  const file = await make(h, "/files/upload", form({ bytes: png() }));
  const folder = await make(h, "/folders", { name: "Old" });
  for (
    const [path, body, field] of [
      [`/documents/${document.id}`, { title: "Report" }, "title"],
      [`/documents/${document.id}`, { name: "Report 2" }, "title"],
      [`/files/${file.id}`, { name: "report.png" }, "name"],
      [`/folders/${folder.id}`, { name: "New" }, "name"],
    ] as const
  ) {
    const ask = { as: "user" as const, body: { ...body, content: "ignored", folderId: "x" } };
    const { status, data } = await h.ask("PATCH", `/api${path}/rename`, ask);
    assert.deepEqual([status, data[field]], [200, Object.values(body)[0]], path);
    const none = await h.ask("PATCH", `/api${path}/rename`, { as: "user", body: {} });
    assert.equal(none.status, 400);
    const stale = { as: "user" as const, body, headers: { "if-match": '"stale"' } };
    assert.equal((await h.ask("PATCH", `/api${path}/rename`, stale)).status, 412);
  }
  const kept = await h.ask("GET", `/api/documents/${document.id}`, { as: "user" });
  assert.deepEqual([kept.data.content, kept.data.tags.length], ["text", 1]);
});

Deno.test("neighbours: a favourite is marked, unmarked, and turned over", async () => {
  await using h = await writers();
  const { id } = await make(h, "/files/upload", form({ bytes: png() }));
  const mark = async (body?: unknown) => (await make(h, `/files/${id}/favorite`, body)).isFavorite;
  assert.deepEqual(
    [await mark(), await mark(), await mark({ isFavorite: true }), await mark({ favorite: true })],
    [true, false, true, true],
  );
  assert.equal(await mark({ isFavorite: false }), false);
});

Deno.test("neighbours: a batch of documents deletes one's own, and tells of each", async () => {
  await using h = await writers();
  const own = [
    await make(h, "/documents", { title: "A", tags: ["x"] }),
    await make(h, "/documents", { title: "B" }),
  ].map(({ id }) => id);
  const { id: foreign } = await make(h, "/documents", { title: "C" }, "other");
  const { id: shared } = await make(h, "/documents", { title: "D" }, "other");
  await make(h, `/documents/${shared}/share`, { userId: h.accounts.user.id }, "other");
  await make(h, `/documents/${own[0]}/share`, { userId: h.accounts.other.id });
  const ids = [own[0], foreign, shared, "none", own[1], own[0]];
  const reply = await h.ask("POST", "/api/documents/batch-delete", { as: "user", body: { ids } });
  assert.deepEqual(reply.data, [
    { id: own[0], status: "deleted" },
    { id: foreign, status: "not_found" },
    { id: shared, status: "forbidden" },
    { id: "none", status: "not_found" },
    { id: own[1], status: "deleted" },
  ]);
  assert.equal(reply.body.message, "2 of 5 documents are deleted");
  assert.equal((await h.ask("GET", `/api/documents/${own[0]}`, { as: "user" })).status, 404);
  assert.equal((await h.ask("GET", `/api/documents/${foreign}`, { as: "other" })).status, 200);
  assert.equal(await h.store.from(shares).count({ documentId: own[0] }), 0);
  for (const ids of [[], Array.from({ length: 101 }, (_, n) => `${n}`), [""]]) {
    const refused = await h.ask("POST", "/api/documents/batch-delete", {
      as: "user",
      body: { ids },
    });
    assert.equal(refused.status, 400);
  }
});

Deno.test("neighbours: a document is shared no more with whom one names", async () => {
  await using h = await writers();
  const { id } = await make(h, "/documents", { title: "Plan" });
  const share = (userId: string) => make(h, `/documents/${id}/share`, { userId });
  const unshare = (body: unknown, as: Account = "user") =>
    h.ask("POST", `/api/documents/${id}/unshare`, { as, body });
  const { other, admin, guest } = h.accounts;
  const given = [await share(other.id), await share(admin.id), await share(guest.id)];
  assert.equal((await unshare({ userId: admin.id }, "other")).status, 403);
  const one = await unshare({ userId: other.id });
  assert.deepEqual(one.data, [{ id: given[0].id }]);
  assert.equal((await unshare({ userId: other.id })).status, 404);
  assert.equal((await h.ask("GET", `/api/documents/${id}`, { as: "other" })).status, 404);
  const { data: elsewhere } = await h.ask("POST", "/api/documents", {
    as: "other",
    body: { title: "Other" },
  });
  const foreign = await make(h, `/documents/${elsewhere.id}/share`, { userId: guest.id }, "other");
  assert.equal((await unshare({ shareId: foreign.id })).status, 404);
  assert.equal((await unshare({ userIds: [admin.id, guest.id, other.id] })).data.length, 2);
  for (const body of [{}, { userId: "a", teamId: "b" }, { userIds: [] }]) {
    assert.equal((await unshare(body)).status, 400);
  }
});

Deno.test("neighbours: a folder by its id, made among the files, and the storage by its other name", async () => {
  await using h = await writers();
  const outer = await make(h, "/files/folder", { name: "Outer" });
  const inner = await make(h, "/folders", { name: "Inner", parentId: outer.id });
  const { data, headers } = await h.ask("GET", `/api/folders/${outer.id}`, { as: "user" });
  assert.deepEqual([data.path, data.children[0].id], ["/Outer", inner.id]);
  assert.ok(headers.get("etag"));
  assert.equal((await h.ask("GET", `/api/folders/${outer.id}`, { as: "other" })).status, 404);
  const [named, plain] = [
    await h.ask("GET", "/api/files/storage-info", { as: "user" }),
    await h.ask("GET", "/api/files/storage", { as: "user" }),
  ];
  assert.deepEqual(named.data, plain.data);
});

Deno.test("neighbours: the permissions of a role are set by POST as by PUT", async () => {
  await using h = await harness({ variant: "full" });
  const role = await make(h, "/roles", { name: "editor" }, "super");
  const body = { permissions: ["documents:view"] };
  const set = await make(h, `/roles/${role.id}/permissions`, body, "super");
  assert.deepEqual(set.permissions, ["documents:view"]);
  const refused = await h.ask("POST", `/api/roles/${role.id}/permissions`, { as: "user", body });
  assert.equal(refused.status, 403);
});
