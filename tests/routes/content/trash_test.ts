// The trash: what is deleted is nowhere to be seen, comes back as it was, or ends for good.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { documents, documentTags, documentViews, tags } from "../../../models/documents.ts";
import { contents, files, fileVersions } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { documentRevisions } from "../../../models/revisions.ts";
import { shares } from "../../../models/shares.ts";
import { trash, trashParts } from "../../../models/trash.ts";
import { sweepTags } from "../../../services/content/tags.ts";
import { finishAbandonedTrash, sweepTrash } from "../../../services/content/trash.ts";
import { type CollectionDeclaration, StoreUnavailable } from "../../../storage/port.ts";
import { DAY, HOUR } from "../../../core/units.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { scenarios } from "../../scenario.ts";
import { sceneOf } from "../../writes.ts";
import { bytesAt, form, pdf, stored, upload } from "../../uploads.ts";
import { arrange as arrangeDocuments, done, share, teamOf } from "./document_scene.ts";
import { ALL, folder } from "./file_scene.ts";

const RIGHTS = ["documents:create", "documents:update", "documents:delete"];

async function scene(h: Harness) {
  for (const account of ["user", "other"] as const) await h.grant(account, ...RIGHTS, ...ALL);
}

// deno-lint-ignore no-explicit-any -- collections of different records
const countOf = (h: Harness, collection: CollectionDeclaration<any>) =>
  h.store.from(collection).count();
const list = async (h: Harness, as: Account, query = "") =>
  (await done(h, "GET", `/api/trash${query}`, { as })) as { id: string; kind: string }[];
const restore = (h: Harness, id: string, as: Account = "user") =>
  h.ask("POST", `/api/trash/${id}/restore`, { as });

Deno.test("trash: a document comes back with its id, tags, shares, views and history", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrangeDocuments(h);
  const team = await teamOf(h, ["guest"]);
  await share(h, s, { userId: s.id.other, permission: "edit" });
  await share(h, s, { teamId: team.id });
  await done(h, "PUT", s.path, { as: "user", body: { content: "# Über uns 🎉" } });
  await done(h, "GET", s.path, { as: "other" });
  await h.app.services.documentViews.flush();
  const before = await done(h, "GET", s.path, { as: "user" });

  await done(h, "DELETE", s.path, { as: "user" });
  for (const collection of [documents, documentTags, documentViews, shares]) {
    const left = await countOf(h, collection);
    assert.equal(left, collection === documents ? 1 : collection === documentTags ? 1 : 0);
  }
  for (const path of [s.path, `${s.path}/revisions`, `${s.path}/revisions/1`]) {
    assert.equal((await h.ask("GET", path, { as: "user" })).status, 404, path);
  }
  assert.deepEqual(await done(h, "GET", "/api/documents", { as: "user" }), []);
  assert.deepEqual(await done(h, "GET", "/api/documents", { as: "other" }).then(idsOf), [
    s.foreign.id,
  ]);
  const [entry] = await list(h, "user");
  const { name, path, size, ownerId } = entry as unknown as Record<string, unknown>;
  assert.deepEqual([name, path, ownerId], ["Plan", "/a/Plan", s.id.user]);
  assert.equal(size, new TextEncoder().encode("# Über uns 🎉").length);
  assert.deepEqual(await list(h, "other"), []);

  const reply = await restore(h, s.own.id);
  assert.deepEqual([reply.status, reply.data.kind], [200, "document"], reply.text);
  const after = await done(h, "GET", s.path, { as: "user" });
  const { updatedAt: _, views, ...same } = after;
  const { updatedAt: __, views: seen, ...was } = before;
  assert.deepEqual(same, was);
  assert.ok(views >= seen);
  assert.equal((await h.ask("PUT", s.path, { as: "other", body: { title: "Ours" } })).status, 200);
  assert.equal((await h.ask("GET", s.path, { as: "guest" })).status, 200);
  assert.equal((await done(h, "GET", `${s.path}/revisions`, { as: "user" })).length, 2);
  assert.equal(await h.store.from(trash).count() + await h.store.from(trashParts).count(), 0);
});

