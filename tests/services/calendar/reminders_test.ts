// Reminders fire at their time, once, whichever process comes first, and follow their event.
import assert from "node:assert/strict";
import { createApp } from "../../../app.ts";
import { events, reminders } from "../../../models/calendar.ts";
import { notifications } from "../../../models/notifications.ts";
import { users } from "../../../models/users.ts";
import { fireDueReminders } from "../../../services/calendar/reminders.ts";
import { type Harness, harness } from "../../harness.ts";
import { openShared } from "../../storage/open.ts";

const variant = "full";
const minute = 60_000;

/** An event of user at 12:00, two hours from now, with a reminder. */
async function remind(h: Harness, ...bodies: Record<string, unknown>[]) {
  const event = { title: "Planning", start: "2026-11-21T12:00:00Z", location: "Room 1" };
  const { data } = await h.ask("POST", "/api/calendar/events", { as: "user", body: event });
  for (const body of bodies) {
    const path = `/api/calendar/events/${data.id}/reminder`;
    assert.equal((await h.ask("POST", path, { as: "user", body })).status, 201);
  }
  return data.id as string;
}

async function fire(h: Harness): Promise<number> {
  await fireDueReminders(h.app.services);
  await h.app.services.mailer.idle();
  return await h.store.from(notifications).count({ userId: h.accounts.user.id });
}

/** Another process on the same store. */
function another(h: Harness) {
  const { settings, clock } = h;
  return createApp({ store: h.store, settings, clock: clock.now, mailer: h.app.services.mailer });
}

Deno.test("a reminder fires at its time, once", async () => {
  await using h = await harness({ variant });
  const id = await remind(h, { minutesBefore: 15 });
  h.clock.advance(105 * minute - 1);
  assert.equal(await fire(h), 0);
  h.clock.advance(1);
  assert.equal(await fire(h), 1);
  h.clock.advance(minute);
  assert.equal(await fire(h), 1);
  const { data } = await h.ask("GET", "/api/notifications", { as: "user" });
  assert.equal(data[0].type, "alert");
  assert.equal(data[0].title, "Reminder: Planning");
  assert.equal(data[0].link, `/calendar/${id}`);
  assert.match(data[0].content, /12:00.*Room 1/);
  assert.equal(h.mails.length, 0);
});

Deno.test("a reminder by e-mail notifies and mails", async () => {
  await using h = await harness({ variant });
  await remind(h, { remindAt: "2026-11-21T11:00:00Z", method: "email" });
  h.clock.advance(90 * minute);
  assert.equal(await fire(h), 1);
  assert.deepEqual(h.mails.map(({ to, subject }) => [to, subject]), [
    ["user@example.com", "Reminder of an event"],
  ]);
  assert.match(h.mails[0]!.text, /^> Planning$/m);
});

Deno.test("two servers on one store fire each reminder once", async () => {
  await using h = await harness({ variant });
  for (let i = 0; i < 20; i++) await remind(h, { minutesBefore: 15, method: "email" });
  h.clock.advance(110 * minute);
  const other = another(h);
  await Promise.all([fireDueReminders(h.app.services), fireDueReminders(other.services)]);
  assert.equal(await fire(h), 20);
  assert.equal(h.mails.length, 20);
});

Deno.test("two stores on one file fire each reminder once", async () => {
  const stores: Awaited<ReturnType<typeof openShared>>[] = [];
  const open = async (clock: () => Date) => {
    const pair = await openShared({ clock });
    stores.push(pair);
    return pair[0];
  };
  await using h = await harness({ variant, open });
  const second = stores[0]![1];
  try {
    for (let i = 0; i < 10; i++) await remind(h, { minutesBefore: 15, method: "email" });
    h.clock.advance(110 * minute);
    const { services } = h.app;
    // A file that two stores write at once may refuse a commit as locked: that reminder waits for the next run.
    await Promise.allSettled([
      fireDueReminders(services),
      fireDueReminders({ ...services, store: second }),
    ]);
    await fireDueReminders({ ...services, store: second });
    assert.equal(await fire(h), 10);
    assert.equal(h.mails.length, 10);
  } finally {
    await second.close();
  }
});

