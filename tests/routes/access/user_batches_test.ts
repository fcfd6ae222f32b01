// Many users deleted at once, and the status alone: by the rules of one.
import assert from "node:assert/strict";
import { documents } from "../../../models/documents.ts";
import { users } from "../../../models/users.ts";
import { harness } from "../../harness.ts";

Deno.test("user batches: each is deleted or told why not, and what they owned passes on", async () => {
  await using h = await harness();
  const { user, other, guest, admin, super: root } = h.accounts;
  await h.grant("user", "documents:create");
  await h.ask("POST", "/api/documents", { as: "user", body: { title: "Left behind" } });
  const ids = [user.id, admin.id, root.id, "none", other.id, user.id];
  const reply = await h.ask("POST", "/api/users/batch-delete", { as: "admin", body: { ids } });
  assert.equal(reply.status, 200, reply.text);
  const told = reply.data as { id: string; status: string; message?: string }[];
  assert.deepEqual(told.map(({ status }) => status), [
    ...["deleted", "conflict", "forbidden", "not_found", "deleted"],
  ]);
  assert.match(told[1]!.message!, /delete yourself/);
  assert.match(told[2]!.message!, /cannot manage/);
  assert.deepEqual(await h.store.from(users).getMany([user.id, other.id]), [null, null]);
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
  const { rows } = await h.store.from(documents).list();
  assert.deepEqual(rows.map(({ ownerId }) => ownerId), [admin.id]);
  const denied = await h.ask("POST", "/api/users/batch-delete", {
    as: "guest",
    body: { ids: [guest.id] },
  });
  assert.equal(denied.status, 403);
});

Deno.test("user batches: one cannot take all super_admins at once", async () => {
  await using h = await harness();
  const second = await h.ask("POST", "/api/users", {
    as: "super",
    body: { name: "Second", email: "second@example.com", role: "super_admin" },
  });
  await h.grant("admin", "*");
  const ids = [h.accounts.super.id, second.data.id];
  const { data } = await h.ask("POST", "/api/users/batch-delete", { as: "admin", body: { ids } });
  assert.deepEqual(data.map(({ status }: { status: string }) => status), ["deleted", "conflict"]);
  assert.equal(await h.store.from(users).count({ role: "super_admin", status: "active" }), 1);
});

Deno.test("user batches: a retry with its Idempotency-Key finds the answer", async () => {
  await using h = await harness();
  const ask = {
    as: "admin" as const,
    headers: { "idempotency-key": "once" },
    body: { ids: [h.accounts.user.id] },
  };
  const first = await h.ask("POST", "/api/users/batch-delete", ask);
  const again = await h.ask("POST", "/api/users/batch-delete", ask);
  assert.deepEqual([first.data[0].status, again.data[0].status], ["deleted", "deleted"]);
});

Deno.test("user status: it is set alone, by the rules of changing a user", async () => {
  await using h = await harness();
  const set = (id: string, status: string) =>
    h.ask("PATCH", `/api/users/${id}/status`, { as: "admin", body: { status, role: "admin" } });
  const { user, admin, super: root } = h.accounts;
  const suspended = await set(user.id, "SUSPENDED");
  assert.deepEqual(
    [suspended.status, suspended.data.status, suspended.data.role],
    [200, "suspended", "user"],
  );
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
  assert.equal((await set(admin.id, "inactive")).status, 403);
  assert.equal((await set(root.id, "inactive")).status, 403);
  assert.equal((await set("none", "inactive")).status, 404);
  assert.equal((await set(user.id, "gone")).status, 400);
  const denied = await h.ask("PATCH", `/api/users/${user.id}/status`, {
    as: "guest",
    body: { status: "active" },
  });
  assert.equal(denied.status, 403);
});
