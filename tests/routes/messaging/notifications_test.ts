// Notifications: one's own, read one by one or all at once.
import assert from "node:assert/strict";
import { notifications } from "../../../models/notifications.ts";
import { notify } from "../../../services/messaging/notifications.ts";
import { type Harness, harness } from "../../harness.ts";
import { type Row, scenarios } from "../../scenario.ts";

const base = "/api/notifications";

async function arrange(h: Harness) {
  const [mine, task, foreign] = await h.store.transact({ userId: null }, (tx) => [
    notify(tx, {
      userId: h.accounts.user.id,
      type: "alert",
      title: "Disk is full",
      content: "Free some space",
      link: "/files",
    }),
    notify(tx, { userId: h.accounts.user.id, type: "task", title: "To do", content: "Sweep" }),
    notify(tx, { userId: h.accounts.other.id, type: "alert", title: "Secret", content: "Hush" }),
  ]);
  return { id: mine!.id, taskId: task!.id, foreignId: foreign!.id };
}

type State = Awaited<ReturnType<typeof arrange>>;

const path = ({ id }: State) => `${base}/${id}`;
const foreignPath = ({ foreignId }: State) => `${base}/${foreignId}`;

scenarios("GET /notifications", {
  arrange,
  rows: [
    {
      name: "one's own, newest first, with what is unread",
      method: "GET",
      path: base,
      as: "user",
      status: 200,
      holds: {
        data: [
          { type: "task", title: "To do", read: false },
          { type: "alert", title: "Disk is full", content: "Free some space", link: "/files" },
        ],
        unreadCount: 2,
        pagination: { total: 2 },
      },
      absent: ["Secret", "userId"],
    },
    {
      name: "by type",
      method: "GET",
      path: `${base}?type=TASK`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "To do" }], unreadCount: 2 },
    },
    {
      name: "read",
      method: "GET",
      path: `${base}?read=true`,
      as: "user",
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "unread",
      method: "GET",
      path: `${base}?unread=true`,
      as: "user",
      status: 200,
      holds: { pagination: { total: 2 } },
    },
    {
      name: "search",
      method: "GET",
      path: `${base}?search=space`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Disk is full" }] },
    },
    { name: "without any permission", method: "GET", path: base, as: "guest", status: 200 },
    {
      name: "a bad type and flag",
      method: "GET",
      path: `${base}?type=rumour&read=perhaps`,
      as: "user",
      status: 400,
      details: ["read", "type"],
    },
    { name: "signed out", method: "GET", path: base, status: 401 },
  ],
});

scenarios("PUT /notifications/{id}/read", {
  arrange,
  rows: [
    {
      name: "marks it, again and again",
      method: "PUT",
      path: (state: State) => `${path(state)}/read`,
      as: "user",
      status: 200,
      holds: { data: { read: true } },
      async after(h, { data }, state) {
        h.clock.advance(60_000);
        const again = await h.ask("PUT", `${path(state)}/read`, { as: "user" });
        assert.equal(again.data.readAt, data.readAt);
        assert.equal((await h.ask("GET", base, { as: "user" })).body.unreadCount, 1);
      },
    },
    {
      name: "another's, even as super_admin",
      method: "PUT",
      path: (state: State) => `${path(state)}/read`,
      as: "super",
      status: 404,
    },
    { name: "unknown", method: "PUT", path: `${base}/none/read`, as: "user", status: 404 },
    {
      name: "a stale version",
      method: "PUT",
      path: (state: State) => `${path(state)}/read`,
      as: "user",
      headers: { "if-match": '"old"' },
      status: 412,
    },
    {
      name: "signed out",
      method: "PUT",
      path: (state: State) => `${path(state)}/read`,
      status: 401,
    },
  ],
});

scenarios("PUT /notifications/read-all", {
  arrange,
  rows: [
    {
      name: "one's own, and answers how many",
      method: "PUT",
      path: `${base}/read-all`,
      as: "user",
      status: 200,
      holds: { data: { count: 2 } },
      async after(h) {
        const again = await h.ask("PUT", `${base}/read-all`, { as: "user" });
        assert.deepEqual(again.data, { count: 0 });
        assert.equal((await h.ask("GET", base, { as: "other" })).body.unreadCount, 1);
      },
    },
    { name: "signed out", method: "PUT", path: `${base}/read-all`, status: 401 },
  ],
});

Deno.test("PUT /notifications/read-all: 2,500 in one commit", async () => {
  await using h = await harness();
  const { user } = h.accounts;
  const at = h.clock.now().toISOString();
  await h.store.load(
    notifications,
    Array.from({ length: 2500 }, (_, i) => ({
      id: `00000000-0000-7000-8000-${String(i).padStart(12, "0")}`,
      createdAt: at,
      updatedAt: at,
      userId: user.id,
      type: "system" as const,
      title: `Number ${i}`,
      content: "x",
      read: false,
    })),
  );
  const reply = await h.ask("PUT", `${base}/read-all`, { as: "user" });
  assert.deepEqual(reply.data, { count: 2500 });
  assert.equal(await h.store.from(notifications).count({ userId: user.id, read: false }), 0);
});

scenarios("DELETE /notifications/{id}", {
  arrange,
  rows: [
    {
      name: "one's own",
      method: "DELETE",
      path,
      as: "user",
      status: 200,
      holds: ({ id }: State) => ({ data: { id } }),
      async after(h, _, state) {
        assert.equal((await h.ask("DELETE", path(state), { as: "user" })).status, 404);
      },
    },
    { name: "another's", method: "DELETE", path: foreignPath, as: "user", status: 404 },
    {
      name: "a stale version",
      method: "DELETE",
      path,
      as: "user",
      headers: { "if-match": '"old"' },
      status: 412,
    },
    { name: "signed out", method: "DELETE", path, status: 401 },
  ],
});

const inFull: Row<State>[] = [
  {
    name: "one's own",
    method: "GET",
    path,
    as: "user",
    status: 200,
    holds: ({ id }: State) => ({ data: { id, title: "Disk is full", read: false } }),
    async after(h, reply, state) {
      const headers = { "if-none-match": reply.headers.get("etag")! };
      assert.equal((await h.ask("GET", path(state), { as: "user", headers })).status, 304);
    },
  },
  { name: "another's", method: "GET", path: foreignPath, as: "user", status: 404 },
  { name: "another's as super_admin", method: "GET", path, as: "super", status: 404 },
  { name: "unknown", method: "GET", path: `${base}/none`, as: "user", status: 404 },
  { name: "signed out", method: "GET", path, status: 401 },
];

scenarios("GET /notifications/{id} in full", { variant: "full", arrange, rows: inFull });
scenarios("GET /notifications/{id} in compact", {
  arrange,
  rows: [{ name: "is not there", method: "GET", path, as: "user", status: 405 }],
});
