// Messages and the mailbox: participants only, exact unread counts, deletions for all and for oneself.
import assert from "node:assert/strict";
import { newId } from "../../../core/ids.ts";
import { conversations, hiddenMessages, messages, receipts } from "../../../models/messages.ts";
import { notifications } from "../../../models/notifications.ts";
import { users } from "../../../models/users.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { rowsRead } from "../../reads.ts";
import { scenarios } from "../../scenario.ts";

/** A message from user to other, in private. */
async function sendTo(h: Harness, body: Record<string, unknown>, as: Account = "user") {
  const reply = await h.ask("POST", "/api/messages", { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data;
}

async function arrange(h: Harness) {
  const recipientId = h.accounts.other.id;
  const message = await sendTo(h, { recipientId, content: "Shall we meet at noon?" });
  return { id: message.id as string, conversationId: message.conversationId as string, h };
}

type State = Awaited<ReturnType<typeof arrange>>;

const path = ({ id }: State) => `/api/messages/${id}`;
const readPath = ({ id }: State) => `/api/messages/${id}/read`;
const unknown = "/api/messages/01900000-0000-7000-8000-000000000000";

scenarios("POST /messages", {
  arrange,
  rows: [
    {
      name: "to a person",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({
        recipientId: h.accounts.admin.id,
        content: " Hello ",
        type: "TEXT",
      }),
      status: 201,
      holds: (_: State, h: Harness) => ({
        success: true,
        data: {
          senderId: h.accounts.user.id,
          sender: { id: h.accounts.user.id, name: "User Person" },
          recipientId: h.accounts.admin.id,
          type: "text",
          content: " Hello ",
          read: false,
        },
      }),
      async after(h, { data }) {
        const told = await h.ask("GET", "/api/notifications", { as: "admin" });
        assert.equal(told.data.length, 1);
        assert.equal(told.data[0].type, "message");
        assert.equal(told.data[0].title, "New message from User Person");
        assert.equal(told.data[0].content, "Hello");
        assert.equal(told.data[0].link, `/messages/${data.conversationId}`);
        assert.equal((await h.ask("GET", "/api/notifications", { as: "user" })).data.length, 0);
      },
    },
    {
      name: "back, in the same conversation",
      method: "POST",
      path: "/api/messages",
      as: "other",
      body: ({ h }: State) => ({ recipientId: h.accounts.user.id, content: "Yes" }),
      status: 201,
      holds: ({ conversationId }: State) => ({ data: { conversationId } }),
    },
    {
      name: "to a conversation",
      method: "POST",
      path: "/api/messages",
      as: "other",
      body: ({ conversationId }: State) => ({ conversationId, content: "x", type: "image" }),
      status: 201,
      holds: ({ conversationId, h }: State) => ({
        data: { conversationId, recipientId: h.accounts.user.id, type: "image" },
      }),
    },
    {
      name: "to a group",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h: { accounts } }: State) => ({
        participantIds: [accounts.other.id, accounts.admin.id, accounts.user.id, accounts.admin.id],
        content: "All",
        name: "Crew",
      }),
      status: 201,
      async after(h, { data }) {
        assert.equal(data.recipientId, undefined);
        const group = await h.store.from(conversations).get(data.conversationId);
        assert.equal(group?.type, "group");
        assert.equal(group?.name, "Crew");
        const unread = await h.store.from(receipts).count({ messageId: data.id, readAt: null });
        assert.equal(unread, 2);
      },
    },
    {
      name: "to one person as a list is private",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ participantIds: [h.accounts.other.id], content: "x" }),
      status: 201,
      holds: ({ conversationId }: State) => ({ data: { conversationId } }),
    },
    {
      name: "to oneself",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ recipientId: h.accounts.user.id, content: "x" }),
      status: 400,
      details: ["recipientId"],
    },
    {
      name: "to oneself as a group",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ participantIds: [h.accounts.user.id], content: "x" }),
      status: 400,
      details: ["participantIds"],
    },
    {
      name: "to unknown people names each",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ participantIds: ["a", h.accounts.admin.id, "b"], content: "x" }),
      status: 400,
      details: ["participantIds", "participantIds"],
    },
    {
      name: "to an unknown person",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: { recipientId: "nobody", content: "x" },
      status: 400,
      details: ["recipientId"],
    },
    {
      name: "to an unknown conversation",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: { conversationId: "none", content: "x" },
      status: 400,
      details: ["conversationId"],
    },
    {
      name: "to another's conversation, even as super_admin",
      method: "POST",
      path: "/api/messages",
      as: "super",
      body: ({ conversationId }: State) => ({ conversationId, content: "x" }),
      status: 400,
      details: ["conversationId"],
    },
    {
      name: "empty content",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ recipientId: h.accounts.other.id, content: " " }),
      status: 400,
      details: ["content"],
    },
    {
      name: "10,000 characters",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ recipientId: h.accounts.other.id, content: "x".repeat(10_000) }),
      status: 201,
    },
    {
      name: "10,001 characters",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ recipientId: h.accounts.other.id, content: "x".repeat(10_001) }),
      status: 400,
      details: ["content"],
    },
    {
      name: "nothing said",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: {},
      status: 400,
      details: ["content"],
    },
    {
      name: "no recipient",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: { content: "x" },
      status: 400,
      details: ["recipientId"],
    },
    {
      name: "two destinations",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h, conversationId }: State) => ({
        conversationId,
        recipientId: h.accounts.other.id,
        content: "x",
      }),
      status: 400,
      details: ["recipientId"],
    },
    {
      name: "system messages are the server's",
      method: "POST",
      path: "/api/messages",
      as: "user",
      body: ({ h }: State) => ({ recipientId: h.accounts.other.id, content: "x", type: "system" }),
      status: 400,
      details: ["type"],
    },
    {
      name: "not JSON",
      method: "POST",
      path: "/api/messages",
      as: "user",
      headers: { "content-type": "text/plain" },
      body: "hello",
      status: 415,
    },
    {
      name: "too large",
      method: "POST",
      path: "/api/messages",
      as: "user",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "x".repeat(11_000_000) }),
      status: 413,
    },
    {
      name: "signed out",
      method: "POST",
      path: "/api/messages",
      body: { recipientId: "x", content: "x" },
      status: 401,
    },
    {
      name: "without permission",
      method: "POST",
      path: "/api/messages",
      as: "guest",
      body: { recipientId: "x", content: "x" },
      status: 403,
    },
  ],
});

