// The figures of the dashboard, from known records, and the caller's day.
import assert from "node:assert/strict";
import { attendees, events } from "../../../models/calendar.ts";
import { sales } from "../../../models/dashboard.ts";
import { documents } from "../../../models/documents.ts";
import { users } from "../../../models/users.ts";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, server, type State } from "./dashboard_scene.ts";

const FIGURES = ["stats", "visits", "sales", "pie", "tasks", "calendar"];

scenarios<State>("figures", {
  arrange,
  rows: [
    ...FIGURES.flatMap((name) => [
      {
        name: `${name} without a token: 401`,
        method: "GET",
        path: `/api/dashboard/${name}`,
        status: 401,
      },
      // Each of these roles holds another one of the permissions that open the dashboard.
      ...(["guest", "user", "admin", "super"] as const).map((as) => ({
        name: `${name} as ${as}`,
        method: "GET",
        path: `/api/dashboard/${name}`,
        as,
        status: 200,
      })),
    ]),
    {
      name: "stats",
      method: "GET",
      path: "/api/dashboard/stats",
      as: "guest",
      status: 200,
      after: (_, reply) =>
        assert.deepEqual(reply.data, {
          totalUsers: 5,
          activeUsers: 5,
          totalDocuments: 0,
          totalFiles: 0,
          storageUsed: 0,
          totalRevenue: 1520.4,
          totalOrders: 22,
          conversionRate: 14.67,
          userGrowth: 0,
          revenueGrowth: 24.9,
          orderGrowth: 20,
          rateGrowth: -40,
          pendingTasks: 1,
        }),
    },
    {
      name: "visits of seven days, gaps filled",
      method: "GET",
      path: "/api/dashboard/visits",
      as: "guest",
      status: 200,
      holds: {
        data: [
          { date: "2026-11-15", visits: 0, uniqueVisitors: 0, pageViews: 0 },
          { date: "2026-11-16", visits: 0 },
          { date: "2026-11-17", visits: 0 },
          { date: "2026-11-18", visits: 30, uniqueVisitors: 1, pageViews: 9 },
          { date: "2026-11-19", visits: 0 },
          { date: "2026-11-20", visits: 0 },
          { date: "2026-11-21", visits: 50 },
        ],
      },
    },
    {
      name: "visits of a year",
      method: "GET",
      path: "/api/dashboard/visits?days=365",
      as: "guest",
      status: 200,
      after(_, { data }) {
        assert.equal(data.length, 365);
        assert.equal(data[0].date, "2025-11-22");
        assert.deepEqual(
          data.map((d: { date: string }) => d.date).toSorted(),
          data.map((d: { date: string }) => d.date),
        );
      },
    },
    ...["0", "366", "x", "1.5", "-3", ""].map((days) => ({
      name: `visits of '${days}' days: 400`,
      method: "GET",
      path: `/api/dashboard/visits?days=${days}`,
      as: "guest" as const,
      status: 400,
      details: ["days"],
    })),
    {
      name: "sales of three months, gaps filled",
      method: "GET",
      path: "/api/dashboard/sales?months=3",
      as: "guest",
      status: 200,
      after: (_, { data }) =>
        assert.deepEqual(data, [
          { month: "2026-09", sales: 0, orders: 0, profit: 0 },
          { month: "2026-10", sales: 200.2, orders: 5, profit: 160.1 },
          { month: "2026-11", sales: 250.1, orders: 6, profit: 190 },
        ]),
    },
    {
      name: "sales of twelve months, across the year",
      method: "GET",
      path: "/api/dashboard/sales",
      as: "guest",
      status: 200,
      after(_, { data }) {
        assert.equal(data.length, 12);
        assert.deepEqual(data[0], { month: "2025-12", sales: 70.1, orders: 1, profit: 70.05 });
      },
    },
    ...["0", "61", "many"].map((months) => ({
      name: `sales of '${months}' months: 400`,
      method: "GET",
      path: `/api/dashboard/sales?months=${months}`,
      as: "guest" as const,
      status: 400,
      details: ["months"],
    })),
    {
      name: "a sale is recorded, and counts at once",
      method: "POST",
      path: "/api/dashboard/sales",
      as: "guest",
      body: { date: "2026-11-02", amount: 49.9, orders: 2, cost: 9.9 },
      status: 201,
      holds: { data: { date: "2026-11-02", amount: 49.9, orders: 2, cost: 9.9 } },
      after: async (h) => {
        const { data } = await h.ask("GET", "/api/dashboard/sales?months=1", { as: "guest" });
        assert.deepEqual(data, [{ month: "2026-11", sales: 300, orders: 8, profit: 230 }]);
        const stats = await h.ask("GET", "/api/dashboard/stats", { as: "guest" });
        assert.equal(stats.data.totalOrders, 24);
      },
    },
    {
      name: "a sale names each bad field",
      method: "POST",
      path: "/api/dashboard/sales",
      as: "guest",
      body: { date: "yesterday", amount: -1, orders: 1.5 },
      status: 400,
      details: ["amount", "date", "orders"],
    },
    {
      name: "a sale as user: 403",
      method: "POST",
      path: "/api/dashboard/sales",
      as: "user",
      body: { date: "2026-11-02", amount: 1 },
      status: 403,
    },
    {
      name: "a sale without a token: 401",
      method: "POST",
      path: "/api/dashboard/sales",
      body: { date: "2026-11-02", amount: 1 },
      status: 401,
    },
    ...["Mars/Olympus", "+02:00", ""].map((tz) => ({
      name: `calendar in '${tz}': 400`,
      method: "GET",
      path: `/api/dashboard/calendar?tz=${encodeURIComponent(tz)}`,
      as: "guest" as const,
      status: 400,
      details: ["tz"],
    })),
  ],
});

