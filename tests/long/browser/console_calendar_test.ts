// The console's calendar in a real browser: made, moved, shared and deleted, by two at once, over weeks and time zones.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import {
  ask,
  go,
  leave,
  noProblems,
  openAs,
  person,
  said,
  type Scene,
  shows,
  signIn,
  startScene,
} from "./console.ts";

/** A Wednesday; no clock is set forward or back near it. */
const DAY = "2026-11-18";

// What runs in the page is checked there: the types of the DOM and those of Deno do not go together.
// deno-lint-ignore no-explicit-any
type Any = any;

interface Event {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
}

const chip = (page: Page, title: string) =>
  page.locator(".calendar-box [data-event]").filter({ hasText: title });
const on = (page: Page, day: string) => page.locator(`[data-day="${day}"]`);
const drawer = (page: Page, name: string) => page.getByRole("dialog", { name });
const press = (within: Page | Locator, name: string) =>
  within.getByRole("button", { name, exact: true }).click();
/** Whether an event has the focus. */
const focused = (page: Page, title: string) =>
  page.locator("[data-event]:focus").filter({ hasText: title }).waitFor();

async function event(
  { server, admin }: Scene,
  title: string,
  start: string,
  more: Record<string, unknown> = {},
): Promise<Event> {
  return await ask(server.origin, admin, "POST", "/calendar/events", { title, start, ...more });
}

const read = ({ server, admin }: Scene, id: string): Promise<Event> =>
  ask(server.origin, admin, "GET", `/calendar/events/${id}`);

/** Waits for what a field holds. */
const holds = (field: Locator, value: string) => shows(() => field.inputValue(), value);

/** Where an event begins, once it is there. */
const begins = (scene: Scene, id: string, start: string) =>
  shows(async () => (await read(scene, id)).start, start);