scenarios("POST /messages with messages:create alone", {
  arrange: async (h) => {
    await h.grant("guest", "messages:create");
    return h;
  },
  rows: [{
    name: "is enough",
    method: "POST",
    path: "/api/messages",
    as: "guest",
    body: (h: Harness) => ({ recipientId: h.accounts.user.id, content: "x" }),
    status: 201,
  }],
});

scenarios("POST /messages to those who are not active", {
  arrange: async (h) => {
    await h.store.transact({ userId: null }, async (tx) => {
      const other = await tx.from(users).get(h.accounts.other.id);
      tx.update(users, other!, { status: "suspended" });
    });
    return h;
  },
  rows: [{
    name: "is refused",
    method: "POST",
    path: "/api/messages",
    as: "user",
    body: (h: Harness) => ({ recipientId: h.accounts.other.id, content: "x" }),
    status: 400,
    details: ["recipientId"],
  }],
});

scenarios("GET /messages", {
  arrange: async (h) => {
    const state = await arrange(h);
    const { accounts } = h;
    await sendTo(h, { recipientId: accounts.user.id, content: "Noon it is" }, "other");
    await sendTo(h, { recipientId: accounts.user.id, content: "a.png", type: "image" }, "admin");
    const foreign = { recipientId: accounts.other.id, content: "Not for user" };
    await sendTo(h, foreign, "admin");
    return state;
  },
  rows: [
    {
      name: "received and sent, newest first",
      method: "GET",
      path: "/api/messages",
      as: "user",
      status: 200,
      holds: {
        data: [{ content: "a.png" }, { content: "Noon it is" }, {
          content: "Shall we meet at noon?",
        }],
        pagination: { page: 1, limit: 10, total: 3, totalPages: 1 },
      },
      absent: ["Not for user"],
    },
    {
      name: "inbox",
      method: "GET",
      path: "/api/messages?folder=INBOX",
      as: "user",
      status: 200,
      holds: { data: [{ content: "a.png" }, { content: "Noon it is" }] },
    },
    {
      name: "sent",
      method: "GET",
      path: "/api/messages?folder=sent",
      as: "user",
      status: 200,
      holds: {
        data: [{ content: "Shall we meet at noon?", read: false }],
        pagination: { total: 1 },
      },
    },
    {
      name: "unread",
      method: "GET",
      path: "/api/messages?unread=true&limit=1",
      as: "user",
      status: 200,
      holds: { data: [{ content: "a.png" }], pagination: { total: 2, totalPages: 2 } },
    },
    {
      name: "read in the inbox",
      method: "GET",
      path: "/api/messages?read=true&folder=inbox",
      as: "user",
      status: 200,
      holds: { data: [] },
    },
    {
      name: "by type",
      method: "GET",
      path: "/api/messages?type=image",
      as: "user",
      status: 200,
      holds: { data: [{ content: "a.png" }] },
    },
    {
      name: "by conversation",
      method: "GET",
      path: ({ conversationId }: State) => `/api/messages?conversationId=${conversationId}`,
      as: "user",
      status: 200,
      holds: { pagination: { total: 2 } },
    },
    {
      name: "search, in one's own alone",
      method: "GET",
      path: "/api/messages?search=NO&limit=1&page=2",
      as: "user",
      status: 200,
      holds: { data: [{ content: "Shall we meet at noon?" }], pagination: { total: 2 } },
    },
    {
      name: "search finds nothing of others",
      method: "GET",
      path: "/api/messages?search=Not%20for",
      as: "super",
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "nothing for super_admin",
      method: "GET",
      path: "/api/messages",
      as: "super",
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "a bad page and type",
      method: "GET",
      path: "/api/messages?page=0&type=fax",
      as: "user",
      status: 400,
      details: ["page", "type"],
    },
    { name: "signed out", method: "GET", path: "/api/messages", status: 401 },
    { name: "without permission", method: "GET", path: "/api/messages", as: "guest", status: 403 },
  ],
});

