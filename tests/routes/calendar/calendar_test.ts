// Calendar events: who sees and changes them, when they are, and the ranges that list them.
import assert from "node:assert/strict";
import { attendees, events, reminders } from "../../../models/calendar.ts";
import { notifications } from "../../../models/notifications.ts";
import { users } from "../../../models/users.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const base = "/api/calendar/events";
const rights = ["calendar:create", "calendar:update", "calendar:delete"];

async function create(h: Harness, as: Account, body: Record<string, unknown>) {
  const reply = await h.ask("POST", base, { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data;
}

/** A meeting of user and admin; admin manages the calendar, other only has rights of their own. */
async function arrange(h: Harness) {
  for (const account of ["user", "other", "guest"] as const) await h.grant(account, ...rights);
  await h.grant("guest", "calendar:view");
  const { id } = await create(h, "user", {
    title: "Planning",
    description: "The quarter ahead",
    start: "2026-11-21T12:00:00Z",
    end: "2026-11-21T13:00:00Z",
    location: "Room 1",
    attendeeIds: [h.accounts.guest.id],
  });
  h.mails.length = 0;
  return { id: id as string, h };
}

type State = Awaited<ReturnType<typeof arrange>>;

const path = ({ id }: State) => `${base}/${id}`;
const start = "2026-11-22T09:00:00Z";

scenarios("POST /calendar/events", {
  arrange,
  rows: [
    {
      name: "takes an hour where no end is given",
      method: "POST",
      path: base,
      as: "user",
      body: { title: " Call ", startAt: "2026-11-22T10:00:00+01:00", type: "TASK" },
      status: 201,
      holds: ({ h }: State) => ({
        success: true,
        data: {
          title: "Call",
          start: "2026-11-22T09:00:00.000Z",
          end: "2026-11-22T10:00:00.000Z",
          type: "task",
          allDay: false,
          ownerId: h.accounts.user.id,
          attendees: [],
          reminders: [],
        },
      }),
    },
    {
      name: "takes the day",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Fair", start: "2026-11-22", allDay: true, color: "#ff0000" },
      status: 201,
      holds: {
        data: {
          start: "2026-11-22T00:00:00.000Z",
          end: "2026-11-22T23:59:59.999Z",
          allDay: true,
          color: "#ff0000",
          type: "meeting",
        },
      },
    },
    {
      name: "ends with the day that is given as its end",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Trip", start: "2026-11-22", endAt: "2026-11-24", allDay: true },
      status: 201,
      holds: { data: { end: "2026-11-24T23:59:59.999Z" } },
    },
    {
      name: "a whole day that ends as it starts",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Day", start, end: start, allDay: true },
      status: 201,
      holds: { data: { end: "2026-11-23T08:59:59.999Z" } },
    },
    {
      name: "without duration",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Ping", start, end: start },
      status: 201,
      holds: { data: { start: "2026-11-22T09:00:00.000Z", end: "2026-11-22T09:00:00.000Z" } },
    },
    {
      name: "invites by notification and mail",
      method: "POST",
      path: base,
      as: "user",
      body: ({ h: { accounts } }: State) => ({
        title: "Lunch",
        start,
        attendees: [accounts.other.id, { id: accounts.user.id }, { userId: accounts.admin.id }],
      }),
      status: 201,
      holds: {
        data: {
          attendees: [
            { name: "Other Person", status: "pending" },
            { name: "User Person", status: "accepted" },
            { name: "Admin Person", status: "pending" },
          ],
        },
      },
      async after(h, { data }) {
        const mailed = h.mails.map((mail) => mail.to).sort();
        assert.deepEqual(mailed, ["admin@example.com", "other@example.com"]);
        assert.equal(h.mails[0]!.subject, "Invitation to an event");
        assert.match(h.mails[0]!.text, /^> Lunch$/m);
        const told = await h.ask("GET", "/api/notifications", { as: "other" });
        assert.equal(told.data[0].title, "Invitation: Lunch");
        assert.equal(told.data[0].link, `/calendar/${data.id}`);
        assert.equal((await h.ask("GET", "/api/notifications", { as: "user" })).data.length, 0);
        assert.equal((await h.ask("GET", `${base}/${data.id}`, { as: "other" })).status, 200);
      },
    },
    {
      name: "unknown attendees",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Lunch", start, attendeeIds: ["nobody"] },
      status: 400,
      details: ["attendeeIds"],
      async after(h) {
        assert.equal(await h.store.from(events).count(), 1);
      },
    },
    {
      name: "ends before it starts",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Back", start, end: "2026-11-22T08:59:59Z" },
      status: 400,
      details: ["end"],
    },
    {
      name: "without title and start",
      method: "POST",
      path: base,
      as: "user",
      body: {},
      status: 400,
      details: ["title"],
    },
    {
      name: "without start",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Sometime" },
      status: 400,
      details: ["start"],
    },
    {
      name: "bad fields",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "", start: "tomorrow", type: "party", allDay: "yes" },
      status: 400,
      details: ["allDay", "start", "title", "type"],
    },
    {
      name: "a moment after the year 9999",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Late", start: "9999-12-31T23:59:59-12:00" },
      status: 400,
      details: ["start"],
    },
    {
      name: "a moment in the year 0000, which Postgres has not",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Early", start: "0000-01-01T00:00:00Z" },
      status: 400,
      details: ["start"],
    },
    {
      name: "the first second of time",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Early", start: "0001-01-01T00:00:00Z" },
      status: 201,
      holds: { data: { start: "0001-01-01T00:00:00.000Z" } },
    },
    {
      name: "the last second of time",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "Late", start: "9999-12-31T23:59:59Z" },
      status: 201,
      holds: { data: { end: "9999-12-31T23:59:59.999Z" } },
    },
    {
      name: "not JSON",
      method: "POST",
      path: base,
      as: "user",
      headers: { "content-type": "text/plain" },
      body: "x",
      status: 415,
    },
    { name: "signed out", method: "POST", path: base, body: { title: "x", start }, status: 401 },
  ],
});