async function made(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=${DAY}`, "Calendar");
  await page.getByRole("grid", { name: "November 2026" }).waitFor();
  await noProblems(page, "a month");

  // By the form; what is wrong is said at the field.
  await page.getByRole("button", { name: "18 Nov 2026" }).click();
  const form = drawer(page, "New event");
  await press(form, "New event");
  await form.getByText("Give the event a title").waitFor();
  await form.getByLabel("Title").fill("Ropes");
  await form.getByLabel("Begins").fill("2026-11-18T09:30");
  // The end goes with the begin.
  await holds(form.getByLabel("Ends"), "2026-11-18T10:30");
  await form.getByLabel("Ends").fill("2026-11-18T08:00");
  await press(form, "New event");
  await form.getByText("Ends before it begins").waitFor();
  await form.getByText("One field needs your attention").waitFor({ state: "attached" });
  await form.getByLabel("Ends").fill("2026-11-18T11:00");
  await noProblems(page, "the form of an event");
  await form.getByLabel("Ends").press("Enter");
  await said(page, "The event is in the calendar");
  await on(page, DAY).getByText("Ropes").waitFor();

  // Whole days are those that were chosen before.
  await press(page, "New event");
  await form.getByLabel("Title").fill("Dry dock");
  await form.getByLabel("Begins").fill("2026-11-19T10:00");
  await form.getByLabel("All day").check();
  await holds(form.getByLabel("First day"), "2026-11-19");
  await form.getByLabel("Last day").fill("2026-11-20");
  await press(form, "New event");
  await on(page, "2026-11-20").getByText("Dry dock").waitFor();
  assert.equal(await chip(page, "Dry dock").count(), 2);

  // Changed by its details.
  await chip(page, "Ropes").click();
  await press(drawer(page, "Ropes"), "Edit");
  await drawer(page, "Edit the event").getByLabel("Place").fill("Pier 3");
  await press(drawer(page, "Edit the event"), "Save");
  await drawer(page, "Ropes").getByText("Pier 3").waitFor();
  await noProblems(page, "an event");
  await page.keyboard.press("Escape");
  await focused(page, "Ropes");

  // Where one presses in a week, there one begins.
  await press(page, "Week");
  await page.locator(".week").waitFor();
  await noProblems(page, "a week");
  const column = page.locator(`.week-column[data-day="${DAY}"]`);
  await column.click({ position: { x: 20, y: 15 * 48 + 5 } });
  await holds(form.getByLabel("Begins"), "2026-11-18T15:00");
  await page.keyboard.press("Escape");
  await press(page, "Agenda");
  await page.locator(".agenda").getByText("Pier 3").waitFor();
  await noProblems(page, "the agenda");
  await leave([opened]);
}

async function manyDeleted(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  await person(scene, "Dora Reef", { role: "super_admin" });
  const dora = await signIn(origin, "dora.reef@example.com");
  const day = "2026-07-0";
  for (const n of [1, 2, 3]) await event(scene, `Shoal ${n}`, `${day}${n}T10:00:00Z`);
  const kept = await event(scene, "Buoy", `${day}4T10:00:00Z`);
  const opened = await openAs(browser, dora);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=${day}1&view=agenda`, "Calendar");
  const bar = page.getByRole("region", { name: /selected/ });
  // By keyboard, and a range with Shift.
  await chip(page, "Shoal 1").focus();
  await page.keyboard.press("x");
  await bar.getByText("1 selected").waitFor();
  await page.getByRole("checkbox", { name: "Select Shoal 3" }).click({ modifiers: ["Shift"] });
  await bar.getByText("3 selected").waitFor();
  await noProblems(page, "the agenda with events chosen");
  await bar.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("alertdialog", { name: "Delete these 3 events?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await bar.getByText("3 selected").waitFor();
  await bar.getByRole("button", { name: "Delete" }).click();
  await question.getByRole("button", { name: "Delete" }).click();
  await said(page, "3 events are deleted");
  await chip(page, "Shoal 1").waitFor({ state: "detached" });
  await focused(page, "Buoy");
  const found = await ask(origin, admin, "GET", "/calendar/events?search=Shoal");
  assert.equal((found as unknown[]).length, 0);
  await ask(origin, admin, "DELETE", `/calendar/events/${kept.id}`);
  await leave([opened]);
}

async function moved(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await event(scene, "Soundings", `${DAY}T10:00:00Z`);
  const whole = await event(scene, "Regatta", "2026-11-17", { allDay: true });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=${DAY}`, "Calendar");

  // Faster than the server, and the focus goes along.
  await chip(page, "Soundings").focus();
  await page.keyboard.press("Alt+ArrowRight");
  await page.keyboard.press("Alt+ArrowRight");
  await page.keyboard.press("Alt+ArrowDown");
  await on(page, "2026-11-20").getByText("11:00").waitFor();
  await focused(page, "Soundings");
  await said(page, /^Moved to 20 Nov 2026, 11:00/);
  await begins(scene, id, "2026-11-20T11:00:00.000Z");
  assert.equal((await read(scene, id)).end, "2026-11-20T12:00:00.000Z");
  await press(page, "Undo");
  await on(page, DAY).getByText("Soundings").waitFor();
  await begins(scene, id, `${DAY}T10:00:00.000Z`);

  // Beyond the end of a week, the week goes along.
  await press(page, "Week");
  await chip(page, "Soundings").focus();
  for (let days = 0; days < 5; days++) await page.keyboard.press("Alt+ArrowRight");
  await page.getByRole("heading", { name: /^23\s*–\s*29 Nov 2026$/ }).waitFor();
  await focused(page, "Soundings");
  await begins(scene, id, "2026-11-23T10:00:00.000Z");

  // By pointer: to another time, held where it was taken.
  await press(page, "Month");
  await chip(page, "Soundings").dragTo(on(page, DAY));
  await begins(scene, id, `${DAY}T10:00:00.000Z`);
  await press(page, "Week");
  await page.goto(`${origin}/calendar?view=week&date=${DAY}`);
  await chip(page, "Soundings").dragTo(page.locator('.week-column[data-day="2026-11-20"]'), {
    sourcePosition: { x: 20, y: 36 },
    targetPosition: { x: 20, y: 14 * 48 + 36 },
  });
  await begins(scene, id, "2026-11-20T14:00:00.000Z");
  // Whole days stay whole days.
  await chip(page, "Regatta").dragTo(page.locator('.week-whole[data-day="2026-11-21"]'));
  await begins(scene, whole.id, "2026-11-21T00:00:00.000Z");
  await leave([opened]);
}

/** Keys lead through the month, as in every grid of dates. */
async function days({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=${DAY}`, "Calendar");
  const at = (name: string) =>
    page.locator(":focus").and(page.getByRole("button", { name })).waitFor();
  await page.getByRole("button", { name: "18 Nov 2026" }).focus();
  for (
    const [key, day] of [
      ["ArrowRight", "19 Nov 2026"],
      ["ArrowDown", "26 Nov 2026"],
      ["Home", "23 Nov 2026"],
      ["End", "29 Nov 2026"],
      ["ArrowDown", "6 Dec 2026"],
      ["PageUp", "6 Nov 2026"],
      ["ArrowLeft", "5 Nov 2026"],
    ] as const
  ) {
    await page.keyboard.press(key);
    await at(day);
  }
  assert.equal(await page.locator(".month-date[tabindex='0']").count(), 1);
  await page.keyboard.press("Enter");
  const begin = drawer(page, "New event").getByLabel("Begins");
  assert.match(await begin.inputValue(), /^2026-11-05T/);
  await page.keyboard.press("Escape");
  await at("5 Nov 2026");
  await leave([opened]);
}