scenarios("GET /messages/{id}", {
  arrange,
  rows: [
    {
      name: "recipient",
      method: "GET",
      path,
      as: "other",
      status: 200,
      holds: ({ id }: State) => ({ data: { id, read: false } }),
      async after(h, reply, state) {
        const etag = reply.headers.get("etag")!;
        const headers = { "if-none-match": etag };
        assert.equal((await h.ask("GET", path(state), { as: "other", headers })).status, 304);
        await h.ask("PUT", readPath(state), { as: "other" });
        assert.equal((await h.ask("GET", path(state), { as: "other", headers })).status, 200);
      },
    },
    { name: "sender", method: "GET", path, as: "user", status: 200 },
    { name: "super_admin", method: "GET", path, as: "super", status: 404 },
    { name: "unknown", method: "GET", path: unknown, as: "user", status: 404 },
    { name: "signed out", method: "GET", path, status: 401 },
    { name: "without permission", method: "GET", path, as: "guest", status: 403 },
  ],
});

scenarios("PUT /messages/{id}/read", {
  arrange,
  rows: [
    {
      name: "by the recipient, again and again",
      method: "PUT",
      path: readPath,
      as: "other",
      status: 200,
      holds: { data: { read: true } },
      async after(h, { data }, state) {
        h.clock.advance(60_000);
        const again = await h.ask("PUT", readPath(state), { as: "other" });
        assert.equal(again.data.readAt, data.readAt);
        const bySender = await h.ask("GET", path(state), { as: "user" });
        assert.deepEqual([bySender.data.read, bySender.data.readAt], [true, data.readAt]);
        const told = await h.ask("GET", "/api/notifications", { as: "other" });
        assert.deepEqual([told.data[0].read, told.body.unreadCount], [true, 0]);
      },
    },
    { name: "PATCH too", method: "PATCH", path: readPath, as: "other", status: 200 },
    { name: "by the sender", method: "PUT", path: readPath, as: "user", status: 403 },
    { name: "by super_admin", method: "PUT", path: readPath, as: "super", status: 404 },
    { name: "unknown", method: "PUT", path: `${unknown}/read`, as: "user", status: 404 },
    {
      name: "a stale version",
      method: "PUT",
      path: readPath,
      as: "other",
      headers: { "if-match": '"old"' },
      status: 412,
    },
    { name: "signed out", method: "PUT", path: readPath, status: 401 },
    { name: "without permission", method: "PUT", path: readPath, as: "guest", status: 403 },
  ],
});

