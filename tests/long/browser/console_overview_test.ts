// The overview, tasks and notifications in a real browser: read, changed, and live in two windows.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  ask,
  go,
  leave,
  noProblems,
  openAs,
  person,
  row,
  said,
  type Scene,
  shows,
  signIn,
  startScene,
} from "./console.ts";

const DAY = 86_400_000;

const figure = (page: Page, label: string) =>
  page.locator(".stat").filter({ hasText: label }).locator(".stat-value");
const column = (page: Page, name: string) => page.getByRole("region", { name });
const card = (page: Page, title: string) => page.locator("[data-task]").filter({ hasText: title });

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** The lines of a chart's file, without its head. */
async function fileOf(page: Page, title: string): Promise<string[]> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: title }).click(),
  ]);
  const csv = await Deno.readTextFile(await file.path());
  return csv.trim().split("\r\n").slice(1);
}

async function overview(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/dashboard`, "Overview");
  await page.getByRole("link", { name: "Invite somebody" }).waitFor();
  await shows(() => figure(page, "Revenue").innerText(), "0");
  await noProblems(page, "the overview of a new server");

  // What is sold counts at once, in the chart's table too.
  await page.getByRole("button", { name: "Record sales" }).click();
  const dialog = page.getByRole("dialog", { name: "Record sales" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await said(page, "Enter a number of 0 or more");
  await dialog.getByLabel("Amount").fill("1200.50");
  await dialog.getByLabel("Orders").fill("3");
  await dialog.getByLabel("Cost").fill("200");
  await dialog.getByLabel("Cost").press("Enter");
  await said(page, "The sales are recorded");
  await page.getByRole("cell", { name: "1,000.5" }).waitFor({ state: "attached" });
  await shows(() => figure(page, "Orders").first().innerText(), "3");

  await salesHistory(scene, page);
  await ranges(page);

  // Live: what others do shows by itself.
  await person(scene, "Ada Byron", { role: "user" });
  await page.locator(".stat").filter({ hasText: /^Users\s*2/ }).waitFor();
  const today = section(page, "Activity").getByRole("row").last();
  await today.getByRole("cell", { name: "1", exact: true }).first().waitFor({ state: "attached" });
  await section(page, "Latest activity").getByText("created Ada Byron").waitFor();
  await taskFigures(scene, page);
  await longEvent(scene, page);
  await noProblems(page, "the overview");
  await leave([opened]);
}

/** All months as a list, by pages, and as a file. */
async function salesHistory({ server: { origin }, admin }: Scene, page: Page) {
  const now = new Date();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 14, 1));
  const sale = { date: first.toISOString().slice(0, 10), amount: 777, orders: 2, cost: 7 };
  await ask(origin, admin, "POST", "/dashboard/sales", sale);
  await page.getByRole("button", { name: "All months" }).click();
  const list = page.getByRole("dialog", { name: "All sales by month" });
  await list.getByText("1–12 of 15").waitFor();
  await noProblems(page, "all months of sales");
  await list.getByRole("button", { name: "Next page" }).click();
  await list.getByRole("row").filter({ hasText: "770" }).waitFor();
  assert.match(page.url(), /sales=months/);
  const lines = await fileOf(page, "All sales by month");
  assert.equal(lines.length, 15);
  assert.match(lines[0]!, /^\d{4}-\d{2},777,770,2$/);
  await list.getByRole("button", { name: "Close" }).first().click();
  await list.waitFor({ state: "detached" });
}

/** An event of several days tells when it began, and a long name of one does not widen the page. */
async function longEvent({ server: { origin }, admin }: Scene, page: Page) {
  const [start, end] = [-DAY, DAY].map((by) => new Date(Date.now() + by).toISOString());
  const title = "Harbour".repeat(15);
  await ask(origin, admin, "POST", "/calendar/events", { title, location: title, start, end });
  const line = section(page, "Today").getByRole("listitem").filter({ hasText: title });
  const began = new Date(start!).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  await line.getByText(began, { exact: true }).waitFor();
  const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  assert.equal(wide, false, "the page is as wide as the window");
}

/** A range stands in the address, outlives a reload, and holds for every chart over time. */
async function ranges(page: Page) {
  await page.getByText("365 days").click();
  await page.waitForURL(/days=365/);
  await page.reload();
  await page.getByRole("radio", { name: "365 days" }).and(page.locator(":checked")).waitFor();
  await page.locator(".time-series canvas").waitFor();
  await section(page, "Activity").getByText("in 365 days, by week").waitFor();
  // A year begins in a month of the name that it ends in, but for the last days of that; growth takes one before.
  const [first, last] = [-364 * DAY, 0].map((by) => new Date(Date.now() + by).getUTCMonth());
  assert.equal((await fileOf(page, "Sales by month")).length, first === last ? 14 : 13);
  await page.getByRole("radio", { name: "365 days" }).press("ArrowLeft");
  await page.waitForURL(/days=90/);
  await page.getByRole("radio", { name: "90 days" }).and(page.locator(":checked")).waitFor();
  await page.getByText("30 days", { exact: true }).click();
  await page.waitForURL((url) => !url.search.includes("days"));
  await page.locator(".time-series").waitFor({ state: "detached" });
  await section(page, "Activity").getByText("in 30 days, by day").waitFor();
  assert.equal((await fileOf(page, "Visits")).length, 30);
  const days = await fileOf(page, "Activity by day");
  assert.equal(days.length, 30);
  assert.match(days.at(-1)!, /^\d{4}-\d{2}-\d{2},\d+,\d+,\d+,\d+$/);
}

/** Tasks by state, as a table and as a file, and live. */
async function taskFigures({ server: { origin }, admin }: Scene, page: Page) {
  const tasks = section(page, "Tasks");
  await tasks.getByText("Nothing is open").waitFor();
  assert.deepEqual(await fileOf(page, "Tasks by state"), [
    "To do,0,0",
    "In progress,0,0",
    "Done,0,0",
  ]);
  for (const dueDate of ["2026-01-02", undefined]) {
    await ask(origin, admin, "POST", "/dashboard/tasks", { title: "Coil the ropes", dueDate });
  }
  await tasks.getByRole("row", { name: "To do 1 1" }).waitFor({ state: "attached" });
  assert.deepEqual(await fileOf(page, "Tasks by state"), [
    "To do,1,1",
    "In progress,0,0",
    "Done,0,0",
  ]);
  const plot = tasks.getByRole("group", { name: "Tasks by state" });
  await plot.focus();
  await page.keyboard.press("Home");
  await tasks.getByText("To do: Not overdue 1, Overdue 1").waitFor({ state: "attached" });
  await tasks.getByRole("button", { name: "Mark Coil the ropes as done" }).first().click();
  await tasks.getByRole("row", { name: "Done 1 0" }).waitFor({ state: "attached" });
  for (const { id } of await ask(origin, admin, "GET", "/dashboard/tasks")) {
    await ask(origin, admin, "DELETE", `/dashboard/tasks/${id}`);
  }
}

async function tasks({ server: { origin }, browser, admin }: Scene) {
  const one = await openAs(browser, admin);
  const two = await openAs(browser, admin);
  const { page } = one;
  await go(page, `${origin}/tasks`, "Tasks");
  await go(two.page, `${origin}/tasks?view=board`, "Tasks");
  await said(two.page, "Nothing to do");

  await page.getByRole("button", { name: "New task" }).click();
  const form = page.getByRole("dialog", { name: "New task" });
  await form.getByRole("button", { name: "Create" }).click();
  await said(page, "Give the task a title");
  await form.getByRole("textbox", { name: "Task" }).fill("Clear the decks");
  await form.getByLabel("Priority").selectOption({ label: "Urgent" });
  await form.getByRole("combobox", { name: "Assignee" }).fill("admin");
  await page.getByRole("listbox").getByRole("option").first().click();
  await form.getByLabel("Due").fill("2026-01-02T10:00");
  await noProblems(page, "the form of a task");
  await form.getByRole("button", { name: "Create" }).click();
  await row(page, "Clear the decks").getByText("Overdue").waitFor({ state: "attached" });
  await noProblems(page, "the list of tasks");

  // The other window shows it, and moves it by keyboard; the focus stays on it.
  await card(two.page, "Clear the decks").focus();
  await two.page.keyboard.press("Shift+ArrowRight");
  await column(two.page, "In progress").getByText("Clear the decks").waitFor();
  await row(page, "Clear the decks").getByText("In progress").waitFor();
  await two.page.locator(":focus").filter({ hasText: "Clear the decks" }).waitFor();
  await noProblems(two.page, "the board");

  // By pointer, and back by Undo.
  await card(two.page, "Clear the decks").dragTo(column(two.page, "Done"));
  await column(two.page, "Done").getByText("Clear the decks").waitFor();
  await row(page, "Clear the decks").getByText("Done").waitFor();
  await two.page.getByRole("button", { name: "Undo" }).last().click();
  await row(page, "Clear the decks").getByText("In progress").waitFor();

  // Changed in one window, found by filter, deleted after a question.
  await two.page.keyboard.press("Escape");
  await card(two.page, "Clear the decks").press("Enter");
  await two.page.getByRole("dialog").getByRole("textbox", { name: "Task" }).fill("Swab the decks");
  await two.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await row(page, "Swab the decks").waitFor();

  // Changed in both at once: whoever comes second decides, and what only the other has changed stays.
  await row(page, "Swab the decks").click();
  const edited = page.getByRole("dialog", { name: "Edit the task" });
  await edited.getByRole("textbox", { name: "Task" }).fill("Scrub the decks");
  const [{ id }] = await ask(origin, admin, "GET", "/dashboard/tasks");
  await ask(origin, admin, "PUT", `/dashboard/tasks/${id}`, { title: "Mop", priority: "low" });
  await edited.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  await conflict.getByRole("row", { name: "Task Scrub the decks Mop" }).waitFor();
  await conflict.getByRole("row", { name: "Priority Urgent Low" }).waitFor();
  await noProblems(page, "a conflict over a task");
  await conflict.getByRole("button", { name: "Take theirs" }).click();
  await edited.getByRole("textbox", { name: "Task" }).fill("Swab the decks");
  await edited.getByRole("button", { name: "Save" }).click();
  await said(page, "The task was saved");
  const now = await ask(origin, admin, "GET", `/dashboard/tasks/${id}`);
  assert.deepEqual([now.title, now.priority], ["Swab the decks", "low"]);
  await row(page, "Swab the decks").waitFor();
  await page.getByRole("button", { name: "Assigned to me" }).click();
  await page.waitForURL(/assigneeId=/);
  await row(page, "Swab the decks").getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await said(page, "The task was deleted");
  await said(two.page, "Nothing to do");

  // On the board, by keyboard alone: a card that is deleted leaves the focus to the one beside it.
  for (const title of ["First", "Second"]) {
    await ask(origin, admin, "POST", "/dashboard/tasks", { title });
  }
  await card(two.page, "First").focus();
  await card(two.page, "Second").waitFor();
  await two.page.keyboard.press("Tab");
  await two.page.keyboard.press("Enter");
  await two.page.getByRole("menuitem", { name: "Delete" }).press("Enter");
  await two.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).press("Enter");
  await card(two.page, "First").waitFor({ state: "detached" });
  await two.page.locator("[data-task]:focus").filter({ hasText: "Second" }).waitFor();
  await leave([one, two], /412/);
}

async function notifications({ server: { origin }, browser, admin }: Scene) {
  const ada = await signIn(origin, "ada.byron@example.com");
  const opened = await openAs(browser, ada, { width: 390, height: 844 });
  const { page } = opened;
  await go(page, `${origin}/notifications`, "Notifications");
  await said(page, "No notifications");
  for (const title of ["Charts", "Tides"]) {
    const body = { title, content: title, type: "document" };
    const { id } = await ask(origin, admin, "POST", "/documents", body);
    await ask(origin, admin, "POST", `/documents/${id}/share`, { userId: ada.user.id });
  }
  // They come by themselves, and are marked as read in every window.
  await page.getByRole("tab", { name: /Unread.*2/ }).waitFor();
  await noProblems(page, "notifications");
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await said(page, "2 notifications were marked as read");
  await page.getByRole("tab", { name: "Unread" }).click();
  await said(page, "All read");
  await page.getByRole("tab", { name: "All" }).click();
  await row(page, "Charts").getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await said(page, "The notification was deleted");
  await row(page, "Charts").waitFor({ state: "detached" });
  await leave([opened]);
}

/** On a phone, a title that is cut off ends with an ellipsis, and the present tab is seen. */
async function narrow({ server: { origin }, browser, admin }: Scene) {
  const ada = await signIn(origin, "ada.byron@example.com");
  const { id } = await ask(origin, admin, "POST", "/documents", { title: "Lamps" });
  await ask(origin, admin, "POST", `/documents/${id}/share`, { userId: ada.user.id });
  const opened = await openAs(browser, ada, { width: 390, height: 844 });
  const { page } = opened;
  await page.route("**/api/notifications?*", async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const one of json.data) {
      one.title = "A title that takes more room than there is. ".repeat(3);
    }
    await route.fulfill({ response, json });
  });
  await go(page, `${origin}/notifications`, "Notifications");
  const cut = await page.locator(".told-new").getByText("A title that takes").first().evaluate(
    (title: { scrollWidth: number; clientWidth: number }) => title.scrollWidth > title.clientWidth,
  );
  assert.ok(cut, "it is the title itself that is cut off");
  await page.unrouteAll();
  await go(page, `${origin}/account/preferences`, "Preferences");
  const { x, width } = (await page.locator(".tab[aria-current=page]").boundingBox())!;
  assert.ok(x >= 0 && x + width <= 390, `the present tab is from ${x} to ${x + width}`);
  await leave([opened]);
}

Deno.test("console: overview, tasks, notifications", async (t) => {
  await using scene = await startScene();
  await t.step("the overview of a new server: charts, ranges, files, live", () => overview(scene));
  await t.step("tasks: list and board, in two windows", () => tasks(scene));
  await t.step("notifications come, are read and deleted", () => notifications(scene));
  await t.step("titles and tabs on a phone", () => narrow(scene));
});