const idsOf = (all: { id: string }[]) => all.map(({ id }) => id);

Deno.test("trash: what a document was opened to may be gone when it comes back", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrangeDocuments(h);
  const team = await teamOf(h, ["guest"]);
  await share(h, s, { userId: s.id.other });
  await share(h, s, { teamId: team.id });
  await done(h, "PUT", s.path, { as: "user", body: { teamId: team.id, tags: ["rare"] } });
  await done(h, "DELETE", s.path, { as: "user" });
  await done(h, "DELETE", `/api/teams/${team.id}`, { as: "user" });
  await done(h, "DELETE", `/api/users/${s.id.other}`, { as: "super" });
  h.clock.advance(2 * HOUR);
  await sweepTags(h.store, h.clock.now());
  assert.equal(await h.store.from(tags).findBy("name", "rare"), null);
  assert.equal((await restore(h, s.own.id)).status, 200);
  const back = await done(h, "GET", s.path, { as: "user" });
  assert.deepEqual([back.teamId, back.shares], [undefined, []]);
  assert.deepEqual(back.tags.map((tag: { name: string }) => tag.name), ["rare"]);
});

Deno.test("trash: a file comes back with its versions and bytes, which go on counting meanwhile", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const { id: inside } = await folder(h, "user", "Reports");
  const first = await upload(h, "user", {
    bytes: pdf("one"),
    type: "application/pdf",
    fields: { folderId: inside },
  });
  const fields = { fileId: first.id };
  const file = await upload(h, "user", {
    bytes: pdf("two, longer"),
    type: "application/pdf",
    fields,
  });
  const path = `/api/files/${file.id}`;
  await done(h, "POST", `${path}/share`, { as: "user", body: { userId: h.accounts.other.id } });
  const before = await stored(h);
  const usage = await done(h, "GET", "/api/files/storage", { as: "user" });
  await done(h, "DELETE", path, { as: "user" });

  assert.deepEqual({ ...await stored(h), files: 1 }, before);
  const thrown = await done(h, "GET", "/api/files/storage", { as: "user" });
  assert.deepEqual([thrown.used, thrown.fileCount], [usage.used, 0]);
  assert.equal(thrown.trash, usage.used);
  const sum = Object.values(thrown.breakdown as Record<string, number>).reduce((a, b) => a + b);
  assert.equal(sum, thrown.used);
  for (const as of ["user", "other"] as const) {
    for (const rest of ["", "/download", "/versions", "/versions/1/download"]) {
      assert.equal((await h.ask("GET", path + rest, { as })).status, 404, rest);
    }
    assert.deepEqual(await done(h, "GET", "/api/files", { as }), []);
    const search = { as, body: { query: "picture" } };
    assert.deepEqual(await done(h, "POST", "/api/files/search", search), []);
  }
  const batch = { as: "user" as const, body: { ids: [file.id], folderId: null } };
  assert.equal((await done(h, "POST", "/api/files/batch-move", batch))[0].status, "not_found");

  assert.equal((await restore(h, file.id)).data.parentId, inside);
  assert.deepEqual(await stored(h), before);
  assert.equal((await done(h, "GET", path, { as: "other" })).version, 2);
  assert.deepEqual(await bytesAt(h, "user", `${path}/versions/1/download`), pdf("one"));
});