scenarios("DELETE /messages/{id}", {
  arrange,
  rows: [
    {
      name: "by the sender: for everyone",
      method: "DELETE",
      path,
      as: "user",
      status: 200,
      holds: ({ id }: State) => ({ data: { id } }),
      async after(h, _, state) {
        for (const as of ["user", "other"] as const) {
          assert.equal((await h.ask("GET", path(state), { as })).status, 404);
        }
        assert.equal(await h.store.from(receipts).count(), 0);
        assert.equal(await h.store.from(notifications).count(), 0);
        const conversation = await h.store.from(conversations).get(state.conversationId);
        assert.equal(conversation?.lastMessageId, undefined);
        assert.equal(conversation?.lastMessageAt, conversation?.createdAt);
      },
    },
    {
      name: "by the recipient: for them alone",
      method: "DELETE",
      path,
      as: "other",
      status: 200,
      async after(h, _, state) {
        assert.equal((await h.ask("GET", path(state), { as: "other" })).status, 404);
        assert.equal((await h.ask("GET", "/api/messages", { as: "other" })).data.length, 0);
        assert.equal((await h.ask("GET", "/api/notifications", { as: "other" })).data.length, 0);
        assert.equal((await h.ask("GET", path(state), { as: "user" })).status, 200);
        assert.equal((await h.ask("DELETE", path(state), { as: "other" })).status, 404);
      },
    },
    { name: "by super_admin", method: "DELETE", path, as: "super", status: 404 },
    { name: "unknown", method: "DELETE", path: unknown, as: "user", status: 404 },
    {
      name: "a stale version",
      method: "DELETE",
      path,
      as: "user",
      headers: { "if-match": '"old"' },
      status: 412,
    },
    { name: "signed out", method: "DELETE", path, status: 401 },
    { name: "without permission", method: "DELETE", path, as: "guest", status: 403 },
  ],
});

Deno.test("messages: to its sender a message that a recipient deletes is read if it was", async () => {
  await using h = await harness();
  const [unread, read] = [await arrange(h), await arrange(h)];
  await h.ask("PUT", readPath(read), { as: "other" });
  for (const one of [unread, read]) await h.ask("DELETE", path(one), { as: "other" });
  const { data } = await h.ask("GET", `/api/messages?conversationId=${unread.conversationId}`, {
    as: "user",
  });
  assert.deepEqual(
    data.map(({ id, read }: { id: string; read: boolean }) => [id, read]),
    [[read.id, true], [unread.id, false]],
  );
  for (const [one, isRead] of [[unread, false], [read, true]] as const) {
    assert.equal((await h.ask("GET", path(one), { as: "user" })).data.read, isRead);
  }
});

Deno.test("messages: 50 sends at once keep unread counts exact", async () => {
  await using h = await harness();
  const { conversationId } = await arrange(h);
  const sends = Array.from({ length: 50 }, (_, i) =>
    h.ask("POST", "/api/messages", {
      as: i % 2 === 0 ? "user" : "other",
      body: { conversationId, content: `${i}` },
    }));
  const replies = await Promise.all(sends);
  assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]));
  const unread = (as: Account) => h.ask("GET", "/api/messages?unread=true", { as });
  assert.equal((await unread("other")).body.pagination.total, 26);
  assert.equal((await unread("user")).body.pagination.total, 25);
  const conversation = await h.store.from(conversations).get(conversationId);
  const newest = (await h.store.from(messages).list({ limit: 1 })).rows[0];
  assert.equal(conversation?.lastMessageId, newest?.id);
  // Reading and deleting at once: each message is counted out once.
  const { rows } = await h.store.from(receipts).list({
    where: { userId: h.accounts.other.id, readAt: null },
    limit: 10,
  });
  await Promise.all(rows.flatMap(({ messageId }) => [
    h.ask("PUT", `/api/messages/${messageId}/read`, { as: "other" }),
    h.ask("PUT", `/api/messages/${messageId}/read`, { as: "other" }),
  ]));
  assert.equal((await unread("other")).body.pagination.total, 16);
});

Deno.test("messages: first words at the same time make one conversation", async () => {
  await using h = await harness();
  const sends = Array.from({ length: 10 }, (_, i) => {
    const [as, to] = i % 2 === 0 ? ["user", "other"] as const : ["other", "user"] as const;
    const body = { recipientId: h.accounts[to].id, content: `${i}` };
    return h.ask("POST", "/api/messages", { as, body });
  });
  const replies = await Promise.all(sends);
  assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]));
  assert.equal(new Set(replies.map((reply) => reply.data.conversationId)).size, 1);
  assert.equal(await h.store.from(conversations).count(), 1);
});

Deno.test("messages: of a deleted account stay, without a name", async () => {
  await using h = await harness();
  const { id, conversationId } = await arrange(h);
  const gone = await h.ask("DELETE", `/api/users/${h.accounts.user.id}`, { as: "super" });
  assert.equal(gone.status, 200, gone.text);
  const reply = await h.ask("GET", `/api/messages/${id}`, { as: "other" });
  assert.deepEqual(reply.data.sender, { id: "", name: "Deleted user" });
  assert.equal(reply.data.senderId, "");
  const answer = { conversationId, content: "Are you there?" };
  assert.equal((await h.ask("POST", "/api/messages", { as: "other", body: answer })).status, 409);
  // The last who has it deletes it for good.
  assert.equal((await h.ask("DELETE", `/api/messages/${id}`, { as: "other" })).status, 200);
  assert.equal(await h.store.from(messages).count(), 0);
});

