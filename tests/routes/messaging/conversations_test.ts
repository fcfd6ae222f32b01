// Conversations of variant full: one's own, with what is last and what is unread.
import assert from "node:assert/strict";
import { type Account, type Harness, harness, type HarnessOptions } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const options: HarnessOptions = { variant: "full" };
const base = "/api/messages/conversations";

async function send(h: Harness, as: Account, body: Record<string, unknown>) {
  const reply = await h.ask("POST", "/api/messages", { as, body });
  assert.equal(reply.status, 201, reply.text);
  h.clock.advance(1000);
  return reply.data;
}

async function arrange(h: Harness) {
  const { user, other } = h.accounts;
  const first = await send(h, "user", { recipientId: other.id, content: "One" });
  const last = await send(h, "user", { recipientId: other.id, content: "Two" });
  const group = await send(h, "admin", {
    participantIds: [user.id, other.id],
    name: "Crew",
    content: "Welcome",
  });
  return { h, first, last, group, id: first.conversationId as string };
}

type State = Awaited<ReturnType<typeof arrange>>;

const path = ({ id }: State) => `${base}/${id}`;

scenarios(`GET ${base}`, {
  ...options,
  arrange,
  rows: [
    {
      name: "the latest first",
      method: "GET",
      path: base,
      as: "other",
      status: 200,
      holds: ({ h: { accounts }, last, group }: State) => ({
        data: [
          {
            id: group.conversationId,
            name: "Crew",
            type: "group",
            members: [{ id: accounts.admin.id }, { id: accounts.user.id }, {
              id: accounts.other.id,
            }],
            lastMessage: { content: "Welcome" },
            lastMessageTime: group.createdAt,
            unreadCount: 1,
          },
          {
            name: "User Person",
            type: "private",
            members: [{ name: "User Person" }, { name: "Other Person" }],
            lastMessage: { id: last.id, content: "Two" },
            unreadCount: 2,
          },
        ],
        pagination: { total: 2 },
      }),
    },
    {
      name: "by type",
      method: "GET",
      path: `${base}?type=private`,
      as: "user",
      status: 200,
      holds: { data: [{ name: "Other Person", unreadCount: 0 }] },
    },
    {
      name: "unread",
      method: "GET",
      path: `${base}?unread=true`,
      as: "user",
      status: 200,
      holds: { data: [{ name: "Crew" }] },
    },
    {
      name: "read",
      method: "GET",
      path: `${base}?unread=false`,
      as: "user",
      status: 200,
      holds: { data: [{ name: "Other Person" }] },
    },
    {
      name: "search by the name of a group",
      method: "GET",
      path: `${base}?search=cRe`,
      as: "user",
      status: 200,
      holds: { data: [{ name: "Crew" }] },
    },
    {
      name: "search by the name of a member",
      method: "GET",
      path: `${base}?q=other`,
      as: "user",
      status: 200,
      holds: { pagination: { total: 2 } },
    },
    {
      name: "super_admin takes part in none",
      method: "GET",
      path: base,
      as: "super",
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "a bad type",
      method: "GET",
      path: `${base}?type=secret`,
      as: "user",
      status: 400,
      details: ["type"],
    },
    { name: "signed out", method: "GET", path: base, status: 401 },
    {
      name: "for everyone signed in, one's own alone",
      method: "GET",
      path: base,
      as: "guest",
      status: 200,
      holds: { data: [] },
    },
  ],
});

scenarios(`GET ${base}/{id}`, {
  ...options,
  arrange,
  rows: [
    {
      name: "with its messages, newest first",
      method: "GET",
      path,
      as: "other",
      status: 200,
      holds: {
        data: { unreadCount: 2, messages: [{ content: "Two", read: false }, { content: "One" }] },
        pagination: { total: 2 },
      },
      async after(h, _, state) {
        assert.equal((await h.ask("GET", path(state), { as: "other" })).data.unreadCount, 2);
      },
    },
    {
      name: "paged",
      method: "GET",
      path: (state: State) => `${path(state)}?limit=1&page=2`,
      as: "other",
      status: 200,
      holds: { data: { messages: [{ content: "One" }] }, pagination: { total: 2, totalPages: 2 } },
    },
    { name: "one's own only, even as super_admin", method: "GET", path, as: "super", status: 404 },
    { name: "another's", method: "GET", path, as: "admin", status: 404 },
    { name: "unknown", method: "GET", path: `${base}/none`, as: "user", status: 404 },
    {
      name: "a bad cursor",
      method: "GET",
      path: (s: State) => `${path(s)}?cursor=x`,
      as: "user",
      status: 400,
    },
    { name: "signed out", method: "GET", path, status: 401 },
    { name: "who takes no part", method: "GET", path, as: "guest", status: 404 },
  ],
});

Deno.test("conversations: the cursor walks through all messages", async () => {
  await using h = await harness(options);
  const state = await arrange(h);
  for (const content of ["Three", "Four", "Five"]) {
    await send(h, "other", { conversationId: state.id, content });
  }
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`;
    const { data, body } = await h.ask("GET", `${path(state)}?limit=2${more}`, { as: "user" });
    seen.push(...data.messages.map((message: { content: string }) => message.content));
    cursor = body.pagination.nextCursor;
  }
  assert.deepEqual(seen, ["Five", "Four", "Three", "Two", "One"]);
});

Deno.test("conversations: the last message stays right after deletions", async () => {
  await using h = await harness(options);
  const state = await arrange(h);
  const last = async (as: Account) => {
    const { data } = await h.ask("GET", path(state), { as });
    return [data.lastMessage?.content, data.unreadCount];
  };
  const remove = (id: string, as: Account) => h.ask("DELETE", `/api/messages/${id}`, { as });

  await remove(state.last.id, "other");
  assert.deepEqual(await last("other"), ["One", 1]);
  assert.deepEqual(await last("user"), ["Two", 0]);
  await remove(state.last.id, "user");
  assert.deepEqual(await last("user"), ["One", 0]);
  await remove(state.first.id, "user");
  assert.deepEqual(await last("other"), [undefined, 0]);

  const more = await Promise.all(
    ["a", "b", "c", "d"].map((content) =>
      h.ask("POST", "/api/messages", { as: "user", body: { conversationId: state.id, content } })
    ),
  );
  const newest = more.map((reply) => reply.data.id).sort();
  await Promise.all([remove(newest[3], "user"), remove(newest[2], "user")]);
  const { data } = await h.ask("GET", path(state), { as: "other" });
  assert.equal(data.lastMessage.id, newest[1]);
});

scenarios("messages in variant full", {
  ...options,
  arrange,
  rows: [
    {
      name: "have no mailbox",
      method: "GET",
      path: "/api/messages",
      as: "user",
      status: 405,
    },
    {
      name: "need no permission: they are open to everyone signed in",
      method: "POST",
      path: "/api/messages",
      as: "guest",
      body: (s: State) => ({ recipientId: s.h.accounts.user.id, content: "x" }),
      status: 201,
    },
  ],
});

Deno.test("conversations: a search by name finds an accent however it is composed", async () => {
  await using h = await harness(options);
  const participantIds = [h.accounts.user.id, h.accounts.other.id];
  await send(h, "admin", { participantIds, name: "Zo\u00eb's crew", content: "Welcome" });
  const search = encodeURIComponent("ZOE\u0308");
  const { body } = await h.ask("GET", `${base}?search=${search}`, { as: "user" });
  assert.equal(body.pagination.total, 1);
});