Deno.test("trash: a folder goes and comes back as one, under a free name, at the root where its own folder is gone", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const outer = await folder(h, "user", "Outer");
  const middle = await folder(h, "user", "Middle", outer.id);
  const inner = await folder(h, "user", "Inner", middle.id);
  const file = await upload(h, "user", { fields: { folderId: inner.id } });
  await done(h, "DELETE", `/api/folders/${middle.id}?recursive=true`, { as: "user" });
  const [entry, ...none] = await list(h, "user");
  assert.deepEqual([entry!.id, entry!.kind, none.length], [middle.id, "folder", 0]);
  const [tree] = await done(h, "GET", "/api/folders", { as: "user" });
  assert.deepEqual([tree.name, tree.children], ["Outer", []]);
  assert.equal(await h.store.from(files).count() + await h.store.from(fileVersions).count(), 0);

  await done(h, "DELETE", `/api/folders/${outer.id}`, { as: "user" });
  await folder(h, "user", "MIDDLE");
  const back = await restore(h, middle.id);
  assert.deepEqual([back.data.name, back.data.parentId], ["Middle (2)", undefined], back.text);
  const shown = await done(h, "GET", `/api/files/${file.id}`, { as: "user" });
  assert.deepEqual([shown.path, shown.folderId], ["/Middle (2)/Inner/picture.png", inner.id]);
  assert.equal((await restore(h, outer.id)).status, 200);
  const roots = await done(h, "GET", "/api/folders", { as: "user" });
  assert.deepEqual(roots.map((one: { name: string }) => one.name), [
    "MIDDLE",
    "Middle (2)",
    "Outer",
  ]);
});

Deno.test("trash: a folder whose long name is taken comes back under one that it could be given", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const name = "🌊".repeat(63);
  const first = await folder(h, "user", name);
  await done(h, "DELETE", `/api/folders/${first.id}`, { as: "user" });
  await folder(h, "user", name);
  const { data } = await restore(h, first.id);
  assert.equal(data.name, `${"🌊".repeat(62)} (2)`);
  await done(h, "PUT", `/api/folders/${first.id}`, { as: "user", body: { name: data.name } });
});

Deno.test("trash: folders get no deeper than they may by way of it", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const chain = async (prefix: string, length: number, parentId?: string) => {
    const ids: string[] = [];
    for (let n = 0; n < length; n++) {
      const { id } = await folder(h, "user", `${prefix}${n}`, ids.at(-1) ?? parentId);
      ids.push(id);
    }
    return ids;
  };
  const [parent] = await chain("p", 1);
  const [top] = await chain("t", 20, parent);
  const deep = await chain("d", 15);
  await done(h, "DELETE", `/api/folders/${top}?recursive=true`, { as: "user" });
  const move = { as: "user" as const, body: { parentId: deep.at(-1) } };
  await done(h, "POST", `/api/folders/${parent}/move`, move);
  assert.equal((await restore(h, top!)).data.parentId, undefined);
});

Deno.test("trash: bytes end with what is purged, once nothing else has them, and the log tells who did it", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const first = await upload(h, "user");
  const second = await upload(h, "user", { name: "same bytes.png" });
  const body = { title: "Plan", content: "text" };
  const document = await done(h, "POST", "/api/documents", { as: "user", body });
  for (let n = 0; n < 25; n++) {
    const change = { as: "user" as const, body: { content: `text ${n}` } };
    await done(h, "PUT", `/api/documents/${document.id}`, change);
  }
  for (const { id } of [first, second]) await done(h, "DELETE", `/api/files/${id}`, { as: "user" });
  await done(h, "DELETE", `/api/documents/${document.id}`, { as: "user" });
  await done(h, "DELETE", `/api/trash/${first.id}`, { as: "user" });
  assert.deepEqual((await stored(h)).references, { [first.sha256]: 1 });
  assert.equal((await restore(h, first.id)).status, 404);
  const emptied = await done(h, "DELETE", "/api/trash", { as: "user" });
  assert.equal(emptied.count, 2);
  const left = await stored(h);
  assert.deepEqual([left.blobs, left.references], [[], {}]);
  assert.equal(left.used[h.accounts.user.id], 0);
  for (const collection of [trash, trashParts, documentRevisions, contents]) {
    assert.equal(await countOf(h, collection), 0, collection.name);
  }
  const { rows } = await h.store.from(auditLog).list({ where: { action: "purge" }, limit: 9 });
  assert.deepEqual(
    rows.map(({ targetId }) => targetId).sort(),
    [
      document.id,
      first.id,
      second.id,
    ].sort(),
  );
  assert.ok(rows.every(({ actorId }) => actorId === h.accounts.user.id));
});

