// Folders: the tree, its changes, and that it stays a tree.
import assert from "node:assert/strict";
import { files, fileVersions } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { Ledger } from "../../../services/content/contents.ts";
import { planFile } from "../../../services/content/file_plans.ts";
import { MAX_DEPTH } from "../../../services/content/folder_plans.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { form, pdf, png, stored, upload } from "../../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";
const ALL = ["files:create", "files:update", "files:delete"];

async function make(h: Harness, as: Account, name: string, parentId?: string) {
  const reply = await h.ask("POST", "/api/folders", { as, body: { name, parentId } });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string };
}

/** `/A/B/C` and `/D` of user, with a file in B; `/Foreign` of other. */
async function arrange(h: Harness) {
  await h.grant("user", ...ALL);
  await h.grant("other", ...ALL);
  const a = await make(h, "user", "A");
  const b = await make(h, "user", "B", a.id);
  const c = await make(h, "user", "C", b.id);
  const d = await make(h, "user", "D");
  const foreign = await make(h, "other", "Foreign");
  const file = await upload(h, "user", { fields: { folderId: b.id } });
  return { a: a.id, b: b.id, c: c.id, d: d.id, foreign: foreign.id, file };
}

type State = Awaited<ReturnType<typeof arrange>>;

scenarios("folders", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "the tree of one's own",
      method: "GET",
      path: "/api/folders",
      as: "user",
      status: 200,
      holds: ({ a, b, c }: State) => ({
        data: [
          {
            id: a,
            name: "A",
            path: "/A",
            fileCount: 0,
            children: [
              {
                id: b,
                parentId: a,
                path: "/A/B",
                fileCount: 1,
                children: [{ id: c, path: "/A/B/C", fileCount: 0, children: [] }],
              },
            ],
          },
          { name: "D", children: [] },
        ],
      }),
      absent: ["slot"],
    },
    {
      name: "the tree of who has none",
      method: "GET",
      path: "/api/folders",
      as: "admin",
      status: 200,
      holds: { data: [] },
    },
    {
      name: "the tree of another, for who manages files",
      method: "GET",
      path: "/api/folders",
      as: "super",
      status: 200,
      async after(h) {
        const path = `/api/folders?ownerId=${h.accounts.other.id}`;
        const managed = await h.ask("GET", path, { as: "super" });
        assert.equal(managed.data[0].name, "Foreign");
        assert.deepEqual((await h.ask("GET", path, { as: "user" })).data, []);
      },
    },
    { name: "the tree without a token: 401", method: "GET", path: "/api/folders", status: 401 },
    {
      name: "the tree as guest: 403",
      method: "GET",
      path: "/api/folders",
      as: "guest",
      status: 403,
    },
    {
      name: "create in a folder",
      method: "POST",
      path: "/api/folders",
      as: "user",
      body: ({ d }: State) => ({ name: " New ", parentId: d }),
      status: 201,
      holds: ({ d }: State) => ({
        data: { name: "New", path: "/D/New", parentId: d, fileCount: 0, children: [] },
      }),
    },
    {
      name: "create the same name beside, in another case: 409",
      method: "POST",
      path: "/api/folders",
      as: "user",
      body: { name: "a", parentId: null },
      status: 409,
    },
    {
      name: "create the same name elsewhere",
      method: "POST",
      path: "/api/folders",
      as: "user",
      body: ({ d }: State) => ({ name: "A", parentId: d }),
      status: 201,
    },
    {
      name: "create the same name as another's",
      method: "POST",
      path: "/api/folders",
      as: "user",
      body: { name: "Foreign" },
      status: 201,
    },
    ...["", "a/b", "..", "a\u0001", "ä".repeat(128)].map((name) => ({
      name: `create '${name.slice(0, 9)}': 400`,
      method: "POST",
      path: "/api/folders",
      as: "user" as const,
      body: { name },
      status: 400,
      details: ["name"],
    })),
    {
      name: "create in an unknown folder: 400",
      method: "POST",
      path: "/api/folders",
      as: "user",
      body: { name: "x", parentId: UNKNOWN },
      status: 400,
      details: ["parentId"],
    },
    {
      name: "create in another's folder is as in none: 400",
      method: "POST",
      path: "/api/folders",
      as: "user",
      body: ({ foreign }: State) => ({ name: "x", parentId: foreign }),
      status: 400,
      details: ["parentId"],
    },
    {
      name: "create in another's folder by who sees it: 403",
      method: "POST",
      path: "/api/folders",
      as: "admin",
      body: ({ foreign }: State) => ({ name: "x", parentId: foreign }),
      status: 403,
    },
    {
      name: "create without a token: 401",
      method: "POST",
      path: "/api/folders",
      body: { name: "x" },
      status: 401,
    },
    {
      name: "create as guest: 403",
      method: "POST",
      path: "/api/folders",
      as: "guest",
      body: { name: "x" },
      status: 403,
    },
    {
      name: "upload into another's folder is as into none: 400",
      method: "POST",
      path: ({ foreign }) => `/api/files/upload?folderId=${foreign}`,
      as: "user",
      body: form({ bytes: pdf(), type: "application/pdf" }),
      status: 400,
      details: ["folderId"],
      async after(h, _, { file }) {
        assert.deepEqual(Object.keys((await stored(h)).references), [file.sha256]);
        assert.equal((await stored(h)).blobs.length, 1);
      },
    },
    {
      name: "rename: paths below follow",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      body: { name: "Z" },
      status: 200,
      holds: { data: { path: "/Z", children: [{ path: "/Z/B", children: [{ path: "/Z/B/C" }] }] } },
      async after(h, _, { file }) {
        const shown = await h.ask("GET", `/api/files/${file.id}`, { as: "user" });
        assert.equal(shown.data.path, "/Z/B/picture.png");
      },
    },
    {
      name: "rename to the same name in another case",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      body: { name: "a" },
      status: 200,
      holds: { data: { path: "/a" } },
    },
    {
      name: "rename to a sibling's name: 409",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      body: { name: "d" },
      status: 409,
    },
    {
      name: "rename and move at once",
      method: "PATCH",
      path: ({ c }) => `/api/folders/${c}`,
      as: "user",
      body: { name: "X", parentId: null },
      status: 200,
      holds: { data: { path: "/X", parentId: undefined } },
    },
    {
      name: "rename with a stale If-Match: 412",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      headers: { "if-match": '"stale"' },
      body: { name: "x" },
      status: 412,
    },
    {
      name: "rename of one that is not to be there: 412",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      headers: { "if-none-match": "*" },
      body: { name: "x" },
      status: 412,
    },
    {
      name: "rename another's: 404",
      method: "PUT",
      path: ({ foreign }) => `/api/folders/${foreign}`,
      as: "user",
      body: { name: "x" },
      status: 404,
    },
    {
      name: "rename to nothing: 400",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      body: { name: " " },
      status: 400,
      details: ["name"],
    },
    {
      name: "rename without a token: 401",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      body: { name: "x" },
      status: 401,
    },
    {
      name: "rename as guest: 403",
      method: "PUT",
      path: ({ a }) => `/api/folders/${a}`,
      as: "guest",
      body: { name: "x" },
      status: 403,
    },
    {
      name: "move with all that is in it",
      method: "POST",
      path: ({ b }) => `/api/folders/${b}/move`,
      as: "user",
      body: ({ d }: State) => ({ parentId: d }),
      status: 200,
      holds: { data: { path: "/D/B", fileCount: 1, children: [{ path: "/D/B/C" }] } },
    },
    {
      name: "move to the root",
      method: "POST",
      path: ({ b }) => `/api/folders/${b}/move`,
      as: "user",
      body: { folderId: "root" },
      status: 200,
      holds: { data: { path: "/B" } },
    },
    {
      name: "move by path",
      method: "POST",
      path: ({ d }) => `/api/folders/${d}/move`,
      as: "user",
      body: { targetPath: "/A/B/C" },
      status: 200,
      holds: { data: { path: "/A/B/C/D" } },
    },
    {
      name: "move into itself: 409",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "user",
      body: ({ a }: State) => ({ parentId: a }),
      status: 409,
    },
    {
      name: "move into what is below it: 409",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "user",
      body: ({ c }: State) => ({ parentId: c }),
      status: 409,
    },
    {
      name: "move into an unknown folder: 400",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "user",
      body: { parentId: UNKNOWN },
      status: 400,
      details: ["parentId"],
    },
    {
      name: "move into another's folder is as into none: 400",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "user",
      body: ({ foreign }: State) => ({ folderId: foreign }),
      status: 400,
      details: ["folderId"],
    },
    {
      name: "move into another's folder by who sees both: 403",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "admin",
      body: ({ foreign }: State) => ({ parentId: foreign }),
      status: 403,
    },
    {
      name: "move nowhere: 400",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "user",
      body: {},
      status: 400,
      details: ["parentId"],
    },
    {
      name: "move another's: 404",
      method: "POST",
      path: ({ foreign }) => `/api/folders/${foreign}/move`,
      as: "user",
      body: { parentId: null },
      status: 404,
    },
    {
      name: "move with a stale If-Match: 412",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "user",
      headers: { "if-match": '"stale"' },
      body: { parentId: null },
      status: 412,
    },
    {
      name: "move without a token: 401",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      body: { parentId: null },
      status: 401,
    },
    {
      name: "move as guest: 403",
      method: "POST",
      path: ({ a }) => `/api/folders/${a}/move`,
      as: "guest",
      body: { parentId: null },
      status: 403,
    },
    {
      name: "delete an empty folder",
      method: "DELETE",
      path: ({ c }) => `/api/folders/${c}`,
      as: "user",
      status: 200,
      holds: ({ c }: State) => ({ data: { id: c } }),
    },
    {
      name: "delete a folder with a folder: 409",
      method: "DELETE",
      path: ({ a }) => `/api/folders/${a}`,
      as: "user",
      status: 409,
      after: async (h) => assert.equal(await h.store.from(folders).count(), 5),
    },
    {
      name: "delete a folder with a file: 409",
      method: "DELETE",
      path: ({ b }) => `/api/folders/${b}?recursive=false`,
      as: "user",
      status: 409,
    },
    {
      name: "delete with all that is in it; bytes and quota come back",
      method: "DELETE",
      path: ({ a }) => `/api/folders/${a}?recursive=true&permanent=true`,
      as: "user",
      status: 200,
      async after(h, _, { d }) {
        const tree = await h.ask("GET", "/api/folders", { as: "user" });
        assert.deepEqual(tree.data.map((folder: { id: string }) => folder.id), [d]);
        const left = await stored(h);
        assert.deepEqual([left.files, left.blobs, left.references], [0, [], {}]);
        assert.equal(left.used[h.accounts.user.id], 0);
      },
    },
    {
      name: "delete with a stale If-Match: 412",
      method: "DELETE",
      path: ({ c }) => `/api/folders/${c}`,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      name: "delete another's: 404",
      method: "DELETE",
      path: ({ foreign }) => `/api/folders/${foreign}`,
      as: "user",
      status: 404,
    },
    {
      name: "delete with a bad flag: 400",
      method: "DELETE",
      path: ({ c }) => `/api/folders/${c}?recursive=perhaps`,
      as: "user",
      status: 400,
      details: ["recursive"],
    },
    {
      name: "delete without a token: 401",
      method: "DELETE",
      path: ({ c }) => `/api/folders/${c}`,
      status: 401,
    },
    {
      name: "delete as guest: 403",
      method: "DELETE",
      path: ({ c }) => `/api/folders/${c}`,
      as: "guest",
      status: 403,
    },
  ],
});