Deno.test("messages: an Idempotency-Key sends once", async () => {
  await using h = await harness();
  const send = () =>
    h.ask("POST", "/api/messages", {
      as: "user",
      headers: { "idempotency-key": "one" },
      body: { recipientId: h.accounts.other.id, content: "Once" },
    });
  const [first, second] = [await send(), await send()];
  assert.equal(first.data.id, second.data.id);
  assert.equal(await h.store.from(messages).count(), 1);
});

Deno.test("a search that most of a long mailbox matches is of what one holds, and reads no other receipts", async () => {
  await using h = await harness();
  const { conversationId } = await arrange(h);
  const { user, other } = h.accounts;
  const sent = Array.from({ length: 1100 }, (_, n) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
    const id = newId(Date.parse(createdAt));
    const stamps = { createdAt, updatedAt: createdAt, conversationId, type: "text" as const };
    return { ...stamps, id, senderId: user.id, recipientId: other.id, content: `Needle ${n}` };
  });
  await h.store.load(messages, sent);
  await h.store.load(
    receipts,
    sent.flatMap(({ senderId: _, recipientId: __, content: ___, id: messageId, ...stamps }) => [
      { ...stamps, id: newId(0), messageId, userId: user.id, sent: true, readAt: stamps.createdAt },
      { ...stamps, id: newId(0), messageId, userId: other.id, sent: false },
    ]),
  );
  const search = async (query: string, as: Account = "user") => {
    const { data, body } = await h.ask("GET", `/api/messages?search=needle&${query}`, { as });
    return [data.map((one: { content: string }) => one.content), body.pagination.total];
  };
  const cheaply = async (query: string, as?: Account) => {
    let found: Awaited<ReturnType<typeof search>>;
    const read = await rowsRead(h.store, receipts, async () => found = await search(query, as));
    assert.ok(read <= 2 * 2, `${read} receipts: those of the messages that are shown, and no more`);
    return found!;
  };
  assert.deepEqual(await cheaply("limit=2&page=3"), [["Needle 1095", "Needle 1094"], 1100]);
  assert.deepEqual(await cheaply(`limit=1&conversationId=${conversationId}`), [
    ["Needle 1099"],
    1100,
  ]);
  assert.deepEqual(await cheaply("", "admin"), [[], 0]);
  assert.deepEqual(await cheaply("limit=1&unread=true"), [[], 0]);
  assert.deepEqual(await search("limit=1&unread=true", "other"), [["Needle 1099"], 1100]);
  assert.deepEqual(await search("limit=1&read=true", "other"), [[], 0]);
  // Deleted for oneself.
  await h.ask("DELETE", `/api/messages/${sent[1099]!.id}`, { as: "other" });
  assert.deepEqual(await cheaply("limit=1", "other"), [["Needle 1098"], 1099]);
  assert.deepEqual(await cheaply("limit=1&folder=inbox", "other"), [["Needle 1098"], 1099]);
  assert.deepEqual(await cheaply("limit=1&folder=sent", "other"), [[], 0]);
  assert.deepEqual(await search("limit=1&unread=true", "other"), [["Needle 1098"], 1099]);
  assert.deepEqual(await cheaply("limit=1"), [["Needle 1099"], 1100]);
  assert.deepEqual(await cheaply("limit=1&folder=sent&type=text&read=true"), [
    ["Needle 1099"],
    1100,
  ]);
  // Deleted for everyone, the one that is hidden too.
  await h.ask("DELETE", `/api/messages/${sent[1099]!.id}`, { as: "user" });
  assert.equal(await h.store.from(hiddenMessages).count(), 0);
  assert.deepEqual(await cheaply("limit=1"), [["Needle 1098"], 1099]);
  assert.deepEqual(await cheaply("limit=1", "other"), [["Needle 1098"], 1099]);
  // As a store has it that did not keep what was hidden.
  await h.store.transact({ userId: null }, async (tx) => {
    const receipt = await tx.from(receipts).findBy("receipt", sent[1098]!.id, other.id);
    tx.remove(receipts, receipt!);
  });
  assert.deepEqual(await search("limit=1", "other"), [["Needle 1097"], 1098]);
});