async function invited(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { email } = await person(scene, "Grace Murray", { role: "user" });
  const { id } = await event(scene, "Muster", `${DAY}T12:00:00Z`);
  const theirs = await openAs(browser, await signIn(origin, email));
  await go(theirs.page, `${origin}/calendar?date=${DAY}`, "Calendar");
  await theirs.page.locator(".month").waitFor();
  assert.equal(await chip(theirs.page, "Muster").count(), 0);

  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=${DAY}&event=${id}`, "Calendar");
  const details = drawer(page, "Muster");
  await details.getByRole("combobox", { name: "Invite" }).fill("Grace");
  await page.getByRole("option", { name: /Grace Murray/ }).click();
  await page.keyboard.press("Escape");
  await press(details, "Invite");
  await details.getByText("No answer yet").waitFor();

  // They see it at once, answer, and may not change what is not theirs.
  await chip(theirs.page, "Muster").click();
  const seen = drawer(theirs.page, "Muster");
  await seen.getByRole("radio", { name: "I come" }).waitFor({ state: "attached" });
  assert.equal(await seen.getByRole("button", { name: "Edit" }).count(), 0);
  assert.equal(await seen.getByRole("button", { name: "Delete" }).count(), 0);
  assert.equal(await chip(theirs.page, "Muster").getAttribute("draggable"), "false");
  await noProblems(theirs.page, "an invitation");
  await seen.getByText("I come", { exact: true }).click();
  await details.getByText("Comes").waitFor();
  await theirs.page.keyboard.press("Escape");
  await focused(theirs.page, "Muster");
  await theirs.page.keyboard.press("Alt+ArrowRight");

  // What moves here moves there.
  await page.keyboard.press("Escape");
  await chip(page, "Muster").focus();
  await page.keyboard.press("Alt+ArrowRight");
  await on(theirs.page, "2026-11-19").getByText("Muster").waitFor();
  await begins(scene, id, "2026-11-19T12:00:00.000Z");
  // The notification leads to the event.
  await go(theirs.page, `${origin}/notifications`, "Notifications");
  await theirs.page.getByText("Invitation: Muster").first().click();
  await drawer(theirs.page, "Muster").waitFor();
  await theirs.page.keyboard.press("Escape");
  await theirs.page.goto(`${origin}/calendar?date=${DAY}`);
  await chip(theirs.page, "Muster").focus();

  // Deleted, it is gone from both, and the focus stays in the calendar.
  await chip(page, "Muster").press("Enter");
  await press(drawer(page, "Muster"), "Delete");
  const question = page.getByRole("alertdialog", { name: "Delete this event?" });
  await noProblems(page, "the question");
  await press(question, "Delete");
  await said(page, "The event is deleted");
  await chip(page, "Muster").waitFor({ state: "detached" });
  await chip(theirs.page, "Muster").waitFor({ state: "detached" });
  for (const one of [page, theirs.page]) {
    await one.locator("[data-day] :focus").waitFor();
  }
  await leave([opened, theirs]);
}

/** Who is not invited any more does not see it any more. */
async function uninvited(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id: guest, email } = await person(scene, "Katherine Coleman", { role: "user" });
  const { id } = await event(scene, "Drill", `${DAY}T15:00:00Z`, { attendeeIds: [guest] });
  const theirs = await openAs(browser, await signIn(origin, email));
  await go(theirs.page, `${origin}/calendar?date=${DAY}`, "Calendar");
  await chip(theirs.page, "Drill").waitFor();
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=${DAY}&event=${id}`, "Calendar");
  const details = drawer(page, "Drill");
  await details.getByRole("button", { name: /^Take back the invitation/ }).press("Enter");
  await details.getByText("Katherine Coleman").waitFor({ state: "detached" });
  await details.locator(":focus").waitFor();
  await chip(theirs.page, "Drill").waitFor({ state: "detached" });
  await leave([opened, theirs]);
}