Deno.test("folders: they go so deep and no deeper, by creating and by moving", async () => {
  await using h = await harness({ variant: "full" });
  let parentId: string | undefined;
  for (let depth = 1; depth <= MAX_DEPTH; depth++) {
    parentId = (await make(h, "admin", `level ${depth}`, parentId)).id;
  }
  const create = await h.ask("POST", "/api/folders", {
    as: "admin",
    body: { name: "x", parentId },
  });
  assert.equal(create.status, 400);
  const beside = await make(h, "admin", "beside");
  const move = await h.ask("POST", `/api/folders/${beside.id}/move`, {
    as: "admin",
    body: { parentId },
  });
  assert.equal(move.status, 400);
});

Deno.test("folders: moves at once never close a circle", async () => {
  await using h = await harness({ variant: "full" });
  for (let round = 0; round < 5; round++) {
    const ids: string[] = [];
    for (const name of ["x", "y", "z"]) ids.push((await make(h, "admin", `${name}${round}`)).id);
    const replies = await Promise.all(ids.map((id, n) => {
      const body = { parentId: ids[(n + 1) % ids.length] };
      return h.ask("POST", `/api/folders/${id}/move`, { as: "admin", body });
    }));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 200, 409]);
  }
  const tree = await h.ask("GET", "/api/folders", { as: "admin" });
  const count = (nodes: { children: [] }[]): number =>
    nodes.reduce((sum, node) => sum + 1 + count(node.children), 0);
  assert.equal(count(tree.data), 15);
});