Deno.test("trash: files with the same bytes are purged together", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const same = await Promise.all([upload(h, "user"), upload(h, "user"), upload(h, "user")]);
  const kept = await upload(h, "user");
  const ids = same.map(({ id }) => id);
  await done(h, "POST", "/api/files/batch-delete", { as: "user", body: { ids } });
  assert.equal((await list(h, "user")).length, 3);
  await done(h, "DELETE", "/api/trash", { as: "user" });
  assert.deepEqual((await stored(h)).references, { [kept.sha256]: 1 });
  assert.equal((await bytesAt(h, "user", `/api/files/${kept.id}/download`)).length, kept.size);
});

Deno.test("trash: emptying one's own leaves what others have", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const mine = await upload(h, "user");
  await done(h, "DELETE", `/api/files/${mine.id}`, { as: "user" });
  const emptied = await done(h, "DELETE", "/api/trash", { as: "admin" });
  assert.deepEqual([emptied.count, (await list(h, "user")).length], [0, 1]);
});

Deno.test("trash: what is older than TRASH_DAYS is swept, and nothing before", async () => {
  await using h = await harness({ variant: "full", env: { TRASH_DAYS: "2" } });
  await scene(h);
  const old = await upload(h, "user");
  await done(h, "DELETE", `/api/files/${old.id}`, { as: "user" });
  h.clock.advance(DAY + 1000);
  const young = await upload(h, "user");
  await done(h, "DELETE", `/api/files/${young.id}`, { as: "user" });
  await sweepTrash(h.store, h.clock.now());
  assert.equal(await h.store.from(trash).count(), 2);
  h.clock.advance(DAY);
  await sweepTrash(h.store, h.clock.now());
  assert.equal(await h.store.from(trash).get(old.id), null);
  assert.ok(await h.store.from(trash).get(young.id));
});

Deno.test("trash: TRASH_DAYS=0 and permanent=true pass by it, whatever the length of the history", async () => {
  for (const [env, query] of [[{ TRASH_DAYS: "0" }, ""], [{}, "?permanent=true"]] as const) {
    await using h = await harness({ variant: "full", env });
    await scene(h);
    const body = { title: "Plan", content: "text" };
    const { id } = await done(h, "POST", "/api/documents", { as: "user", body });
    for (let n = 0; n < 21; n++) {
      await done(h, "PUT", `/api/documents/${id}`, { as: "user", body: { content: `text ${n}` } });
    }
    await done(h, "DELETE", `/api/documents/${id}${query}`, { as: "user" });
    const file = await upload(h, "user");
    await done(h, "DELETE", `/api/files/${file.id}${query}`, { as: "user" });
    for (const collection of [trash, documentRevisions, documents, files, contents]) {
      assert.equal(await countOf(h, collection), 0, collection.name);
    }
  }
});

Deno.test("trash: at the quota of records or bytes things can still be deleted and restored", async () => {
  const env = { RECORDS_QUOTA: "12", STORAGE_QUOTA: "4KB", RATE_LIMIT: "false" };
  await using h = await harness({ variant: "full", env });
  await scene(h);
  const made: string[] = [];
  for (let n = 0; n < 12; n++) {
    const body = { title: `Plan ${n}`, content: "x".repeat(n < 1 ? 4000 : 1) };
    made.push((await done(h, "POST", "/api/documents", { as: "user", body })).id);
  }
  const create = () =>
    h.ask("POST", "/api/documents", { as: "user", body: { title: "More", content: "" } });
  assert.equal((await create()).status, 409);
  await done(h, "DELETE", `/api/documents/${made[0]}`, { as: "user" });
  assert.equal((await create()).status, 409, "what is in the trash counts as a record");
  h.clock.advance(2 * 60_000);
  const large = { title: "Large", content: "x".repeat(500) };
  await done(h, "DELETE", `/api/documents/${made[1]}?permanent=true`, { as: "user" });
  const refused = await h.ask("POST", "/api/documents", { as: "user", body: large });
  assert.equal(refused.status, 413, "and with its bytes");
  assert.equal((await restore(h, made[0]!)).status, 200);
  const { used } = await done(h, "GET", "/api/files/storage", { as: "user" });
  assert.equal(used, 4010);
});