Deno.test("what was due while the server was down fires after the restart, and not again", async () => {
  await using h = await harness({ variant });
  await remind(h, { minutesBefore: 15 }, { minutesBefore: 30, method: "email" });
  h.clock.advance(95 * minute);
  assert.equal(await fire(h), 1);
  h.clock.advance(600 * minute);
  await fireDueReminders(another(h).services);
  await fireDueReminders(another(h).services);
  assert.equal(await fire(h), 2);
  assert.equal(h.mails.length, 1);
});

Deno.test("more than one batch is due", async () => {
  await using h = await harness({ variant });
  const at = h.clock.now().toISOString();
  const many = Array.from({ length: 250 }, (_, i) => ({
    id: `00000000-0000-7000-8000-${String(i).padStart(12, "0")}`,
    createdAt: at,
    updatedAt: at,
  }));
  const userId = h.accounts.user.id;
  const event = { title: "x", start: at, end: at, type: "task", allDay: false } as const;
  await h.store.load(events, many.map((one) => ({ ...one, ...event, ownerId: userId })));
  await h.store.load(
    reminders,
    many.map((one) => ({ ...one, eventId: one.id, userId, method: "notification", remindAt: at })),
  );
  assert.equal(await fire(h), 250);
  assert.equal(await h.store.from(reminders).count({ firedAt: null }), 0);
});

Deno.test("a reminder of someone who is gone is cleared away", async () => {
  await using h = await harness({ variant });
  const eventId = await remind(h);
  const remindAt = h.clock.now().toISOString();
  await h.store.transact({ userId: null }, (tx) => {
    tx.insert(reminders, { eventId, userId: "gone", method: "notification", remindAt });
  });
  assert.equal(await fire(h), 0);
  assert.equal(await h.store.from(reminders).count(), 0);
});

Deno.test("minutes before the start follow the event, a fixed time does not", async () => {
  await using h = await harness({ variant });
  const id = await remind(h, { minutesBefore: 15 }, {
    remindAt: "2026-11-21T11:00:00Z",
    method: "email",
  });
  const move = async (start: string, end: string) => {
    const body = { start, end };
    const { data } = await h.ask("PUT", `/api/calendar/events/${id}`, { as: "user", body });
    return data.reminders.map((one: { remindAt: string }) => one.remindAt.slice(0, 16));
  };
  assert.deepEqual(await move("2026-11-21T14:00:00Z", "2026-11-21T15:00:00Z"), [
    "2026-11-21T13:45",
    "2026-11-21T11:00",
  ]);
  h.clock.advance(120 * minute);
  assert.equal(await fire(h), 1);
  h.clock.advance(110 * minute);
  assert.equal(await fire(h), 2);
  // Put off by five minutes, with its new time past: it has been told. By an hour: it fires again.
  await move("2026-11-21T14:05:00Z", "2026-11-21T15:00:00Z");
  assert.equal(await fire(h), 2);
  await move("2026-11-21T15:00:00Z", "2026-11-21T16:00:00Z");
  assert.equal(await fire(h), 2);
  h.clock.advance(60 * minute);
  assert.equal(await fire(h), 3);
  // Moved into the past before it fired: nothing is left to remind of.
  await move("2026-11-22T15:00:00Z", "2026-11-22T16:00:00Z");
  await move("2026-11-20T15:00:00Z", "2026-11-20T16:00:00Z");
  assert.equal(await fire(h), 3);
});

Deno.test("an event that is deleted, and a user who is not active, are not reminded", async () => {
  await using h = await harness({ variant });
  const id = await remind(h, { minutesBefore: 15 });
  await remind(h, { minutesBefore: 15, method: "email" });
  await h.ask("DELETE", `/api/calendar/events/${id}`, { as: "user" });
  await h.store.transact({ userId: null }, async (tx) => {
    const user = await tx.from(users).get(h.accounts.user.id);
    tx.update(users, user!, { status: "inactive" });
  });
  h.clock.advance(600 * minute);
  assert.equal(await fire(h), 0);
  assert.equal(h.mails.length, 0);
});