scenarios("events without the permission", {
  arrange: (h) => create(h, "admin", { title: "Review", start, attendeeIds: [h.accounts.user.id] }),
  rows: [
    {
      name: "to create",
      method: "POST",
      path: base,
      as: "user",
      body: { title: "x", start },
      status: 403,
    },
    { name: "to change", method: "PUT", path, as: "user", body: { title: "x" }, status: 403 },
    { name: "to delete", method: "DELETE", path, as: "user", status: 403 },
    { name: "to list", method: "GET", path: base, as: "guest", status: 403 },
    { name: "to see", method: "GET", path, as: "guest", status: 403 },
  ],
});

scenarios("GET /calendar/events", {
  arrange: async (h) => {
    const state = await arrange(h);
    await create(h, "user", { title: "Later", start: "2026-12-01", allDay: true, type: "holiday" });
    await create(h, "user", {
      title: "Earlier",
      start: "2026-11-20T22:00:00Z",
      end: "2026-11-21T12:00:00Z",
    });
    await create(h, "other", { title: "Secret", start });
    return state;
  },
  rows: [
    {
      name: "one's own, by start",
      method: "GET",
      path: base,
      as: "user",
      status: 200,
      holds: {
        data: [{ title: "Earlier" }, { title: "Planning" }, { title: "Later" }],
        pagination: { total: 3 },
      },
      absent: ["Secret"],
    },
    {
      name: "those one attends",
      method: "GET",
      path: base,
      as: "guest",
      status: 200,
      holds: { data: [{ title: "Planning", attendees: [{ name: "Guest Person" }] }] },
    },
    {
      name: "all for who manages the calendar",
      method: "GET",
      path: `${base}?sort=-start&limit=2`,
      as: "admin",
      status: 200,
      holds: { data: [{ title: "Later" }, { title: "Secret" }], pagination: { total: 4 } },
    },
    {
      name: "a range: what ends as it starts is out, what overlaps is in",
      method: "GET",
      path: `${base}?from=2026-11-21T12:00:00Z&to=2026-11-30`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Planning" }], pagination: { total: 1 } },
    },
    {
      name: "a range: what starts as it ends is out",
      method: "GET",
      path: `${base}?start=2026-11-21&end=2026-11-21T12:00:00Z`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Earlier" }] },
    },
    {
      name: "a date as the end of a range includes the day",
      method: "GET",
      path: `${base}?from=2026-12-01&to=2026-12-01`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Later" }] },
    },
    {
      name: "from",
      method: "GET",
      path: `${base}?from=2026-11-22&to=`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Later" }] },
    },
    {
      name: "to",
      method: "GET",
      path: `${base}?to=2026-11-20`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Earlier" }] },
    },
    {
      name: "by type",
      method: "GET",
      path: `${base}?type=holiday&from=2026-01-01`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Later" }] },
    },
    {
      name: "search",
      method: "GET",
      path: `${base}?search=quarter`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Planning" }] },
    },
    {
      name: "a range that ends before it starts",
      method: "GET",
      path: `${base}?from=2026-11-22&to=2026-11-20`,
      as: "user",
      status: 400,
      details: ["to"],
    },
    {
      name: "bad bounds, type and sort",
      method: "GET",
      path: `${base}?from=soon&type=party`,
      as: "user",
      status: 400,
      details: ["from", "type"],
    },
    { name: "a bad sort", method: "GET", path: `${base}?sort=color`, as: "user", status: 400 },
    { name: "signed out", method: "GET", path: base, status: 401 },
  ],
});

