// What comes next in one's calendar.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, attendeesOf, base, create, variant } from "./event_scene.ts";

scenarios("GET /calendar/events/upcoming", {
  variant,
  arrange: async (h) => {
    const state = await arrange(h);
    await create(h, "admin", { title: "Over", start: "2026-11-21T09:00:00Z" });
    await create(h, "admin", { title: "Next week", start: "2026-11-28T09:00:00Z", type: "task" });
    await create(h, "admin", { title: "Next month", start: "2026-12-20T09:00:00Z" });
    return state;
  },
  rows: [
    {
      name: "within a week, soonest first",
      method: "GET",
      path: `${base}/upcoming`,
      as: "admin",
      status: 200,
      holds: { data: [{ title: "Planning" }, { title: "Next week" }], pagination: { total: 2 } },
      absent: ["Over", "Secret"],
    },
    {
      name: "so many days and events",
      method: "GET",
      path: `${base}/upcoming?days=30&limit=1&page=3`,
      as: "admin",
      status: 200,
      holds: { data: [{ title: "Next month" }], pagination: { total: 3 } },
    },
    {
      name: "by type",
      method: "GET",
      path: `${base}/upcoming?type=task&days=`,
      as: "admin",
      status: 200,
      holds: { data: [{ title: "Next week" }] },
    },
    {
      name: "for an attendee, until they decline",
      method: "GET",
      path: `${base}/upcoming`,
      as: "guest",
      status: 200,
      holds: { data: [{ title: "Planning" }] },
      async after(h, _, state) {
        const body = { userId: h.accounts.guest.id, status: "declined" };
        await h.ask("POST", attendeesOf(state), { as: "guest", body });
        const { data } = await h.ask("GET", `${base}/upcoming`, { as: "guest" });
        assert.deepEqual(data, []);
        assert.equal((await h.ask("GET", `${base}/${state.id}`, { as: "guest" })).status, 200);
      },
    },
    {
      name: "one's own, also for who manages the calendar",
      method: "GET",
      path: `${base}/upcoming`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Secret" }] },
    },
    {
      name: "bad days and limit",
      method: "GET",
      path: `${base}/upcoming?days=0&limit=x`,
      as: "admin",
      status: 400,
      details: ["days", "limit"],
    },
    ...["367", "1e1", "0x10", "+5", "%205", "5.0", "-1", "all"].map((days) => ({
      name: `'${days}' days`,
      method: "GET",
      path: `${base}/upcoming?days=${days}`,
      as: "admin" as const,
      status: 400,
      details: ["days"],
    })),
    { name: "signed out", method: "GET", path: `${base}/upcoming`, status: 401 },
  ],
});

scenarios("upcoming events without permissions", {
  variant,
  arrange: (h) => create(h, "user", { title: "x", start: "2026-11-22" }),
  rows: [
    {
      name: "upcoming",
      method: "GET",
      path: `${base}/upcoming`,
      as: "guest" as const,
      status: 403,
    },
  ],
});

Deno.test("upcoming: a whole day is to come until midnight where one is", async () => {
  await using h = await harness({ variant });
  const body = { title: "Fair", start: "2026-11-22", allDay: true };
  await create(h, "user", body);
  const titles = async (query: string) => {
    const { data } = await h.ask("GET", `${base}/upcoming${query}`, { as: "user" });
    return data.map(({ title }: { title: string }) => title);
  };
  const zone = (timeZone: string) =>
    h.ask("PUT", "/api/users/me", { as: "user", body: { timeZone } });
  // 01:00 of that day in UTC, 20:00 of the day before in New York.
  h.clock.advance(15 * 60 * 60_000);
  assert.deepEqual(await titles(""), []);
  await zone("America/New_York");
  assert.deepEqual(await titles(""), ["Fair"]);
  assert.deepEqual(await titles("?tz=Asia/Shanghai"), []);
  // 00:30 of that day in New York.
  h.clock.advance(4.5 * 60 * 60_000);
  assert.deepEqual(await titles(""), []);
});
