// Windows of the calendar: all that takes place in them, by the clocks of whoever looks.
import assert from "node:assert/strict";
import { events } from "../../../models/calendar.ts";
import { type Harness, harness } from "../../harness.ts";

interface Span {
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly allDay?: boolean;
}

async function add(h: Harness, spans: readonly Span[]): Promise<void> {
  const ownerId = h.accounts.user.id;
  await h.store.transact({ userId: null }, (tx) => {
    for (const span of spans) {
      tx.insert(events, { type: "meeting", allDay: false, ...span, ownerId });
    }
  });
}

async function titles(h: Harness, query: string): Promise<string[]> {
  const reply = await h.ask("GET", `/api/calendar/events?${query}`, { as: "user" });
  assert.equal(reply.status, 200, reply.text);
  return reply.data.map(({ title }: Span) => title);
}

const hour = (n: number) => new Date(Date.UTC(2026, 10, 1, n)).toISOString();

Deno.test("calendar: a month is answered whole, to a thousand", async () => {
  await using h = await harness();
  const spans = Array.from({ length: 1001 }, (_, n) => ({
    title: `E${n}`,
    start: hour(n % 700),
    end: hour(n % 700 + 1),
  }));
  for (let at = 0; at < spans.length; at += 100) await add(h, spans.slice(at, at + 100));
  const window = "start=2026-11-01&end=2026-11-30";
  const all = await h.ask("GET", `/api/calendar/events?${window}`, { as: "user" });
  assert.equal(all.data.length, 1000);
  assert.deepEqual(
    { ...all.body.pagination, nextCursor: "" },
    { page: 1, limit: 1000, total: 1001, totalPages: 2, nextCursor: "" },
  );
  assert.equal((await titles(h, `${window}&page=2`)).length, 1);
  const cursor = all.body.pagination.nextCursor;
  assert.equal((await titles(h, `${window}&cursor=${cursor}`)).length, 1);
  assert.equal((await titles(h, `${window}&limit=3`)).length, 3);
  assert.equal((await titles(h, `from=2026-11-01&to=2026-11-30&limit=250`)).length, 250);
  const most = await h.ask("GET", `/api/calendar/events?${window}&limit=5000`, { as: "user" });
  assert.equal(most.body.pagination.limit, 1000);
  assert.equal(most.body.warnings[0].field, "limit");
  // No window: a list like any other.
  assert.equal((await titles(h, "start=2026-11-01")).length, 10);
  assert.equal((await titles(h, "start=2026-11-01&limit=500")).length, 100);
});

const LATE = { title: "late", start: "2026-11-21T20:00:00Z", end: "2026-11-21T21:00:00Z" };
const EARLY = { title: "early", start: "2026-11-20T20:00:00Z", end: "2026-11-20T21:00:00Z" };
const DAYS = [20, 21, 22].map((day) => ({
  title: `day ${day}`,
  start: `2026-11-${day}T00:00:00.000Z`,
  end: `2026-11-${day}T23:59:59.999Z`,
  allDay: true,
}));
const TODAY = "start=2026-11-21&end=2026-11-21";

Deno.test("calendar: days are those of tz, else of the user's own zone, else of UTC", async () => {
  await using h = await harness();
  await add(h, [LATE, EARLY, ...DAYS]);
  assert.deepEqual(await titles(h, TODAY), ["day 21", "late"]);
  // 20:00 UTC is the next morning in Tokyo; a whole day is the same date everywhere.
  assert.deepEqual(await titles(h, `${TODAY}&tz=Asia/Tokyo`), ["early", "day 21"]);
  const body = { timeZone: "asia/tokyo" };
  const saved = await h.ask("PUT", "/api/users/me", { as: "user", body });
  assert.equal(saved.data.timeZone, "Asia/Tokyo");
  assert.deepEqual(await titles(h, TODAY), ["early", "day 21"]);
  assert.deepEqual(await titles(h, `${TODAY}&tz=UTC`), ["day 21", "late"]);
  // A moment with a zone is that moment, whatever the clocks show.
  const exact = "start=2026-11-21T20:00:00Z&end=2026-11-21T20:30:00Z";
  assert.deepEqual(await titles(h, exact), ["late", "day 22"]);
  const removed = await h.ask("PUT", "/api/users/me", { as: "user", body: { timeZone: "" } });
  assert.equal("timeZone" in removed.data, false);
  assert.deepEqual(await titles(h, TODAY), ["day 21", "late"]);
});