Deno.test("who does not see an event any more is not reminded of it", async () => {
  await using h = await harness({ variant });
  const id = await remind(h, { minutesBefore: 15 });
  // `admin` manages the calendar when they set a reminder for an event of others, and does not when it is due.
  await h.grant("admin", "calendar:*");
  const reminder = { as: "admin", body: { minutesBefore: 15, method: "email" } } as const;
  const set = await h.ask("POST", `/api/calendar/events/${id}/reminder`, reminder);
  assert.equal(set.status, 201);
  await h.store.transact({ userId: null }, async (tx) => {
    const admin = await tx.from(users).get(h.accounts.admin.id);
    tx.update(users, admin!, { role: "user", permissions: [] });
  });
  assert.equal((await h.ask("GET", `/api/calendar/events/${id}`, { as: "admin" })).status, 404);
  h.clock.advance(110 * minute);
  assert.equal(await fire(h), 1);
  assert.equal(await h.store.from(notifications).count({ userId: h.accounts.admin.id }), 0);
  assert.equal(await h.store.from(reminders).count({ userId: h.accounts.admin.id }), 0);
  assert.equal(h.mails.length, 0);
});

Deno.test("a whole day starts with midnight where each is: their reminders follow it, and their time zone", async () => {
  await using h = await harness({ variant });
  const zone = async (as: "user" | "other", timeZone: string | null) => {
    assert.equal((await h.ask("PUT", "/api/users/me", { as, body: { timeZone } })).status, 200);
  };
  await zone("user", "Asia/Shanghai");
  await zone("other", "America/New_York");
  const body = {
    title: "Fair",
    start: "2026-11-23",
    allDay: true,
    attendees: [h.accounts.other.id],
  };
  const { data: { id } } = await h.ask("POST", "/api/calendar/events", { as: "user", body });
  const path = `/api/calendar/events/${id}`;
  const set = async (as: "user" | "other", minutesBefore: number) =>
    (await h.ask("POST", `${path}/reminder`, { as, body: { minutesBefore } })).data?.remindAt;
  const shown = async (as: "user" | "other") =>
    (await h.ask("GET", path, { as })).data.reminders[0].remindAt;
  assert.equal(await set("user", 60), "2026-11-22T15:00:00.000Z");
  assert.equal(await set("other", 60), "2026-11-23T04:00:00.000Z");
  // One of each method, for the same event.
  const mailed = { minutesBefore: 60, method: "email" };
  await h.ask("POST", `${path}/reminder`, { as: "other", body: mailed });
  await zone("other", "Europe/Berlin");
  const { data: { reminders: both } } = await h.ask("GET", path, { as: "other" });
  assert.deepEqual(
    both.map(({ remindAt }: { remindAt: string }) => remindAt),
    Array(2).fill("2026-11-22T22:00:00.000Z"),
  );
  const rows = ["name,email,timeZone", "Other Person,other@example.com,Asia/Tokyo"];
  const imported = await h.ask("POST", "/api/users/import?upsert=email&dryRun=false", {
    as: "super",
    body: new Blob([rows.join("\n")], { type: "text/csv" }),
  });
  assert.equal(imported.data.updated, 1, imported.text);
  assert.equal(await shown("other"), "2026-11-22T14:00:00.000Z");
  await zone("other", null);
  assert.equal(await shown("other"), "2026-11-22T23:00:00.000Z");
  await h.ask("PUT", path, { as: "user", body: { start: "2026-11-22", end: "2026-11-22" } });
  assert.equal(await shown("user"), "2026-11-21T15:00:00.000Z");
  await h.ask("PUT", path, { as: "user", body: { allDay: false, start: "2026-11-22T09:00:00Z" } });
  assert.equal(await shown("user"), "2026-11-22T08:00:00.000Z");
  await h.ask("PUT", path, { as: "user", body: { allDay: true, start: "2026-11-22" } });
  // In Kiritimati that day has begun already: it is reminded of no more, and in Shanghai it is to come.
  await zone("other", "Pacific/Kiritimati");
  h.clock.advance(5 * 60 * minute);
  assert.equal(await fire(h), 1);
  assert.equal(await h.store.from(reminders).count({ firedAt: null }), 0);
  const told = { userId: h.accounts.other.id, type: "alert" } as const;
  assert.equal(await h.store.from(notifications).count(told), 0);
  assert.equal(await set("other", 5), undefined);
});
