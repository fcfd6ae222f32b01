// Every route that takes an id, walked as another user who holds every permission but manages nothing: no read, no
// change and no deletion of what is not theirs.
import assert from "node:assert/strict";
import type { Endpoint } from "../http/endpoint.ts";
import { allCollections } from "../models/all.ts";
import type { Store } from "../storage/port.ts";
import { type Harness, harness } from "./harness.ts";

const ACTIONS = ["view", "create", "update", "delete"];
const RESOURCES = ["documents", "files", "messages", "calendar", "teams", "webhooks"];
const EVERYTHING = RESOURCES.flatMap((resource) =>
  ACTIONS.map((action) => `${resource}:${action}`)
);

/** Records whose routes are an administrator's: the permission alone opens them, and the stranger has none. */
const ADMINISTRATION = /^\/(users|roles|permissions|dashboard|audit|system|backups)\//;
/** A share link is for whoever has it. */
const PUBLIC = /^\/(share|s)\//;

const SECRET = "for the owner's eyes";

/** One of everything, owned by `user`. Ids by the first segment of the routes that take them. */
async function ownEverything(
  h: Harness,
  full: boolean,
): Promise<Record<string, Record<string, string>>> {
  const as = "user" as const;
  const make = async (path: string, body: unknown) => {
    const reply = await h.ask("POST", `/api${path}`, { as, body });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.data;
  };
  const document = await make("/documents", { title: SECRET, content: SECRET });
  const change = { as, body: { content: `${SECRET}, changed` } };
  assert.equal((await h.ask("PUT", `/api/documents/${document.id}`, change)).status, 200);
  const thrownAway = await make("/documents", { title: SECRET, content: SECRET });
  const deleted = await h.ask("DELETE", `/api/documents/${thrownAway.id}`, { as });
  assert.equal(deleted.status, 200, deleted.text);
  const event = await make("/calendar/events", {
    title: SECRET,
    start: "2026-11-22T09:00:00Z",
    end: "2026-11-22T10:00:00Z",
  });
  const message = await make("/messages", { recipientId: h.accounts.admin.id, content: SECRET });
  const file = await upload(h);
  const notification = await h.store.transact(
    { userId: null },
    (tx) =>
      tx.insert(allCollections.find(({ name }) => name === "notifications")!, {
        userId: h.accounts.user.id,
        type: "system",
        title: SECRET,
        content: SECRET,
        read: false,
      }),
  );
  const hook = await make("/webhooks", { url: "https://hooks.example.com/x", events: ["*"] });
  const test = await make(`/webhooks/${hook.id}/test`, undefined);
  const session = (await h.ask("GET", "/api/auth/sessions", { as })).data[0];
  const ids: Record<string, Record<string, string>> = {
    documents: { id: document.id, revision: "1" },
    trash: { id: thrownAway.id },
    calendar: { id: event.id, userId: h.accounts.user.id },
    messages: { id: message.id },
    files: { id: file.id, version: "1" },
    notifications: { id: notification.id },
    auth: { id: session.id },
    webhooks: { id: hook.id, deliveryId: test.id },
  };
  if (!full) return ids;
  const team = await make("/teams", { name: SECRET });
  const folder = await make("/folders", { name: SECRET });
  const tagged = await make(`/documents/${document.id}/tags`, { name: SECRET });
  const shared = await make(`/documents/${document.id}/share`, { userId: h.accounts.admin.id });
  const fileShare = await make(`/files/${file.id}/share`, { userId: h.accounts.admin.id });
  return {
    ...ids,
    documents: {
      ...ids.documents!,
      tagId: tagged.tags[0].id,
      shareId: [shared].flat()[0].id,
    },
    files: { id: file.id, version: "1", shareId: [fileShare].flat()[0].id },
    teams: { id: team.id, userId: h.accounts.user.id },
    folders: { id: folder.id },
    messages: { id: message.id, messageId: message.id, conversation: message.conversationId },
  };
}

async function upload(h: Harness) {
  const form = new FormData();
  const png = Uint8Array.from(
    atob(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    ),
    (c) => c.charCodeAt(0),
  );
  form.set("file", new Blob([png], { type: "image/png" }), "secret.png");
  const reply = await h.ask("POST", "/api/files/upload", { as: "user", body: form });
  assert.equal(reply.status, 201, reply.text);
  return reply.data;
}