Deno.test("folders: the same name created at once exists once", async () => {
  await using h = await harness({ variant: "full" });
  const replies = await Promise.all(
    ["Twin", "twin", "TWIN"].map((name) =>
      h.ask("POST", "/api/folders", { as: "admin", body: { name } })
    ),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409]);
});

Deno.test("folders: what goes in while the folder is deleted is never lost without a folder", async () => {
  await using h = await harness({ variant: "full" });
  for (let round = 0; round < 10; round++) {
    const { id } = await make(h, "admin", `round ${round}`);
    const recursive = round % 2 === 0 ? "?recursive=true" : "";
    const [uploaded, created, deleted] = await Promise.all([
      h.ask("POST", `/api/files/upload?folderId=${id}`, {
        as: "admin",
        body: form({ bytes: png(String(round)) }),
      }),
      h.ask("POST", "/api/folders", { as: "admin", body: { name: "inner", parentId: id } }),
      h.ask("DELETE", `/api/folders/${id}${recursive}`, { as: "admin" }),
    ]);
    assert.ok([201, 400].includes(uploaded.status), uploaded.text);
    assert.ok([201, 400].includes(created.status), created.text);
    assert.ok([200, 409].includes(deleted.status), deleted.text);
    const exists = await h.store.from(folders).get(id) !== null;
    assert.equal(exists, deleted.status === 409);
    const inside = await h.ask("GET", `/api/files?folderId=${id}`, { as: "admin" });
    if (!exists) assert.deepEqual(inside.data, []);
    assert.equal(
      await h.store.from(folders).count({ parentId: id }) > 0,
      exists && created.status === 201,
    );
  }
  const { blobs, blobIds } = await stored(h);
  assert.deepEqual(blobs.sort(), blobIds.sort());
});