Deno.test("trash: a document as large as one may be goes and comes back", async () => {
  await using h = await harness({ variant: "full" });
  await scene(h);
  const content = '"\\🎉\n'.repeat(35_000);
  const body = { title: "Large", content };
  const { id } = await done(h, "POST", "/api/documents", { as: "user", body });
  await done(h, "DELETE", `/api/documents/${id}`, { as: "user" });
  assert.ok(await h.store.from(trashParts).count() > 1);
  assert.equal((await restore(h, id)).status, 200);
  const back = await done(h, "GET", `/api/documents/${id}`, { as: "user" });
  assert.ok(back.content === content);
});

Deno.test("trash: what belonged to a deleted user passes on; what names them in others' ends when they are erased", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrangeDocuments(h);
  await h.grant("user", ...ALL);
  const file = await upload(h, "user");
  await share(h, s, { userId: s.id.other });
  await done(h, "DELETE", s.path, { as: "user" });
  await done(h, "DELETE", `/api/files/${file.id}`, { as: "user" });
  const other = s.id.other;
  assert.ok((await storedText(h)).includes(other));
  await done(h, "DELETE", s.hidden, { as: "other" });
  const { token } = await sceneOf(h);
  const erased = await h.ask("DELETE", `/api/users/${other}?erase=true`, { token });
  assert.equal(erased.status, 200, erased.text);
  assert.ok(!(await storedText(h)).includes(other));

  await done(h, "DELETE", `/api/users/${s.id.user}`, { as: "super" });
  const passed = await list(h, "super", `?ownerId=${s.id.super}`);
  assert.deepEqual(idsOf(passed).sort(), [s.own.id, file.id].sort());
  for (const id of [s.own.id, file.id]) assert.equal((await restore(h, id, "super")).status, 200);
  assert.equal((await done(h, "GET", s.path, { as: "super" })).ownerId, s.id.super);
  const usage = await done(h, "GET", "/api/files/storage", { as: "super" });
  await done(h, "DELETE", `/api/files/${file.id}?permanent=true`, { as: "super" });
  const left = await done(h, "GET", "/api/files/storage", { as: "super" });
  assert.equal(usage.used - left.used, file.size);
});

async function storedText({ store }: Harness): Promise<string> {
  const all = await Promise.all(
    [trash, trashParts].map((one) =>
      Array.fromAsync<unknown>(store.from(one as typeof trash).scan())
    ),
  );
  return JSON.stringify(all);
}

Deno.test("trash: a large folder goes and comes back in small commits, is seen in neither, and outlives a crash", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const { store } = h;
  await scene(h);
  const outer = await folder(h, "user", "Outer");
  const inner = await folder(h, "user", "Inner", outer.id);
  for (let n = 0; n < 130; n++) {
    await upload(h, "user", {
      name: `${n}.png`,
      fields: { folderId: n % 2 ? outer.id : inner.id },
    });
  }
  const before = await stored(h);
  const whole = async () => (await done(h, "GET", "/api/files", { as: "user" })).length;
  const files0 = await whole();
  const largest = () => Math.max(...store.committed.map((changes) => changes.length));
  store.committed.length = 0;

  async function killedAfter(commits: number, act: () => Promise<{ status: number }>) {
    let left = commits;
    store.beforeCommit = () => {
      if (left-- === 0) throw new StoreUnavailable("killed");
    };
    assert.equal((await act()).status, 503);
    store.beforeCommit = null;
    assert.equal(await h.store.from(trash).count(), 1);
    assert.deepEqual(await list(h, "user"), []);
    assert.equal(await whole(), 0);
    assert.deepEqual(await done(h, "GET", "/api/folders", { as: "user" }), []);
    h.clock.advance(6000);
    await finishAbandonedTrash(store, h.clock.now());
  }
  const path = `/api/folders/${outer.id}?recursive=true`;
  await killedAfter(1, () => h.ask("DELETE", path, { as: "user" }));
  assert.equal((await list(h, "user")).length, 1);
  assert.equal(await store.from(files).count() + await store.from(folders).count(), 0);
  await killedAfter(1, () => restore(h, outer.id));
  assert.deepEqual(await stored(h), before);
  assert.equal(await whole(), files0);
  const shown = await done(h, "GET", "/api/files?search=129.png", { as: "user" });
  assert.equal(shown[0].path, "/Outer/129.png");
  await done(h, "DELETE", path, { as: "user" });
  await killedAfter(1, () => h.ask("DELETE", `/api/trash/${outer.id}`, { as: "user" }));
  const left = await stored(h);
  assert.deepEqual([left.blobs, left.used[h.accounts.user.id]], [[], 0]);
  assert.ok(largest() <= 500, `${largest()} changes in a commit`);
});