Deno.test("calendar: today is that of the user's own zone", async () => {
  await using h = await harness();
  // 10:00 UTC: in Kiritimati it is the next day already.
  await add(h, DAYS);
  const today = async () =>
    (await h.ask("GET", "/api/dashboard/calendar", { as: "user" })).data
      .map(({ title }: Span) => title);
  await h.grant("user", "dashboard:view");
  assert.deepEqual(await today(), ["day 21"]);
  const body = { timeZone: "Pacific/Kiritimati" };
  await h.ask("PUT", "/api/users/me", { as: "user", body });
  assert.deepEqual(await today(), ["day 22"]);
});

Deno.test("calendar: times of an event are those of tz or of the user's own zone", async () => {
  await using h = await harness({ variant: "full" });
  await h.ask("PUT", "/api/users/me", { as: "user", body: { timeZone: "Asia/Kolkata" } });
  const create = async (query: string, body: object) => {
    const sent = { title: "E", ...body };
    const reply = await h.ask("POST", `/api/calendar/events${query}`, { as: "user", body: sent });
    assert.equal(reply.status, 201, reply.text);
    return [reply.data.start, reply.data.end, reply.data.id];
  };
  const local = { start: "2026-11-25T09:00:00", end: "2026-11-25T10:00:00" };
  const [start, end, id] = await create("", local);
  assert.deepEqual([start, end], ["2026-11-25T03:30:00.000Z", "2026-11-25T04:30:00.000Z"]);
  assert.equal((await create("?tz=UTC", local))[0], "2026-11-25T09:00:00.000Z");
  assert.equal(
    (await create("?tz=Asia/Tokyo", { startAt: "2026-11-25" }))[0],
    "2026-11-24T15:00:00.000Z",
  );
  const day = await create("", { start: "2026-11-25", allDay: true });
  assert.deepEqual(day.slice(0, 2), ["2026-11-25T00:00:00.000Z", "2026-11-25T23:59:59.999Z"]);
  const path = `/api/calendar/events/${id}`;
  const moved = await h.ask("PUT", path, { as: "user", body: { end: "2026-11-25T11:00:00" } });
  assert.equal(moved.data.end, "2026-11-25T05:30:00.000Z");
  const reminder = { remindAt: "2026-11-25T08:00:00" };
  const set = await h.ask("POST", `${path}/reminder`, { as: "user", body: reminder });
  assert.equal(set.data.remindAt, "2026-11-25T02:30:00.000Z");
  const wrong = await h.ask("POST", "/api/calendar/events?tz=Mars/Base", {
    as: "user",
    body: local,
  });
  assert.equal(wrong.status, 400);
});

Deno.test("profile: a time zone that is none is refused", async () => {
  await using h = await harness();
  const body = { timeZone: "Mars/Olympus" };
  for (const [as, path] of [["user", "/api/users/me"], ["admin", "/api/users"]] as const) {
    const reply = await h.ask(as === "user" ? "PUT" : "POST", path, { as, body });
    assert.equal(reply.status, 400);
    const details: { field: string }[] = reply.body.error.details;
    assert.ok(details.some(({ field }) => field === "timeZone"), reply.text);
  }
});

Deno.test("calendar: notices and mails tell times on the clocks of whoever reads them", async () => {
  await using h = await harness({ variant: "full" });
  const zone = { timeZone: "Asia/Tokyo" };
  await h.ask("PUT", "/api/users/me", { as: "other", body: zone });
  const attendeeIds = [h.accounts.other.id, h.accounts.admin.id];
  const body = { title: "Plan", start: "2026-11-25T20:00:00Z", attendeeIds };
  const { data } = await h.ask("POST", "/api/calendar/events", { as: "user", body });
  const start = "2026-11-26T20:00:00Z";
  const end = "2026-11-26T21:00:00Z";
  const path = `/api/calendar/events/${data.id}`;
  assert.equal((await h.ask("PUT", path, { as: "user", body: { start, end } })).status, 200);
  assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 200);
  const told = async (as: "other" | "admin") =>
    (await h.ask("GET", "/api/notifications?sort=createdAt", { as })).data
      .map(({ title, content }: { title: string; content: string }) => `${title}: ${content}`);
  const [cancelled] = await told("other");
  assert.match(cancelled, /Cancelled: .*27 November 2026 at 05:00 Asia\/Tokyo/);
  assert.match((await told("admin"))[0], /26 November 2026 at 20:00 UTC/);
  const mail = h.mails.find(({ to }) => to === "other@example.com");
  assert.match(mail!.text, /26 November 2026 at 05:00 Asia\/Tokyo/);
});

Deno.test("calendar: a window that ends before it starts is refused by the name it was given", async () => {
  await using h = await harness();
  for (const [first, last] of [["start", "end"], ["from", "to"]]) {
    const query = `${first}=2026-11-30&${last}=2026-11-01`;
    const reply = await h.ask("GET", `/api/calendar/events?${query}`, { as: "user" });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.error.details[0].field, last);
  }
});
