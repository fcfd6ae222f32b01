// Events moved to another time, and many deleted at once.
import assert from "node:assert/strict";
import { attendees } from "../../../models/calendar.ts";
import { notifications } from "../../../models/notifications.ts";
import { users } from "../../../models/users.ts";
import { type Harness, harness } from "../../harness.ts";

async function eventOf(h: Harness, attendeeIds: string[] = []) {
  const body = {
    title: "Review",
    start: "2026-12-01T09:00:00Z",
    end: "2026-12-01T10:30:00Z",
    attendeeIds,
  };
  return (await h.ask("POST", "/api/calendar/events", { as: "user", body })).data;
}

Deno.test("reschedule: with a start alone an event takes as long as before, and attendees are told", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await eventOf(h, [h.accounts.other.id]);
  const move = (body: unknown, query = "") =>
    h.ask("PATCH", `/api/calendar/events/${id}/reschedule${query}`, { as: "user", body });
  const span = ({ data }: { data: { start: string; end: string } }) => [data.start, data.end];
  assert.deepEqual(span(await move({ start: "2026-12-03T14:00:00Z", title: "ignored" })), [
    "2026-12-03T14:00:00.000Z",
    "2026-12-03T15:30:00.000Z",
  ]);
  assert.deepEqual(span(await move({ start: "2026-12-03T14:00:00" }, "?tz=Europe/Paris")), [
    "2026-12-03T13:00:00.000Z",
    "2026-12-03T14:30:00.000Z",
  ]);
  const ends = { startAt: "2026-12-04T14:00:00Z", endAt: "2026-12-04T15:00:00Z" };
  assert.deepEqual(span(await move(ends)), [
    "2026-12-04T14:00:00.000Z",
    "2026-12-04T15:00:00.000Z",
  ]);
  assert.equal((await move({})).status, 400);
  assert.equal((await move({ start: "2026-12-04T14:00:00Z", end: "2026-12-01" })).status, 400);
  const where = { userId: h.accounts.other.id };
  const told = (await h.store.from(notifications).list({ where })).rows;
  assert.equal(told.filter(({ title }) => title === "Changed: Review").length, 3);
  const guest = { as: "other" as const, body: { start: "2026-12-05T14:00:00Z" } };
  assert.equal((await h.ask("PATCH", `/api/calendar/events/${id}/reschedule`, guest)).status, 403);
});

Deno.test("moves: the owner is told by notification where somebody else moves the event, and else not", async () => {
  await using h = await harness({ variant: "full" });
  const { user, other } = h.accounts;
  const { id } = await eventOf(h, [other.id]);
  const put = (as: "user" | "super", body: unknown) =>
    h.ask("PUT", `/api/calendar/events/${id}`, { as, body });
  const moves = async (userId: string) =>
    (await h.store.from(notifications).list({ where: { userId } })).rows
      .filter(({ title }) => title === "Changed: Review").length;
  await put("user", { location: "Here" });
  assert.deepEqual([await moves(user.id), await moves(other.id)], [0, 1]);
  await put("super", { location: "There" });
  await put("super", { description: "Bring the figures" });
  assert.deepEqual([await moves(user.id), await moves(other.id)], [1, 2]);
  await put("user", { attendeeIds: [other.id, user.id] });
  await put("super", { start: "2026-12-01T08:00:00Z" });
  assert.deepEqual([await moves(user.id), await moves(other.id)], [2, 3], "once, who attends too");
});

Deno.test("event batches: one's own go with their attendees, who are told once of each", async () => {
  await using h = await harness({ variant: "full" });
  const { other } = h.accounts;
  const own = [await eventOf(h, [other.id]), await eventOf(h, [other.id])].map(({ id }) => id);
  const ids = [...own, "none"];
  const attended = await h.ask("POST", "/api/calendar/events/batch-delete", {
    as: "other",
    body: { ids },
  });
  assert.deepEqual(attended.data.map(({ status }: { status: string }) => status), [
    ...["forbidden", "forbidden", "not_found"],
  ]);
  const { data } = await h.ask("POST", "/api/calendar/events/batch-delete", {
    as: "user",
    body: { ids },
  });
  assert.deepEqual(data.map(({ status }: { status: string }) => status), [
    ...["deleted", "deleted", "not_found"],
  ]);
  assert.equal(await h.store.from(attendees).count(), 0);
  const where = { userId: other.id };
  const told = (await h.store.from(notifications).list({ where })).rows;
  assert.deepEqual(told.map(({ title }) => title), ["Cancelled: Review", "Cancelled: Review"]);
});

Deno.test("event batches: more attendees than one commit takes are refused, and all is kept", async () => {
  await using h = await harness({ variant: "full" });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await eventOf(h)).id);
  const people = Array.from({ length: 401 }, (_, n) => ({
    ...stamped(h, 9, n),
    ...{ name: `Person ${n}`, email: `person${n}@example.com`, role: "user" },
    ...{ permissions: [], status: "active" as const },
  }));
  await h.store.load(users, people);
  const attending = ids.flatMap((eventId, e) =>
    people.map(({ id: userId }, n) => ({
      ...stamped(h, e, n),
      ...{ eventId, userId, status: "pending" as const },
    }))
  );
  await h.store.load(attendees, attending);
  const reply = await h.ask("POST", "/api/calendar/events/batch-delete", {
    as: "user",
    body: { ids },
  });
  assert.equal(reply.status, 409, reply.text);
  assert.match(reply.body.error.message, /2005 attendees/);
  assert.equal(await h.store.from(attendees).count(), 2005);
});

/** What every record has. @param kind Makes ids of different kinds different. */
function stamped(h: Harness, kind: number, n: number) {
  const at = h.clock.now().toISOString();
  const id = `0193000${kind}-0000-7000-8000-${String(n).padStart(12, "0")}`;
  return { id, createdAt: at, updatedAt: at };
}