/** Two change the same event: whoever comes second decides. */
async function contested(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await event(scene, "Briefing", `${DAY}T07:00:00Z`);
  const [one, two] = [await openAs(browser, admin), await openAs(browser, admin)];
  for (const { page } of [one, two]) {
    await go(page, `${origin}/calendar?date=${DAY}&event=${id}`, "Calendar");
    await press(drawer(page, "Briefing"), "Edit");
    await drawer(page, "Edit the event").getByLabel("Title").waitFor();
  }
  const form = (page: Page) => drawer(page, "Edit the event");
  await form(one.page).getByLabel("Begins").fill("2026-11-18T08:00");
  await press(form(one.page), "Save");
  await drawer(one.page, "Briefing").getByText("18 Nov 2026, 08:00").waitFor();

  await form(two.page).getByLabel("Title").fill("Debriefing");
  await form(two.page).getByText("Task", { exact: true }).click();
  await press(form(two.page), "Save");
  const conflict = two.page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  // In words, not as the API has it.
  await conflict.getByRole("row").first().waitFor();
  assert.deepEqual(await conflict.getByRole("row").allInnerTexts(), [
    "Field\tYours\tTheirs",
    "Title\tDebriefing\tBriefing",
    "Kind\tTask\tMeeting",
    "Begins\t18 Nov 2026, 07:00\t18 Nov 2026, 08:00",
    "Ends\t18 Nov 2026, 08:00\t18 Nov 2026, 09:00",
  ]);
  await noProblems(two.page, "a conflict");
  await press(conflict, "Keep mine");
  await drawer(two.page, "Debriefing").waitFor();
  assert.equal((await read(scene, id)).start, `${DAY}T07:00:00.000Z`);
  await drawer(one.page, "Debriefing").waitFor();
  await leave([one, two], /412/);
}

/** The same moments stand elsewhere where clocks show something else; whole days do not. */
async function zones(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await event(scene, "Departure", "2026-10-24T22:30:00Z");
  const whole = await event(scene, "Holiday", "2026-10-20", { allDay: true });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/account/preferences`, "Preferences");
  await page.getByLabel("Time zone").selectOption("America/New_York");
  await page.goto(`${origin}/calendar?date=2026-10-21`);
  await on(page, "2026-10-24").getByText("18:30").waitFor();
  assert.equal(await on(page, "2026-10-20").getByText("Holiday").count(), 1);
  // Dragged to a day, a whole day is that day; what has a time keeps it, though clocks are set back between.
  await chip(page, "Holiday").dragTo(on(page, "2026-10-22"));
  await begins(scene, whole.id, "2026-10-22T00:00:00.000Z");
  await chip(page, "Departure").dragTo(on(page, "2026-11-01"));
  await begins(scene, id, "2026-11-01T23:30:00.000Z");
  await on(page, "2026-11-01").getByText("18:30").waitFor();
  await chip(page, "Departure").click();
  await press(drawer(page, "Departure"), "Edit");
  const form = drawer(page, "Edit the event");
  await holds(form.getByLabel("Begins"), "2026-11-01T18:30");
  await form.getByText("America/New York").first().waitFor();
  await leave([opened]);
  await ask(origin, admin, "PATCH", "/users/me/preferences", { timeZone: "UTC" });
}

/** What lasts for days has its time on the first of them alone, and both days where it is told as a span. */
async function severalDays(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const body = { title: "Refit", start: "2026-12-30T14:00:00Z", end: "2027-01-01T10:00:00Z" };
  await ask(origin, admin, "POST", "/calendar/events", body);
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/calendar?date=2026-12-30`, "Calendar");
  await shows(() => chip(page, "Refit").allInnerTexts(), ["14:00\nRefit", "Refit", "Refit"]);
  await go(page, `${origin}/calendar?date=2026-12-31&view=agenda`, "Calendar");
  await shows(
    () => page.locator(".agenda-time").first().innerText(),
    "30 Dec, 14:00 – 1 Jan, 10:00",
  );
  await shows(() => page.locator(".calendar-title").innerText(), "31 Dec 2026 – 29 Jan 2027");
  await leave([opened]);
}

