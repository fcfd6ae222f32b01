// What people do every day, walked as each built-in role in each variant: what a role is for, it can do.
import assert from "node:assert/strict";
import { variants } from "../config/variants.ts";
import { type Account, type Harness, harness, type Reply } from "./harness.ts";

const missing = (message: string) => ({ field: "permission", message, code: "missing_permission" });

type Variant = "compact" | "full" | "web";
const EVERY_VARIANT: readonly Variant[] = ["compact", "full", "web"];

/** By whom what is done, and what it answers. */
async function expectStatus(asked: Promise<Reply>, status: number, what: string): Promise<Reply> {
  const reply = await asked;
  assert.equal(reply.status, status, `${what}: ${reply.text}`);
  return reply;
}

/** Creates, changes, suspends, reinstates and deletes accounts of a role, as an administrator does. */
async function administer(h: Harness, as: Account, role: string | undefined): Promise<void> {
  const told = `${as} and a ${role ?? "plain user"}`;
  const ask = (method: string, path: string, body?: unknown, status = 200) =>
    expectStatus(h.ask(method, path, { as, body }), status, `${told}: ${method} ${path}`);
  const person = { name: "New Person", email: `new-${as}-${role}@example.com`, role };
  const { data: made } = await ask(
    "POST",
    "/api/users",
    { ...person, password: "a passphrase" },
    201,
  );
  assert.equal(made.role, role ?? "user");
  const path = `/api/users/${made.id}`;

  const { data: shown } = await ask("GET", path);
  // A form sends back what it was shown.
  await ask("PUT", path, { ...shown, position: "Captain" });
  await ask("PUT", path, { permissions: ["users:view"].filter((one) => role === "admin" && one) });
  await ask("PUT", path, { password: "another passphrase" });
  await ask("GET", `${path}/sessions`);
  for (const status of ["suspended", "inactive", "active"]) {
    const { data } = await ask("PUT", path, { status });
    assert.equal(data.status, status);
  }
  await ask("DELETE", path);
  await ask("GET", path, undefined, 404);

  h.mails.length = 0;
  const invited = { name: "Invited Person", email: `invited-${as}-${role}@example.com`, role };
  const { data: guest } = await ask("POST", "/api/users", invited, 201);
  assert.deepEqual(h.mails.map(({ to }) => to), [invited.email]);
  await ask("DELETE", `/api/users/${guest.id}`);
}

for (const variant of EVERY_VARIANT) {
  Deno.test(`flows: administrators administer plain users and guests (${variant})`, async () => {
    await using h = await harness({ variant });
    for (const as of ["super", "admin"] as const) {
      for (const role of [undefined, "user", "guest", "admin"]) await administer(h, as, role);
    }
  });

  Deno.test(`flows: others administer nobody, and are told what they lack (${variant})`, async () => {
    await using h = await harness({ variant });
    const other = `/api/users/${h.accounts.other.id}`;
    const person = { name: "New Person", email: "new@example.com" };
    const asked = [
      ["POST", "/api/users", person, "users:create"],
      ["GET", "/api/users", undefined, "users:view"],
      ["GET", other, undefined, "users:view"],
      ["PUT", other, { status: "suspended" }, "users:update"],
      ["DELETE", other, undefined, "users:delete"],
    ] as const;
    for (const as of ["user", "guest"] as const) {
      for (const [method, path, body, permission] of asked) {
        const { body: answer } = await expectStatus(h.ask(method, path, { as, body }), 403, path);
        const details = answer.error?.details ?? answer.details;
        assert.deepEqual(details, [missing(permission)]);
      }
    }
  });

  Deno.test(`flows: an administrator reaches nobody above themselves (${variant})`, async () => {
    await using h = await harness({ variant });
    const path = `/api/users/${h.accounts.super.id}`;
    const asked = [
      ["PUT", path, { password: "taken over by now" }],
      ["PUT", path, { status: "suspended" }],
      ["DELETE", path, undefined],
      ["GET", `${path}/sessions`, undefined],
      ["POST", "/api/users", { name: "A Twin", email: "twin@example.com", role: "super_admin" }],
    ] as const;
    for (const [method, path, body] of asked) {
      const { body: answer } = await expectStatus(
        h.ask(method, path, { as: "admin", body }),
        403,
        path,
      );
      const details = answer.error?.details ?? answer.details;
      assert.deepEqual(details, [missing("*")]);
    }
  });
}

