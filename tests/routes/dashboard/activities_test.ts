// The full dashboard: activities as far as the caller may know of them, unread notifications, users at a glance.
import assert from "node:assert/strict";
import { notifications } from "../../../models/notifications.ts";
import { users } from "../../../models/users.ts";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const server = { userId: null };
const PATHS = ["activities", "notifications", "users"];

async function arrange(h: Harness) {
  await h.grant("user", "documents:create", "calendar:create");
  await h.store.transact(server, (tx) => {
    const fields = { type: "system" as const, title: "Hello", content: "World" };
    tx.insert(notifications, { ...fields, userId: h.accounts.user.id, read: false });
    tx.insert(notifications, { ...fields, userId: h.accounts.user.id, read: true });
    tx.insert(notifications, { ...fields, userId: h.accounts.other.id, read: false });
  });
  await h.ask("PUT", "/api/users/me", { as: "user", body: { name: "Renamed" } });
  await h.ask("POST", "/api/dashboard/tasks", { as: "super", body: { title: "Sweep" } });
  await h.ask("POST", "/api/calendar/events", {
    as: "user",
    body: { title: "Private matter", start: "2026-11-22T10:00:00Z" },
  });
}

scenarios("activities", {
  variant: "full",
  arrange,
  rows: [
    ...PATHS.flatMap((name) => [
      {
        name: `${name} without a token: 401`,
        method: "GET",
        path: `/api/dashboard/${name}`,
        status: 401,
      },
      ...(["guest", "user", "admin"] as const).map((as) => ({
        name: `${name} as ${as}`,
        method: "GET",
        path: `/api/dashboard/${name}`,
        as,
        status: 200,
      })),
    ]),
    ...["activities", "notifications"].map((name) => ({
      name: `${name} with limit 0: 400`,
      method: "GET",
      path: `/api/dashboard/${name}?limit=0`,
      as: "guest" as const,
      status: 400,
      details: ["limit"],
    })),
    {
      name: "activities are one's own",
      method: "GET",
      path: "/api/dashboard/activities",
      as: "user",
      status: 200,
      after(h, { data }) {
        assert.deepEqual(
          data.map(({ action, target }: { action: string; target: string }) => [action, target]),
          [
            ["created", "Private matter"],
            ["updated", "Renamed"],
          ],
        );
        assert.deepEqual(data[0].user, { id: h.accounts.user.id, name: "Renamed" });
        assert.equal(data[0].time, "2026-11-21T10:00:00.000Z");
      },
    },
    {
      name: "activities of a guest who did nothing",
      method: "GET",
      path: "/api/dashboard/activities",
      as: "guest",
      status: 200,
      holds: { data: [] },
    },
    {
      name: "activities of everyone, but not what private things are called",
      method: "GET",
      path: "/api/dashboard/activities?limit=3",
      as: "admin",
      status: 200,
      holds: {
        data: [
          { user: { name: "Renamed" }, action: "created", target: "an event" },
          { user: { name: "Super Person" }, action: "created", target: "Sweep" },
          { user: { name: "Renamed" }, action: "updated", target: "Renamed" },
        ],
        pagination: { limit: 3 },
      },
      absent: ["Private matter"],
    },
    {
      name: "activities of everyone, to who manages everything",
      method: "GET",
      path: "/api/dashboard/activities?limit=1",
      as: "super",
      status: 200,
      holds: { data: [{ target: "Private matter" }] },
    },
    {
      name: "notifications are one's own, unread",
      method: "GET",
      path: "/api/dashboard/notifications",
      as: "user",
      status: 200,
      holds: { data: [{ title: "Hello", read: false }], pagination: { total: 1 } },
      absent: ["userId"],
    },
    {
      name: "users at a glance",
      method: "GET",
      path: "/api/dashboard/users",
      as: "guest",
      status: 200,
      holds: {
        data: {
          total: 5,
          active: 5,
          inactive: 0,
          suspended: 0,
          newThisMonth: 5,
          byRole: [
            { role: "admin", count: 1 },
            { role: "guest", count: 1 },
            { role: "super_admin", count: 1 },
            { role: "user", count: 2 },
          ],
        },
      },
      absent: ["example.com", "passwordHash"],
      after: (_, { data }) => {
        assert.equal(data.recent.length, 5);
        assert.equal(data.recent[0].name, "Guest Person");
      },
    },
  ],
});

Deno.test("activities: the deleted, the server and the month are told apart", async () => {
  await using h = await harness({ variant: "full", env: { JWT_EXPIRES_IN: "90d" } });
  await h.ask("PUT", "/api/users/me", { as: "other", body: { bio: "x" } });
  await h.ask("DELETE", `/api/users/${h.accounts.other.id}`, { as: "super" });
  const { data } = await h.ask("GET", "/api/dashboard/activities?limit=100", { as: "super" });
  assert.deepEqual(
    data.map((
      { user, action, target }: { user: { name: string }; action: string; target: string },
    ) => [user.name, action, target]),
    [
      ["Super Person", "deleted", "Other Person"],
      ["Super Person", "updated", "Other Person"],
      ["Deleted user", "updated", "Other Person"],
    ],
    "a deletion begins with the account's end; what the server made at its first start is not shown",
  );

  h.clock.advance(15 * 24 * 60 * 60 * 1000);
  await h.store.transact(server, (tx) => {
    const fields = { name: "New", email: "new@example.com", role: "user", permissions: [] };
    tx.insert(users, { ...fields, status: "suspended" });
  });
  const figures = (await h.ask("GET", "/api/dashboard/users", { as: "super" })).data;
  assert.deepEqual([figures.total, figures.active, figures.suspended, figures.newThisMonth], [
    5,
    4,
    1,
    1,
  ]);
  assert.equal(figures.recent[0].name, "New");
});
