// What is written for a user, into a team or into a folder, while that is being deleted: the deletion sees to it, or it is
// refused; it is never left without what it refers to.
import assert from "node:assert/strict";
import { files } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { conversations } from "../../../models/messages.ts";
import { trash, type TrashEntry } from "../../../models/trash.ts";
import { verifyStore } from "../../../services/backups/verify.ts";
import type { Store } from "../../../storage/port.ts";
import type { Harness } from "../../harness.ts";
import { upload } from "../../uploads.ts";
import { withHarness } from "./deletion_scene.ts";

interface Case {
  readonly name: string;
  /** Makes what is deleted. @returns Its path. */
  readonly target: (h: Harness) => Promise<string>;
  /** Writes what refers to it. */
  readonly write: (h: Harness, id: string) => Promise<unknown>;
  /** Whether the deletion answers 409 then. @default false */
  readonly refused?: boolean;
}

async function create(h: Harness, path: string, body: unknown, as: "super" | "other" = "other") {
  const reply = await h.ask("POST", `/api/${path}`, { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { readonly id: string };
}

const user = (h: Harness) => Promise.resolve(`/api/users/${h.accounts.other.id}`);
const team = async (h: Harness) => `/api/teams/${(await create(h, "teams", { name: "Crew" })).id}`;
const emptyFolder = async (h: Harness) =>
  `/api/folders/${(await create(h, "folders", { name: "Reports" })).id}`;
const folder = async (h: Harness) => `${await emptyFolder(h)}?recursive=true`;
const uploadInto = (h: Harness, folderId: string) => upload(h, "other", { fields: { folderId } });

const cases: readonly Case[] = [
  {
    name: "a user, who writes a document",
    target: user,
    write: (h) => create(h, "documents", { title: "Mine", content: "" }),
  },
  {
    name: "a user, who founds a team",
    target: user,
    write: (h) => create(h, "teams", { name: "Mine" }),
  },
  {
    name: "a user, whom a document is shared with",
    target: user,
    async write(h, userId) {
      const { id } = await create(h, "documents", { title: "Plan", content: "" }, "super");
      await create(h, `documents/${id}/share`, { userId, permission: "read" }, "super");
    },
  },
  {
    name: "a team, which a document is put in",
    target: team,
    write: (h, teamId) => create(h, "documents", { title: "Ours", content: "", teamId }),
  },
  {
    name: "a folder on its way into the trash, which a file is put in",
    target: folder,
    write: uploadInto,
  },
  {
    name: "a folder that ends for good, which a file is put in",
    target: async (h) => `${await folder(h)}&permanent=true`,
    write: uploadInto,
  },
  {
    name: "an empty folder on its way into the trash, which a file is put in",
    target: emptyFolder,
    write: uploadInto,
    refused: true,
  },
  {
    name: "an empty folder that ends for good, which a file is put in",
    target: async (h) => `${await emptyFolder(h)}?permanent=true`,
    write: uploadInto,
    refused: true,
  },
  {
    name: "an empty folder that ends for good, which a folder is put in",
    target: async (h) => `${await emptyFolder(h)}?permanent=true`,
    write: (h, parentId) => create(h, "folders", { name: "Inner", parentId }),
    refused: true,
  },
  {
    name: "an empty folder that ends for good, which a file comes back into",
    async target(h) {
      const path = await emptyFolder(h);
      const { id } = await uploadInto(h, path.slice(-36));
      assert.equal((await h.ask("DELETE", `/api/files/${id}`, { as: "other" })).status, 200);
      return `${path}?permanent=true`;
    },
    async write({ ask, store }) {
      const [{ id }] = (await store.from(trash).list()).rows as [TrashEntry];
      assert.equal((await ask("POST", `/api/trash/${id}/restore`, { as: "other" })).status, 200);
    },
    refused: true,
  },
];

for (const { name, target, write, refused = false } of cases) {
  Deno.test(`deletions beside writes: ${name}`, async () => {
    await withHarness(async (h, store) => {
      await h.grant("other", "*");
      const path = await target(h);
      // The plan of the deletion has read all, and is not committed yet.
      store.beforeCommit = async () => {
        store.beforeCommit = null;
        await write(h, /[\da-f-]{36}/.exec(path)![0]);
      };
      const { status, text } = await h.ask("DELETE", path, { as: "super" });
      assert.equal(status, refused ? 409 : 200, text);
      assert.equal(store.beforeCommit, null, "nothing was written beside it");
      assert.deepEqual(await Array.fromAsync(verifyStore(store)), []);
    });
  });
}

for (const permanent of [true, false]) {
  const name = permanent ? "ends for good" : "goes into the trash";
  Deno.test(`deletions beside writes: what lists do not show yet stays when an empty folder ${name}`, async () => {
    await withHarness(async (h, store) => {
      await h.grant("other", "*");
      const path = await emptyFolder(h);
      const { id } = await uploadInto(h, path.slice(-36));
      // As on Postgres, a moment after another process has put it there: the folder itself is read as it is.
      const { from } = store;
      const late: Store["from"] = (collection) => {
        const reader = from(collection);
        if (collection.name !== files.name) return reader;
        store.from = from;
        return Object.assign(Object.create(reader), { count: () => 0 });
      };
      store.from = late;
      await h.ask("DELETE", `${path}?permanent=${permanent}`, { as: "super" });
      assert.notEqual(store.from, late, "files were not counted");
      assert.equal((await store.from(files).get(id))?.id, id);
    });
  });
}

/** Makes what refers to a user or team. @returns What writes it once more. */
type Late = (h: Harness, id: string) => Promise<() => Promise<unknown>>;

/** Puts a document into the trash. @returns What brings it back. */
async function thrownAway(h: Harness, body: object, share?: object) {
  const { id } = await create(h, "documents", { title: "Plan", content: "", ...body }, "super");
  if (share) await create(h, `documents/${id}/share`, share, "super");
  assert.equal((await h.ask("DELETE", `/api/documents/${id}`, { as: "super" })).status, 200);
  return async () => {
    const { status } = await h.ask("POST", `/api/trash/${id}/restore`, { as: "super" });
    assert.equal(status, 200);
  };
}

const latecomers: readonly (readonly [string, Case["target"], Late])[] = [
  [
    "a document comes back that was shared with the user",
    user,
    (h, userId) => thrownAway(h, {}, { userId }),
  ],
  [
    "a document comes back that the team had",
    team,
    (h, teamId) => thrownAway(h, { teamId }),
  ],
  [
    "a document is shared with a team that the user is in",
    user,
    async (h, userId) => {
      const team = await create(h, "teams", { name: "Crew" }, "super");
      await create(h, `teams/${team.id}/members`, { userId }, "super");
      const { id } = await create(h, "documents", { title: "Plan", content: "" }, "super");
      return () => create(h, `documents/${id}/share`, { teamId: team.id }, "super");
    },
  ],
  [
    "a group that the user is in is written to",
    user,
    async (h, userId) => {
      const participantIds = [userId, h.accounts.admin.id];
      await create(h, "messages", { participantIds, content: "Hello" }, "super");
      const [group] = (await h.store.from(conversations).list()).rows;
      const body = { conversationId: group!.id, content: "Still there?" };
      return () => create(h, "messages", body, "super");
    },
  ],
];

for (const [name, target, prepare] of latecomers) {
  Deno.test(`deletions beside writes: at the last commit ${name}`, async () => {
    await withHarness(async (h, store) => {
      await h.grant("other", "*");
      const path = await target(h);
      const id = path.slice(-36);
      const write = await prepare(h, id);
      store.beforeCommit = async (changes) => {
        if (!changes.some((change) => change.kind === "remove" && change.before.id === id)) return;
        store.beforeCommit = null;
        await write();
      };
      const { status, text } = await h.ask("DELETE", path, { as: "super" });
      assert.equal(status, 200, text);
      assert.equal(store.beforeCommit, null, "nothing was written beside it");
      assert.deepEqual(await Array.fromAsync(verifyStore(store)), []);
    });
  });
}

Deno.test("deletions beside writes: what comes after the first commit is refused", async () => {
  await withHarness(async (h, store) => {
    await h.grant("other", "*");
    const path = await team(h);
    let late: Promise<number> | undefined;
    store.afterCommit = () => {
      const body = { title: "Ours", content: "", teamId: path.slice(-36) };
      late ??= h.ask("POST", "/api/documents", { as: "other", body }).then(({ status }) => status);
    };
    assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
    assert.equal(await late, 400);
    assert.deepEqual(await Array.fromAsync(verifyStore(store)), []);
  });
});

Deno.test("deletions beside writes: users with folders of one name are deleted at once, and their heir has all of them", async () => {
  await withHarness(async (h, store) => {
    const going = ["user", "other", "guest"] as const;
    for (const as of going) {
      await h.grant(as, "*");
      const body = { name: "Reports" };
      assert.equal((await h.ask("POST", "/api/folders", { as, body })).status, 201);
    }
    const replies = await Promise.all(
      going.map((as) => h.ask("DELETE", `/api/users/${h.accounts[as].id}`, { as: "super" })),
    );
    assert.deepEqual(replies.map(({ status }) => status), [200, 200, 200]);
    const { rows } = await store.from(folders).list({ where: { ownerId: h.accounts.super.id } });
    assert.deepEqual(rows.map(({ name }) => name).sort(), [
      "Reports",
      "Reports (2)",
      "Reports (3)",
    ]);
  });
});