Deno.test("folders: the entity tag follows all that is shown", async () => {
  await using h = await harness({ variant: "full" });
  const above = await make(h, "admin", "Above");
  const a = await make(h, "admin", "A", above.id);
  const b = await make(h, "admin", "B", a.id);
  const c = await make(h, "admin", "C", b.id);
  const path = `/api/folders/${a.id}`;
  const tagOf = async () => (await h.ask("GET", path, { as: "admin" })).headers.get("etag")!;
  const file = await upload(h, "admin", { fields: { folderId: c.id } });
  const changes: [method: string, path: string, body?: unknown][] = [
    ["PUT", `/api/folders/${b.id}`, { name: "B2" }],
    ["PUT", `/api/folders/${above.id}`, { name: "Above 2" }],
    ["POST", "/api/folders", { name: "D", parentId: c.id }],
    ["DELETE", `/api/files/${file.id}?permanent=true`],
    ["DELETE", `/api/folders/${c.id}?recursive=true`],
  ];
  for (const [method, changed, body] of changes) {
    const etag = await tagOf();
    const headers = { "if-none-match": etag };
    assert.equal((await h.ask("GET", path, { as: "admin", headers })).status, 304, changed);
    const done = await h.ask(method, changed, { as: "admin", body });
    assert.ok(done.status < 300, done.text);
    assert.equal((await h.ask("GET", path, { as: "admin", headers })).status, 200, changed);
    const stale = { as: "admin", headers: { "if-match": etag }, body: { name: "A" } } as const;
    assert.equal((await h.ask("PUT", path, stale)).status, 412, changed);
  }
  const fresh = { as: "admin", headers: { "if-match": await tagOf() } } as const;
  const saved = await h.ask("PUT", path, { ...fresh, body: { name: "A2" } });
  assert.equal(saved.status, 200, saved.text);
  assert.equal(saved.headers.get("etag"), await tagOf());
  const gone = { as: "admin", headers: { "if-match": saved.headers.get("etag")! } } as const;
  assert.equal((await h.ask("DELETE", `${path}?recursive=true`, gone)).status, 200);
});

Deno.test("folders: a deletion of thousands is one", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await make(h, "admin", "Large");
  const file = await upload(h, "admin", { fields: { folderId: id } });
  await multiply(h, file.id, 1500);
  const removed = await h.ask("DELETE", `/api/folders/${id}?recursive=true&permanent=true`, {
    as: "admin",
  });
  assert.equal(removed.status, 200, removed.text);
  const left = await stored(h);
  assert.deepEqual([left.files, left.blobs, left.references], [0, [], {}]);
  assert.equal(left.used[h.accounts.admin.id], 0);
  assert.equal(await h.store.from(fileVersions).count(), 0);
});

/** Copies of a file, in one commit. */
async function multiply(h: Harness, id: string, copies: number): Promise<void> {
  await h.store.transact({ userId: null }, async (tx) => {
    const file = (await tx.from(files).get(id))!;
    const ledger = new Ledger();
    const { folderId, ownerId } = file;
    for (let n = 0; n < copies; n++) {
      planFile(tx, ledger, file, { name: `${n}.png`, folderId, ownerId, createdBy: ownerId });
    }
    await ledger.write(tx, Number.MAX_SAFE_INTEGER);
  });
}

Deno.test("folders: what a deleted user leaves passes on, under a name that is free", async () => {
  await using h = await harness({ variant: "full" });
  await h.grant("user", ...ALL);
  const mine = await make(h, "super", "Papers");
  const theirs = await make(h, "user", "papers");
  const file = await upload(h, "user", { fields: { folderId: theirs.id } });
  const gone = await h.ask("DELETE", `/api/users/${h.accounts.user.id}`, { as: "super" });
  assert.equal(gone.status, 200, gone.text);
  const tree = await h.ask("GET", "/api/folders", { as: "super" });
  const names = tree.data.map((folder: { id: string; name: string }) => [folder.id, folder.name]);
  assert.deepEqual(names, [[mine.id, "Papers"], [theirs.id, "papers (2)"]]);
  const shown = await h.ask("GET", `/api/files/${file.id}`, { as: "super" });
  assert.equal(shown.data.path, "/papers (2)/picture.png");
});