/** Where the text of the first such element ends, in pixels. */
function endOf(page: Page, selector: string): Promise<number> {
  return page.locator(selector).first().evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
}

/** More in six weeks than the API lists at once. */
async function many(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  for (let hour = 0; hour < 120; hour++) {
    const start = new Date(Date.UTC(2027, 1, 1, hour * 5)).toISOString();
    await event(scene, `Watch ${hour + 1}`, start);
  }
  const opened = await openAs(browser, admin, { width: 390, height: 844 });
  const { page } = opened;
  await go(page, `${origin}/calendar?date=2027-02-01`, "Calendar");
  // On phones it is a list.
  await page.locator(".agenda").getByText("Watch 120").first().waitFor();
  const [create, more] = await Promise.all(
    ["New event", "More actions"].map((name) =>
      page.getByRole("main").getByRole("button", { name, exact: true }).boundingBox()
    ),
  );
  assert.equal(more!.y, create!.y, "what is done in a calendar stands in one line");
  await page.getByText("Month", { exact: true }).click();
  const [weekday, day] = await Promise.all([
    endOf(page, ".month-head > :last-child"),
    endOf(page, ".month-week .month-day:last-child .month-date"),
  ]);
  assert.ok(Math.abs(weekday! - day!) < 8, `Sun ends at ${weekday}, its days at ${day}`);
  await leave([opened]);
}

/** On a phone, how many more there are stands in its day, whole; asked after `many`. */
async function counted({ server: { origin }, browser, admin }: Scene) {
  for (const locale of ["en-GB", "zh-CN"]) {
    const opened = await openAs(browser, admin, { width: 390, height: 844, locale });
    await opened.page.goto(`${origin}/calendar?view=month&date=2027-02-01`);
    const counts = opened.page.locator(".month-more");
    await counts.first().waitFor();
    const cut = await counts.evaluateAll((all: Any) =>
      all.filter((one: Any) => {
        const range = one.ownerDocument.createRange();
        range.selectNodeContents(one);
        const text = range.getBoundingClientRect();
        const day = one.closest(".month-day").getBoundingClientRect();
        return text.right > day.right || text.bottom > day.bottom;
      }).map((one: Any) => one.textContent)
    );
    assert.deepEqual(cut, [], locale);
    await leave([opened]);
  }
}

/** As many events of a day as are shown without a count. */
async function three(scene: Scene) {
  const day = "2026-12-09";
  for (const hour of ["08", "10", "12"]) await event(scene, "Bells", `${day}T${hour}:00:00Z`);
  const opened = await openAs(scene.browser, scene.admin, { height: 768 });
  const { page } = opened;
  await go(page, `${scene.server.origin}/calendar?date=${day}`, "Calendar");
  await shows(() => on(page, day).locator("[data-event]").count(), 3);
  const excess = await on(page, day).evaluate((
    { scrollHeight, clientHeight }: { scrollHeight: number; clientHeight: number },
  ) => scrollHeight - clientHeight);
  assert.equal(excess, 0, "pixels of the last one are cut off");
  await leave([opened]);
}

Deno.test("console: calendar", async (t) => {
  await using scene = await startScene({ RATE_LIMIT: "false" });
  await t.step("an event is made and changed: month, week, agenda", () => made(scene));
  await t.step("many are deleted in the agenda", () => manyDeleted(scene));
  await t.step("moved by keys and by pointer, and back", () => moved(scene));
  await t.step("days are gone through by keys", () => days(scene));
  await t.step("somebody is invited, answers, and sees it change and go", () => invited(scene));
  await t.step("an invitation is taken back", () => uninvited(scene));
  await t.step("two change the same event", () => contested(scene));
  await t.step("in another time zone", () => zones(scene));
  await t.step("several days", () => severalDays(scene));
  await t.step("three on a day", () => three(scene));
  await t.step("all of many, on a phone", () => many(scene));
  await t.step("how many more a day has, on a phone", () => counted(scene));
});