scenarios("GET /calendar/events/{id}", {
  arrange,
  rows: [
    {
      name: "its owner",
      method: "GET",
      path,
      as: "user",
      status: 200,
      holds: { data: { title: "Planning", location: "Room 1", end: "2026-11-21T13:00:00.000Z" } },
      async after(h, reply, state) {
        const headers = { "if-none-match": reply.headers.get("etag")! };
        assert.equal((await h.ask("GET", path(state), { as: "user", headers })).status, 304);
      },
    },
    { name: "an attendee", method: "GET", path, as: "guest", status: 200 },
    { name: "who manages the calendar", method: "GET", path, as: "admin", status: 200 },
    { name: "others", method: "GET", path, as: "other", status: 404 },
    { name: "unknown", method: "GET", path: `${base}/none`, as: "admin", status: 404 },
    { name: "signed out", method: "GET", path, status: 401 },
  ],
});

scenarios("PUT /calendar/events/{id}", {
  arrange,
  rows: [
    {
      name: "takes only what changes, and tells the attendees of a move",
      method: "PATCH",
      path,
      as: "user",
      body: { end: "2026-11-21T14:00:00Z", description: null, location: "" },
      status: 200,
      holds: {
        data: {
          title: "Planning",
          start: "2026-11-21T12:00:00.000Z",
          end: "2026-11-21T14:00:00.000Z",
          description: undefined,
          location: undefined,
          attendees: [{ name: "Guest Person" }],
        },
      },
      async after(h) {
        const { data } = await h.ask("GET", "/api/notifications", { as: "guest" });
        assert.deepEqual(data.map((told: { title: string }) => told.title), [
          "Changed: Planning",
          "Invitation: Planning",
        ]);
        assert.equal(h.mails.length, 0);
      },
    },
    {
      name: "a new title tells nobody",
      method: "PUT",
      path,
      as: "user",
      body: { title: "Plan" },
      status: 200,
      holds: { data: { title: "Plan" } },
      async after(h) {
        assert.equal((await h.ask("GET", "/api/notifications", { as: "guest" })).data.length, 1);
      },
    },
    {
      name: "attendeeIds names all who attend",
      method: "PUT",
      path,
      as: "user",
      body: ({ h }: State) => ({ attendeeIds: [h.accounts.other.id], location: "Room 2" }),
      status: 200,
      holds: { data: { attendees: [{ name: "Other Person", status: "pending" }] } },
      async after(h) {
        const titles = async (as: Account) =>
          (await h.ask("GET", "/api/notifications", { as })).data.map(
            (told: { title: string }) => told.title,
          );
        assert.deepEqual(await titles("guest"), ["Not invited any more: Planning"]);
        assert.deepEqual(await titles("other"), ["Invitation: Planning"]);
        assert.deepEqual(h.mails.map((mail) => mail.to), ["other@example.com"]);
      },
    },
    {
      name: "what is shown can be sent back",
      method: "PUT",
      path,
      as: "user",
      body: ({ h }: State) => ({
        title: "Same",
        attendees: [{ id: h.accounts.guest.id, name: "Guest Person", status: "pending" }],
      }),
      status: 200,
      holds: { data: { attendees: [{ name: "Guest Person" }] } },
      after: (h) => assert.equal(h.mails.length, 0),
    },
    { name: "who manages", method: "PUT", path, as: "admin", body: { title: "x" }, status: 200 },
    { name: "an attendee", method: "PUT", path, as: "guest", body: { title: "x" }, status: 403 },
    { name: "others", method: "PUT", path, as: "other", body: { title: "x" }, status: 404 },
    { name: "unknown", method: "PUT", path: `${base}/none`, as: "user", body: {}, status: 404 },
    {
      name: "a start after its end",
      method: "PUT",
      path,
      as: "user",
      body: { start: "2026-11-21T13:00:01Z" },
      status: 400,
      details: ["start"],
    },
    {
      name: "bad fields",
      method: "PUT",
      path,
      as: "user",
      body: { title: " ", type: 1 },
      status: 400,
      details: ["title", "type"],
    },
    {
      name: "a stale version",
      method: "PUT",
      path,
      as: "user",
      headers: { "if-match": '"old"' },
      body: { title: "x" },
      status: 412,
    },
    { name: "signed out", method: "PUT", path, body: {}, status: 401 },
  ],
});