/** Everything that is stored, but for what any request may move. */
async function snapshot(store: Store): Promise<string> {
  const moving = new Set(["visits", "visitors", "documentViews", "idempotentAnswers"]);
  const all: unknown[] = [];
  for (const collection of allCollections.filter(({ name }) => !moving.has(name))) {
    for await (const record of store.from(collection).scan()) all.push([collection.name, record]);
  }
  return JSON.stringify(all);
}

/** A body that would change what it reaches. */
function bodyFor(h: Harness, endpoint: Endpoint): unknown {
  if (!endpoint.body) return undefined;
  const stranger = h.accounts.other.id;
  return {
    title: "Taken",
    name: "Taken",
    content: "Taken",
    userId: stranger,
    permission: "edit",
    role: "member",
    targetPath: "/",
    status: "accepted",
    folder: "/taken",
    tags: ["taken"],
    remindAt: "2026-11-22T08:00:00Z",
    start: "2026-11-22T08:00:00Z",
    isFavorite: true,
    ...(endpoint.path.startsWith("/webhooks")
      ? { from: "2026-01-01T00:00:00Z", status: "all" }
      : {}),
  };
}

function pathFor(endpoint: Endpoint, ids: Record<string, Record<string, string>>): string {
  const [, first = ""] = endpoint.path.split("/");
  const known = ids[first];
  assert.ok(known, `the matrix knows no record for ${endpoint.path}`);
  const inConversation = endpoint.path.startsWith("/messages/conversations/");
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = inConversation && name === "id" ? known.conversation : known[name];
    assert.ok(value, `the matrix knows no ${name} for ${endpoint.path}`);
    return value;
  });
}

for (const variant of ["compact", "full"]) {
  Deno.test(`ownership: a stranger reaches nothing through any route with an id (${variant})`, async (t) => {
    await using h = await harness({ variant });
    await h.grant("user", ...EVERYTHING);
    await h.grant("other", ...EVERYTHING);
    const ids = await ownEverything(h, variant === "full");
    const before = await snapshot(h.store);
    const taking = h.app.endpoints.filter(({ path, access }) =>
      path.includes("{") && access !== "public" && !ADMINISTRATION.test(path) && !PUBLIC.test(path)
    );
    assert.ok(taking.length >= (variant === "full" ? 40 : 15));
    for (const endpoint of taking) {
      await t.step(`${endpoint.method} ${endpoint.path}`, async () => {
        const path = `/api${pathFor(endpoint, ids)}`;
        const body = bodyFor(h, endpoint);
        const reply = await h.ask(endpoint.method.toUpperCase(), path, { as: "other", body });
        assert.equal(reply.status, 404, reply.text);
        assert.equal(reply.text.includes(SECRET), false);
        assert.equal(await snapshot(h.store), before, "something changed");
        const nobody = await h.ask(endpoint.method.toUpperCase(), path, { body });
        assert.equal(nobody.status, 401);
      });
    }
    await t.step("lists, searches and figures hold none of it", async () => {
      const lists = h.app.endpoints.filter(({ method, path, root }) =>
        method === "get" && !path.includes("{") && !root
      );
      for (const { path } of lists) {
        const reply = await h.ask("GET", `/api${path}`, { as: "other" });
        assert.equal(reply.text.includes(SECRET), false, path);
      }
    });
    await t.step("batches report each id and touch none", async () => {
      const batches = h.app.endpoints.filter(({ method, path }) =>
        method === "post" && /\/batch-/.test(path) && !ADMINISTRATION.test(path)
      );
      assert.equal(batches.length, variant === "full" ? 4 : 2);
      for (const { path } of batches) {
        const { id } = ids[path.split("/")[1]!]!;
        const body = { ids: [id], targetPath: "/" };
        const reply = await h.ask("POST", `/api${path}`, { as: "other", body });
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(reply.data, [{ id, status: "not_found" }]);
        assert.equal(await snapshot(h.store), before);
      }
    });
  });
}
