// Who attends an event: inviting, answering, leaving.
import assert from "node:assert/strict";
import { attendees, reminders } from "../../../models/calendar.ts";
import { users } from "../../../models/users.ts";
import { type Account, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { stamp } from "../../services/content/deletion_scene.ts";
import {
  arrange,
  attendeesOf,
  base,
  create,
  reminderOf,
  self,
  type State,
  titlesOf,
  variant,
} from "./event_scene.ts";

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

scenarios("attendees without permissions", {
  variant,
  arrange: (h) => create(h, "user", { title: "x", start: "2026-11-22" }),
  rows: [
    {
      name: "POST attendees",
      method: "POST",
      path: (id: string) => `${base}/${id}/attendees`,
      as: "guest" as const,
      body: {},
      status: 403,
    },
    {
      name: "DELETE attendees/x",
      method: "DELETE",
      path: (id: string) => `${base}/${id}/attendees/x`,
      as: "guest" as const,
      status: 403,
    },
  ],
});

Deno.test("attendees: the same one twice is a conflict, an answer is not", async () => {
  await using h = await harness({ variant });
  const state = await arrange(h);
  const { guest, user } = h.accounts;
  const attend = (as: Account, body: unknown) => h.ask("POST", attendeesOf(state), { as, body });
  const news = await titlesOf(h, "guest");
  assert.equal((await attend("admin", { userId: guest.id })).status, 409);
  assert.equal((await attend("admin", { attendeeIds: [guest.id] })).status, 409);
  assert.deepEqual(await titlesOf(h, "guest"), news);
  assert.equal((await attend("admin", { attendeeIds: [guest.id, user.id] })).status, 201);
  assert.equal((await attend("guest", { userId: guest.id, status: "accepted" })).status, 201);
  assert.equal((await attend("guest", { userId: guest.id, status: "accepted" })).status, 201);
  assert.equal(h.mails.length, 1);
});

Deno.test("attendees: invited by many at once, each is there once", async () => {
  await using h = await harness({ variant });
  const state = await arrange(h);
  const body = { attendeeIds: [h.accounts.user.id, h.accounts.other.id] };
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => h.ask("POST", attendeesOf(state), { as: "admin", body })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409, 409, 409]);
  assert.equal(await h.store.from(attendees).count(), 3);
  assert.equal(h.mails.length, 2);
});

Deno.test("events: one that 500 attend can be sent back whole, and no more can attend", async () => {
  await using h = await harness();
  await h.grant("user", "calendar:create", "calendar:update");
  const id = await create(h, "user", { title: "Fair", start: "2026-11-22T09:00:00Z" });
  const path = `${base}/${id}`;
  const people = Array.from({ length: 501 }, (_, n) => ({
    ...stamp(n),
    name: `Person ${n}`,
    email: `person${n}@example.com`,
    role: "user",
    permissions: [],
    status: "active" as const,
  }));
  await h.store.load(users, people);
  const ids = people.map((person) => person.id);
  const attending = ids.slice(0, 500).map((userId, n) => ({
    ...stamp(n),
    eventId: id,
    userId,
    status: "accepted" as const,
  }));
  await h.store.load(attendees, attending);
  const shown = await h.ask("GET", path, { as: "user" });
  const { title, start, end, attendees: everyone } = shown.data;
  const sent = { title, start, end, attendees: everyone };
  const saved = await h.ask("PUT", path, { as: "user", body: sent });
  assert.equal(saved.status, 200, saved.text);
  assert.deepEqual(saved.data.attendees, everyone);
  const many = await h.ask("PUT", path, { as: "user", body: { attendeeIds: ids } });
  assert.equal(many.status, 400, many.text);
  assert.match(many.text, /at most 500 entries/);
  const others = await h.ask("PUT", path, { as: "user", body: { attendeeIds: ids.slice(1) } });
  assert.equal(others.status, 200, others.text);
  assert.equal(others.data.attendees.length, 500);
  const ends = [ids[0]!, h.accounts.user.id, ...ids.slice(401, 500)];
  const fewer = await h.ask("PUT", path, { as: "user", body: { attendeeIds: ends } });
  assert.equal(fewer.data.attendees.length, 101, fewer.text);
});