Deno.test("flows: permissions that are harmless alone do not open others' calendars together", async () => {
  await using h = await harness({ variant: "full" });
  // In full a user has calendar:* for a calendar of their own, an administrator users:* alone.
  const person = { name: "New Person", email: "new@example.com", permissions: ["users:view"] };
  const made = await h.ask("POST", "/api/users", { as: "admin", body: person });
  assert.equal(made.status, 403, made.text);
  assert.deepEqual(made.body.error.details, [missing("calendar:*")]);
  const path = `/api/users/${h.accounts.user.id}`;
  const body = { permissions: ["users:view"] };
  assert.equal((await h.ask("PUT", path, { as: "admin", body })).status, 403);
  assert.equal((await h.ask("PUT", path, { as: "super", body })).status, 200);
  assert.equal(
    (await h.ask("PUT", path, { as: "admin", body: { password: "taken over" } })).status,
    403,
  );
});

Deno.test("flows: the default role is given by whoever may create users, and by no one else", async () => {
  await using h = await harness({ variant: "full" });
  await h.grant("guest", "users:update");
  const { data: made } = await h.ask("POST", "/api/users", {
    as: "super",
    body: { name: "New Person", email: "new@example.com", role: "guest" },
  });
  const promote = () =>
    h.ask("PUT", `/api/users/${made.id}`, { as: "guest", body: { role: "user" } });
  assert.equal((await promote()).status, 403);
  await h.grant("guest", "users:create");
  assert.equal((await promote()).status, 200);
});

/** Who may use messages, by variant. */
const WRITERS: Readonly<Record<"compact" | "full", readonly Account[]>> = {
  compact: ["super", "admin", "user"],
  full: ["super", "admin", "user", "guest"],
};

for (const variant of ["compact", "full"] as const) {
  const mailbox = variant === "compact" ? "/api/messages" : "/api/messages/conversations";
  for (const as of ["super", "admin", "user", "guest"] as const) {
    Deno.test(`flows: ${as} sends, reads and deletes messages (${variant})`, async () => {
      await using h = await harness({ variant });
      const body = { recipientId: h.accounts.other.id, content: "Hello" };
      const sent = await h.ask("POST", "/api/messages", { as, body });
      if (!WRITERS[variant].includes(as)) {
        assert.equal(sent.status, 403);
        assert.deepEqual(
          sent.body.error.details.map(({ message }: { message: string }) => message),
          [
            "messages:create",
            "messages:view",
          ],
        );
        return;
      }
      assert.equal(sent.status, 201, sent.text);
      assert.equal((await h.ask("GET", mailbox, { as })).data.length, 1);
      assert.equal((await h.ask("GET", mailbox, { as: "other" })).data.length, 1);
      // Participants only, whatever the role.
      const third = as === "super" ? "admin" : "super";
      assert.equal((await h.ask("GET", mailbox, { as: third })).data.length, 0);
      const path = `/api/messages/${sent.data.id}`;
      assert.equal((await h.ask("PUT", `${path}/read`, { as: third })).status, 404);
      assert.equal((await h.ask("DELETE", path, { as: third })).status, 404);
      assert.equal((await h.ask("PUT", `${path}/read`, { as: "other" })).status, 200);
      const { data: conversation } = await h.ask("POST", "/api/messages", {
        as: "other",
        body: { conversationId: sent.data.conversationId, content: "Hello yourself" },
      });
      assert.equal(conversation.recipientId, h.accounts[as].id);
      assert.equal((await h.ask("DELETE", path, { as })).status, 200);
      assert.equal((await h.ask("GET", mailbox)).status, 401);
    });
  }
}

Deno.test("flows: each role does what its permissions are for, in each variant", async (t) => {
  /** Lists by the permission that opens them. */
  const lists: Readonly<Record<string, string>> = {
    "users:view": "/api/users",
    "documents:view": "/api/documents",
    "files:view": "/api/files",
    "calendar:view": "/api/calendar/events",
    "dashboard:view": "/api/dashboard/stats",
    "teams:view": "/api/teams",
  };
  for (const name of ["compact", "full"]) {
    await using h = await harness({ variant: name });
    const roles = variants[name]!.roles;
    for (const as of ["super", "admin", "user", "guest"] as const) {
      const held = roles[as === "super" ? "super_admin" : as];
      for (const [permission, path] of Object.entries(lists)) {
        if (name === "compact" && path === "/api/teams") continue;
        await t.step(`${name}: ${as} and ${path}`, async () => {
          const [resource] = permission.split(":");
          const holds = held.some((one) => ["*", `${resource}:*`, permission].includes(one));
          const seesDashboard = permission === "dashboard:view" &&
            held.some((one) => ["users:*", "documents:*", "documents:view"].includes(one));
          const { status } = await h.ask("GET", path, { as });
          assert.equal(status, holds || seesDashboard ? 200 : 403);
        });
      }
    }
  }
});