interface Thrown {
  readonly document: string;
  readonly file: string;
}

const paths: readonly [method: string, path: (id: string) => string][] = [
  ["POST", (id) => `/api/trash/${id}/restore`],
  ["DELETE", (id) => `/api/trash/${id}`],
];

scenarios("trash", {
  variant: "full",
  async arrange(h): Promise<Thrown> {
    await scene(h);
    await h.grant("guest", "files:delete", "files:view");
    const body = { title: "Plan", content: "text" };
    const document = await done(h, "POST", "/api/documents", { as: "user", body });
    const file = await done(h, "POST", "/api/files/upload", { as: "user", body: form() });
    await done(h, "DELETE", `/api/documents/${document.id}`, { as: "user" });
    await done(h, "DELETE", `/api/files/${file.id}`, { as: "user" });
    return { document: document.id, file: file.id };
  },
  rows: [
    {
      name: "the newest first, with who deleted it and until when it can be restored",
      method: "GET",
      path: "/api/trash",
      as: "user",
      status: 200,
      holds: ({ file, document }: Thrown, h: Harness) => ({
        data: [
          {
            id: file,
            kind: "file",
            path: "/picture.png",
            deletedBy: { id: h.accounts.user.id },
            expiresAt: new Date(h.clock.now().getTime() + 30 * DAY).toISOString(),
          },
          { id: document, kind: "document" },
        ],
        pagination: { total: 2 },
      }),
    },
    {
      name: "filters, search and sort",
      method: "GET",
      path: "/api/trash?kind=document&search=pla&sort=name",
      as: "user",
      status: 200,
      holds: ({ document }: Thrown) => ({ data: [{ id: document }], pagination: { total: 1 } }),
    },
    {
      name: "everyone's for who manages",
      method: "GET",
      path: "/api/trash",
      as: "admin",
      status: 200,
      holds: { pagination: { total: 2 } },
    },
    {
      name: "only of what one manages",
      method: "GET",
      path: "/api/trash",
      as: "other",
      status: 200,
      holds: { data: [] },
    },
    {
      name: "no filter by state: 400",
      method: "GET",
      path: "/api/trash?state=kept",
      as: "user",
      status: 400,
    },
    { name: "without a token: 401", method: "GET", path: "/api/trash", status: 401 },
    ...paths.flatMap(([method, path]) =>
      [
        ["another's", "other", (s: Thrown) => s.document, 404],
        ["a document with a right over files alone", "guest", (s: Thrown) => s.document, 404],
        ["another's file", "guest", (s: Thrown) => s.file, 404],
        ["one's own", "user", (s: Thrown) => s.file, 200],
        ["as who manages", "admin", (s: Thrown) => s.document, 200],
        ["of nothing", "user", () => "nothing", 404],
        ["without a token", null, (s: Thrown) => s.document, 401],
      ].map(([what, as, id, status]) => ({
        name: `${method} ${what}: ${status}`,
        method,
        path: (s: Thrown) => path((id as (s: Thrown) => string)(s)),
        as: as as Account | null,
        status: status as number,
      }))
    ),
  ],
});
