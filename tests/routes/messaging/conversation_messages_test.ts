// The messages of a conversation by its path, for those who take part in it.
import assert from "node:assert/strict";
import { notifications } from "../../../models/notifications.ts";
import { type Account, harness } from "../../harness.ts";

Deno.test("conversation messages: sent, listed, marked and deleted by those in it alone", async () => {
  await using h = await harness({ variant: "full" });
  const { data: first } = await h.ask("POST", "/api/messages", {
    as: "user",
    body: { recipientId: h.accounts.other.id, content: "Hello" },
  });
  const path = `/api/messages/conversations/${first.conversationId}`;
  const send = (as: Account, content: string) =>
    h.ask("POST", `${path}/messages`, { as, body: { content } });
  const sent = await send("user", "Are you there?");
  assert.deepEqual([sent.status, sent.data.conversationId], [201, first.conversationId]);
  for (const as of ["admin", "super"] as const) {
    assert.equal((await send(as, "Let me in")).status, 404);
    assert.equal((await h.ask("GET", `${path}/messages`, { as })).status, 404);
    assert.equal((await h.ask("PUT", `${path}/read`, { as })).status, 404);
    const remove = await h.ask("DELETE", `${path}/messages/${first.id}`, { as });
    assert.equal(remove.status, 404);
  }
  assert.equal((await send("other", " ")).status, 400);
  const list = await h.ask("GET", `${path}/messages?limit=1`, { as: "other" });
  assert.deepEqual([list.data.length, list.body.pagination.total], [1, 2]);
  assert.equal(list.data[0].content, "Are you there?");

  const read = await h.ask("PATCH", `${path}/read`, { as: "other" });
  assert.equal(read.data.count, 2);
  assert.equal((await h.ask("PUT", `${path}/read`, { as: "other" })).data.count, 0);
  const told = { userId: h.accounts.other.id, read: false };
  assert.equal(await h.store.from(notifications).count(told), 0);
  const { data } = await h.ask("GET", "/api/messages/conversations", { as: "other" });
  assert.equal(data[0].unreadCount, 0);

  const { data: elsewhere } = await h.ask("POST", "/api/messages", {
    as: "other",
    body: { recipientId: h.accounts.admin.id, content: "Apart" },
  });
  const astray = await h.ask("DELETE", `${path}/messages/${elsewhere.id}`, { as: "other" });
  assert.equal(astray.status, 404);
  const gone = await h.ask("DELETE", `${path}/messages/${first.id}`, { as: "user" });
  assert.deepEqual(gone.data, { id: first.id });
  const left = await h.ask("GET", `${path}/messages`, { as: "other" });
  assert.equal(left.data.length, 1);
});

Deno.test("notifications: the number of unread ones alone", async () => {
  await using h = await harness();
  const count = async () =>
    (await h.ask("GET", "/api/notifications/unread-count", { as: "other" })).data.count;
  assert.equal(await count(), 0);
  const body = { recipientId: h.accounts.other.id, content: "Hello" };
  await h.ask("POST", "/api/messages", { as: "user", body });
  assert.equal(await count(), 1);
  await h.ask("PUT", "/api/notifications/read-all", { as: "other" });
  assert.equal(await count(), 0);
});
