// The calendar of variant full: invitations and answers, reminders, upcoming events.
import assert from "node:assert/strict";
import { attendees, reminders } from "../../models/calendar.ts";
import { type Account, type Harness, harness } from "../harness.ts";
import { scenarios } from "../scenario.ts";

const variant = "full";
const base = "/api/calendar/events";
const minute = 60_000;

async function create(h: Harness, as: Account, body: Record<string, unknown>) {
  const reply = await h.ask("POST", base, { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data.id as string;
}

/**
 * An event of admin at 12:00, two hours from now, which guest attends. In full the role user manages the calendar;
 * admin and guest hold single permissions.
 */
async function arrange(h: Harness) {
  for (const account of ["admin", "guest"] as const) {
    await h.grant(account, "calendar:view", "calendar:create", "calendar:update");
  }
  const { guest } = h.accounts;
  const id = await create(h, "admin", {
    title: "Planning",
    start: "2026-11-21T12:00:00Z",
    location: "Room 1",
    attendeeIds: [guest.id],
  });
  h.mails.length = 0;
  return {
    id,
    h,
    foreign: await create(h, "user", { title: "Secret", start: "2026-11-21T12:00:00Z" }),
  };
}

type State = Awaited<ReturnType<typeof arrange>>;

const attendeesOf = ({ id }: State) => `${base}/${id}/attendees`;
const reminderOf = ({ id }: State) => `${base}/${id}/reminder`;
const self = (account: Account) => ({ id, h }: State) =>
  `${base}/${id}/attendees/${h.accounts[account].id}`;

async function titlesOf(h: Harness, as: Account): Promise<string[]> {
  const { data } = await h.ask("GET", "/api/notifications", { as });
  return data.map((told: { title: string }) => told.title);
}

scenarios("POST /calendar/events/{id}/attendees", {
  variant,
  arrange,
  rows: [
    {
      name: "invites several, and those who attend already once",
      method: "POST",
      path: attendeesOf,
      as: "admin",
      body: ({ h: { accounts } }: State) => ({
        attendeeIds: [accounts.guest.id, accounts.user.id, accounts.other.id],
      }),
      status: 201,
      holds: {
        data: {
          attendees: [{ name: "Guest Person" }, { name: "User Person" }, { status: "pending" }],
        },
      },
      async after(h) {
        assert.deepEqual(h.mails.map((mail) => mail.to).sort(), [
          "other@example.com",
          "user@example.com",
        ]);
        assert.deepEqual(await titlesOf(h, "other"), ["Invitation: Planning"]);
        assert.deepEqual(await titlesOf(h, "guest"), ["Invitation: Planning"]);
      },
    },
    {
      name: "invites one",
      method: "POST",
      path: attendeesOf,
      as: "admin",
      body: ({ h }: State) => ({ userId: h.accounts.other.id }),
      status: 201,
      async after(h, reply, state) {
        const headers = { "if-match": '"old"' };
        const body = { userId: h.accounts.user.id };
        const stale = await h.ask("POST", attendeesOf(state), { as: "admin", headers, body });
        assert.equal(stale.status, 412);
        const current = { "if-match": reply.headers.get("etag")! };
        const good = await h.ask("POST", attendeesOf(state), {
          as: "admin",
          headers: current,
          body,
        });
        assert.equal(good.status, 201);
        assert.notEqual(good.headers.get("etag"), reply.headers.get("etag"));
      },
    },
    {
      name: "an attendee answers",
      method: "POST",
      path: attendeesOf,
      as: "guest",
      body: ({ h }: State) => ({ userId: h.accounts.guest.id, status: "ACCEPTED" }),
      status: 201,
      holds: { data: { attendees: [{ name: "Guest Person", status: "accepted" }] } },
      async after(h) {
        assert.deepEqual(await titlesOf(h, "admin"), ["Guest Person answered: Planning"]);
        assert.equal(h.mails.length, 0);
      },
    },
    {
      name: "the owner attends",
      method: "POST",
      path: attendeesOf,
      as: "admin",
      body: ({ h }: State) => ({ userId: h.accounts.admin.id, status: "tentative" }),
      status: 201,
      holds: { data: { attendees: [{}, { name: "Admin Person", status: "tentative" }] } },
      after: (h) => assert.equal(h.mails.length, 0),
    },
    {
      name: "nobody answers for others",
      method: "POST",
      path: attendeesOf,
      as: "admin",
      body: ({ h }: State) => ({ userId: h.accounts.guest.id, status: "accepted" }),
      status: 400,
      details: ["status"],
    },
    {
      name: "an attendee invites nobody",
      method: "POST",
      path: attendeesOf,
      as: "guest",
      body: ({ h }: State) => ({ userId: h.accounts.other.id }),
      status: 403,
    },
    {
      name: "unknown people",
      method: "POST",
      path: attendeesOf,
      as: "admin",
      body: { attendeeIds: ["a", "b"] },
      status: 400,
      details: ["attendeeIds", "attendeeIds"],
    },
    {
      name: "nobody",
      method: "POST",
      path: attendeesOf,
      as: "admin",
      body: { attendeeIds: [] },
      status: 400,
      details: ["userId"],
    },
    {
      name: "a bad status",
      method: "POST",
      path: attendeesOf,
      as: "guest",
      body: ({ h }: State) => ({ userId: h.accounts.guest.id, status: "maybe" }),
      status: 400,
      details: ["status"],
    },
    {
      name: "of an event one does not see",
      method: "POST",
      path: ({ foreign }: State) => `${base}/${foreign}/attendees`,
      as: "guest",
      body: ({ h }: State) => ({ userId: h.accounts.guest.id }),
      status: 404,
    },
    { name: "signed out", method: "POST", path: attendeesOf, body: {}, status: 401 },
  ],
});

scenarios("DELETE /calendar/events/{id}/attendees/{userId}", {
  variant,
  arrange: async (h) => {
    const state = await arrange(h);
    const body = { minutesBefore: 10 };
    assert.equal((await h.ask("POST", reminderOf(state), { as: "guest", body })).status, 201);
    return state;
  },
  rows: [
    {
      name: "the owner takes someone out",
      method: "DELETE",
      path: self("guest"),
      as: "admin",
      status: 200,
      holds: ({ h }: State) => ({ data: { id: h.accounts.guest.id } }),
      async after(h, _, state) {
        assert.equal((await h.ask("GET", `${base}/${state.id}`, { as: "guest" })).status, 404);
        assert.equal(await h.store.from(reminders).count(), 0);
        assert.deepEqual(await titlesOf(h, "guest"), ["Not invited any more: Planning"]);
        const again = await h.ask("DELETE", self("guest")(state), { as: "admin" });
        assert.equal(again.status, 404);
      },
    },
    {
      name: "an attendee leaves",
      method: "DELETE",
      path: self("guest"),
      as: "guest",
      status: 200,
      async after(h) {
        assert.equal(await h.store.from(attendees).count(), 0);
        assert.deepEqual(await titlesOf(h, "admin"), ["Guest Person left: Planning"]);
      },
    },
    {
      name: "an attendee removes others",
      method: "DELETE",
      path: self("admin"),
      as: "guest",
      status: 403,
    },
    {
      name: "who does not attend",
      method: "DELETE",
      path: self("other"),
      as: "admin",
      status: 404,
    },
    {
      name: "of an event one does not see",
      method: "DELETE",
      path: ({ foreign, h }: State) => `${base}/${foreign}/attendees/${h.accounts.guest.id}`,
      as: "guest",
      status: 404,
    },
    {
      name: "a stale version",
      method: "DELETE",
      path: self("guest"),
      as: "admin",
      headers: { "if-match": '"old"' },
      status: 412,
    },
    { name: "signed out", method: "DELETE", path: self("guest"), status: 401 },
  ],
});

scenarios("POST /calendar/events/{id}/reminder", {
  variant,
  arrange,
  rows: [
    {
      name: "minutes before the start, replaced when set again",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { minutesBefore: 15 },
      status: 201,
      holds: {
        data: { remindAt: "2026-11-21T11:45:00.000Z", minutesBefore: 15, method: "notification" },
      },
      async after(h, _, state) {
        const fixed = { remindAt: "2026-11-21T11:00:00Z" };
        await h.ask("POST", reminderOf(state), { as: "guest", body: fixed });
        const mailed = { minutesBefore: 60, method: "EMAIL" };
        await h.ask("POST", reminderOf(state), { as: "guest", body: mailed });
        const { data } = await h.ask("GET", `${base}/${state.id}`, { as: "guest" });
        assert.deepEqual(data.reminders.map(({ id: _, ...rest }: { id: string }) => rest), [
          { remindAt: "2026-11-21T11:00:00.000Z", method: "notification" },
          { remindAt: "2026-11-21T11:00:00.000Z", minutesBefore: 60, method: "email" },
        ]);
        const owner = await h.ask("GET", `${base}/${state.id}`, { as: "admin" });
        assert.deepEqual(owner.data.reminders, []);
      },
    },
    {
      name: "in the past",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { remindAt: "2026-11-21T10:00:00Z" },
      status: 400,
      details: ["remindAt"],
    },
    {
      name: "no time",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: {},
      status: 400,
      details: ["remindAt"],
    },
    {
      name: "two times",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { remindAt: "2026-11-21T11:00:00Z", minutesBefore: 5 },
      status: 400,
      details: ["remindAt"],
    },
    {
      name: "bad values",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { minutesBefore: -1, method: "pigeon" },
      status: 400,
      details: ["method", "minutesBefore"],
    },
    {
      name: "of an event one does not see",
      method: "POST",
      path: ({ foreign }: State) => `${base}/${foreign}/reminder`,
      as: "guest",
      body: { minutesBefore: 5 },
      status: 404,
    },
    { name: "signed out", method: "POST", path: reminderOf, body: {}, status: 401 },
  ],
});

Deno.test("POST /calendar/events/{id}/reminder: an event that has started", async () => {
  await using h = await harness({ variant });
  const state = await arrange(h);
  h.clock.advance(120 * minute);
  const reply = await h.ask("POST", reminderOf(state), { as: "guest", body: { minutesBefore: 0 } });
  assert.equal(reply.status, 400);
  assert.equal(reply.body.error.details[0].field, "minutesBefore");
});

scenarios("DELETE /calendar/events/{id}/reminder", {
  variant,
  arrange: async (h) => {
    const state = await arrange(h);
    for (const method of ["notification", "email"]) {
      const body = { minutesBefore: 5, method };
      await h.ask("POST", reminderOf(state), { as: "guest", body });
    }
    return state;
  },
  rows: [
    {
      name: "of one method",
      method: "DELETE",
      path: (state: State) => `${reminderOf(state)}?method=email`,
      as: "guest",
      status: 200,
      async after(h, _, state) {
        const { data } = await h.ask("GET", `${base}/${state.id}`, { as: "guest" });
        assert.deepEqual(data.reminders.map((one: { method: string }) => one.method), [
          "notification",
        ]);
      },
    },
    {
      name: "all",
      method: "DELETE",
      path: reminderOf,
      as: "guest",
      status: 200,
      async after(h) {
        assert.equal(await h.store.from(reminders).count(), 0);
      },
    },
    { name: "one's own alone", method: "DELETE", path: reminderOf, as: "admin", status: 404 },
    {
      name: "a bad method",
      method: "DELETE",
      path: (state: State) => `${reminderOf(state)}?method=pigeon`,
      as: "guest",
      status: 400,
      details: ["method"],
    },
    { name: "signed out", method: "DELETE", path: reminderOf, status: 401 },
  ],
});

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
    { name: "signed out", method: "GET", path: `${base}/upcoming`, status: 401 },
  ],
});

scenarios("the calendar of variant full without permissions", {
  variant,
  arrange: (h) => create(h, "user", { title: "x", start: "2026-11-22" }),
  rows: [
    ...["attendees", "reminder"].map((part) => ({
      name: `POST ${part}`,
      method: "POST",
      path: (id: string) => `${base}/${id}/${part}`,
      as: "guest" as const,
      body: {},
      status: 403,
    })),
    ...["attendees/x", "reminder"].map((part) => ({
      name: `DELETE ${part}`,
      method: "DELETE",
      path: (id: string) => `${base}/${id}/${part}`,
      as: "guest" as const,
      status: 403,
    })),
    {
      name: "upcoming",
      method: "GET",
      path: `${base}/upcoming`,
      as: "guest" as const,
      status: 403,
    },
  ],
});

Deno.test("attendees: invited by many at once, each is there once", async () => {
  await using h = await harness({ variant });
  const state = await arrange(h);
  const body = { attendeeIds: [h.accounts.user.id, h.accounts.other.id] };
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => h.ask("POST", attendeesOf(state), { as: "admin", body })),
  );
  assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]));
  assert.equal(await h.store.from(attendees).count(), 3);
  assert.equal(h.mails.length, 2);
});