Deno.test("dashboard: nobody without one of its permissions sees it", async () => {
  await using h = await harness({ variant: "full" });
  await h.ask("POST", "/api/roles", { as: "super", body: { name: "nobody" } });
  const other = `/api/users/${h.accounts.other.id}`;
  await h.ask("PUT", other, { as: "super", body: { role: "nobody" } });
  for (const name of [...FIGURES, "activities", "notifications", "users"]) {
    const reply = await h.ask("GET", `/api/dashboard/${name}`, { as: "other" });
    assert.equal(reply.status, 403, name);
  }
});

Deno.test("dashboard: the figures are those of the last commit, and the month's", async () => {
  await using h = await harness({ env: { JWT_ACCESS_EXPIRES: "90d" } });
  const stats = async () => (await h.ask("GET", "/api/dashboard/stats", { as: "guest" })).data;
  const before = await stats();
  assert.deepEqual(await stats(), before);

  await h.ask("POST", "/api/users", {
    as: "super",
    body: {
      name: "New One",
      email: "new@example.com",
      password: "a long enough one",
      status: "inactive",
    },
  });
  await h.store.transact(server, (tx) => {
    const fields = { title: "A", content: "x", type: "document" as const, size: 1 };
    tx.insert(documents, { ...fields, ownerId: h.accounts.user.id });
    tx.insert(sales, { date: "2026-11-30", amount: 10, orders: 1, cost: 0 });
  });
  assert.deepEqual(await stats(), {
    ...before,
    totalUsers: 6,
    activeUsers: 5,
    totalDocuments: 1,
    totalRevenue: 10,
    totalOrders: 1,
  });

  h.clock.advance(10 * 24 * 60 * 60 * 1000);
  const december = await stats();
  assert.equal(december.userGrowth, 0, "nobody came in December");
  assert.equal(december.revenueGrowth, -100, "November had sales, December has none");
  await h.store.transact(server, (tx) => {
    const fields = { name: "Late", role: "user", permissions: [], status: "active" as const };
    for (const n of [1, 2, 3]) tx.insert(users, { ...fields, email: `late${n}@example.com` });
  });
  assert.equal((await stats()).userGrowth, 50);
});

Deno.test("dashboard: the calendar holds the caller's day, in the caller's zone", async () => {
  await using h = await harness();
  const { user, other } = h.accounts;
  await h.store.transact(server, (tx) => {
    const add = (
      title: string,
      start: string,
      end: string,
      fields: { ownerId?: string; allDay?: boolean } = {},
    ) =>
      tx.insert(events, {
        title,
        start,
        end,
        type: "meeting",
        allDay: false,
        ownerId: user.id,
        ...fields,
      });
    add("early", "2026-11-21T00:30:00.000Z", "2026-11-21T01:00:00.000Z");
    add("late", "2026-11-21T23:30:00.000Z", "2026-11-22T00:30:00.000Z");
    add("ends at midnight", "2026-11-20T23:00:00.000Z", "2026-11-21T00:00:00.000Z");
    add("tomorrow", "2026-11-22T00:00:00.000Z", "2026-11-22T01:00:00.000Z");
    add("whole day", "2026-11-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z", { allDay: true });
    add("theirs", "2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z", { ownerId: other.id });
    const invited = add("invited", "2026-11-21T12:00:00.000Z", "2026-11-21T13:00:00.000Z", {
      ownerId: other.id,
    });
    const declined = add("declined", "2026-11-21T12:00:00.000Z", "2026-11-21T13:00:00.000Z", {
      ownerId: other.id,
    });
    tx.insert(attendees, { eventId: invited.id, userId: user.id, status: "pending" });
    tx.insert(attendees, { eventId: declined.id, userId: user.id, status: "declined" });
  });
  const today = async (tz: string) => {
    const { data } = await h.ask("GET", `/api/dashboard/calendar?tz=${tz}`, { as: "user" });
    return data.map(({ title }: { title: string }) => title);
  };
  assert.deepEqual(await today("UTC"), ["whole day", "early", "invited", "late"]);
  // 05:00 on the 21st: that day began at 05:00Z.
  assert.deepEqual(await today("America/New_York"), ["whole day", "invited", "late", "tomorrow"]);
  // Already the 22nd at +14:00, which began at 10:00Z on the 21st.
  assert.deepEqual(await today("Pacific/Kiritimati"), ["invited", "late", "tomorrow"]);
});