scenarios("DELETE /calendar/events/{id}", {
  arrange,
  rows: [
    {
      name: "with all that hangs on it",
      method: "DELETE",
      path,
      as: "user",
      status: 200,
      holds: ({ id }: State) => ({ data: { id } }),
      async after(h, _, state) {
        assert.equal((await h.ask("GET", path(state), { as: "user" })).status, 404);
        assert.equal(await h.store.from(attendees).count(), 0);
        assert.equal(await h.store.from(reminders).count(), 0);
        const told = (await h.store.from(notifications).list()).rows;
        assert.deepEqual(told.map((one) => one.title), ["Cancelled: Planning"]);
      },
    },
    { name: "who manages", method: "DELETE", path, as: "admin", status: 200 },
    { name: "an attendee", method: "DELETE", path, as: "guest", status: 403 },
    { name: "others", method: "DELETE", path, as: "other", status: 404 },
    { name: "unknown", method: "DELETE", path: `${base}/none`, as: "user", status: 404 },
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

scenarios("the calendar of variant compact", {
  arrange,
  rows: [
    {
      name: "has no attendee routes",
      method: "POST",
      path: (state: State) => `${path(state)}/attendees`,
      as: "user",
      body: {},
      status: 404,
    },
    {
      name: "has no upcoming events",
      method: "GET",
      path: `${base}/upcoming`,
      as: "user",
      status: 404,
    },
  ],
});

Deno.test("events: an attendee whose account is deleted is not shown", async () => {
  await using h = await harness();
  const { id } = await arrange(h);
  await h.ask("DELETE", `/api/users/${h.accounts.guest.id}`, { as: "super" });
  assert.equal(await h.store.from(users).get(h.accounts.guest.id), null);
  const { data } = await h.ask("GET", `${base}/${id}`, { as: "user" });
  assert.deepEqual(data.attendees, []);
});
