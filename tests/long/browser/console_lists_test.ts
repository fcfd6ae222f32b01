// What every list of the console offers, in a real browser: filters, saved views and columns, by pointer and by keys; what
// is done with many rows, exported, and changed while somebody else changes it.
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
  startScene,
} from "./console.ts";
import { arrowTo, focusOn, press, tabTo } from "./keys.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const item = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true });
const chip = (page: Page, text: string) =>
  page.getByRole("group", { name: "Filter" }).getByRole("button", { name: text, exact: true });
const gone = (page: Page, text: string) => row(page, text).waitFor({ state: "detached" });

async function addPeople(scene: Scene) {
  await person(scene, "Ada Byron", { department: "Research" });
  await person(scene, "Grace Murray", { department: "Research", status: "inactive" });
  await person(scene, "Alan Mathison", { department: "Sales" });
}

async function filters({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await row(page, "Alan Mathison").waitFor();

  await button(page, "Filter").click();
  await item(page, "Department").click();
  const editor = page.getByRole("dialog", { name: "Change the filter Department" });
  await editor.getByLabel("Department").fill("Research");
  await noProblems(page, "a filter that is edited");
  await editor.getByRole("button", { name: "Apply" }).click();
  await gone(page, "Alan Mathison");
  assert.match(page.url(), /department=Research/);

  await button(page, "Filter").click();
  assert.equal(await item(page, "Department").count(), 0, "it is there once");
  await item(page, "Status").click();
  await page.getByRole("dialog", { name: "Change the filter Status" })
    .getByText("Active", { exact: true }).click();
  await gone(page, "Grace Murray");
  await row(page, "Ada Byron").waitFor();
  assert.match(page.url(), /status=active/);

  // A chip leads back to its editor.
  await chip(page, "Department Research").click();
  await editor.getByLabel("Department").fill("Sales");
  await editor.getByRole("button", { name: "Apply" }).click();
  await row(page, "Alan Mathison").waitFor();
  await gone(page, "Ada Byron");

  await button(page, "Remove the filter Status").click();
  await chip(page, "Status Active").waitFor({ state: "detached" });
  assert.doesNotMatch(page.url(), /status=/);
  // What is in the address is in another window too, and goes away as a whole.
  await page.goto(`${origin}/users?department=Research&status=inactive`);
  await row(page, "Grace Murray").waitFor();
  await chip(page, "Status Inactive").waitFor();
  await button(page, "Clear all").click();
  await row(page, "Alan Mathison").waitFor();
  assert.equal(new URL(page.url()).search, "");
  await leave([opened]);
}

async function filtersByKeys({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await row(page, "Alan Mathison").waitFor();

  await tabTo(page, button(page, "Filter"));
  await press(page, "Enter");
  await arrowTo(page, item(page, "Department"), "ArrowDown");
  await press(page, "Enter");
  const field = page.getByRole("dialog").getByLabel("Department");
  await focusOn(page, field);
  // Whoever thinks better of it is back at the button.
  await press(page, "Escape");
  await focusOn(page, button(page, "Filter"));

  await press(page, "Enter");
  await arrowTo(page, item(page, "Department"), "ArrowDown");
  await press(page, "Enter");
  await focusOn(page, field);
  await page.keyboard.type("Research");
  await press(page, "Enter");
  await gone(page, "Alan Mathison");
  await focusOn(page, chip(page, "Department Research"));

  await press(page, "Enter");
  await focusOn(page, field);
  await press(page, "Control+a");
  await page.keyboard.type("Sales");
  await press(page, "Enter");
  await row(page, "Alan Mathison").waitFor();
  await focusOn(page, chip(page, "Department Sales"));

  await tabTo(page, button(page, "Remove the filter Department"));
  await press(page, "Enter");
  await row(page, "Ada Byron").waitFor();
  await focusOn(page, button(page, "Filter"));
  await leave([opened]);
}

async function views({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users?department=Research&sort=name`, "Users");
  await row(page, "Ada Byron").waitFor();
  await button(page, "Views").click();
  const panel = page.getByRole("dialog", { name: "Views" });
  await panel.getByLabel("Name of the view").fill("Researchers");
  await panel.getByRole("button", { name: "Save this view" }).click();
  await said(page, "View saved");
  await button(page, "Researchers").click();
  await noProblems(page, "saved views");
  await panel.getByRole("button", { name: "All", exact: true }).click();
  await row(page, "Alan Mathison").waitFor();
  assert.equal(new URL(page.url()).search, "");

  await page.reload();
  await row(page, "Alan Mathison").waitFor();
  await button(page, "Views").click();
  await panel.getByRole("button", { name: "Researchers", exact: true }).click();
  await gone(page, "Alan Mathison");
  assert.equal(new URL(page.url()).search, "?department=Research&sort=name");

  // One's other browsers have it as well. There, by keys: chosen, and deleted, which the first one is told.
  const other = await openAs(browser, admin);
  await go(other.page, `${origin}/users`, "Users");
  await row(other.page, "Alan Mathison").waitFor();
  await tabTo(other.page, button(other.page, "Views"));
  await press(other.page, "Enter");
  const theirs = other.page.getByRole("dialog", { name: "Views" });
  await tabTo(other.page, theirs.getByRole("button", { name: "Researchers", exact: true }));
  await press(other.page, "Enter");
  await gone(other.page, "Alan Mathison");
  await focusOn(other.page, button(other.page, "Researchers"));
  await press(other.page, "Enter");
  await tabTo(other.page, button(other.page, "Delete the view Researchers"));
  await press(other.page, "Enter");
  await said(other.page, "The view Researchers was deleted");
  await button(page, "Researchers").waitFor({ state: "detached" });
  await button(other.page, "Undo").press("Enter");
  await button(page, "Researchers").waitFor();
  await renameView(other.page);
  await button(page, "Inventors").waitFor();
  await leave([opened, other]);
}

/** By keys, where the view Researchers is chosen: it is given a name of another view, thought better of, and renamed. */
async function renameView(page: Page) {
  const panel = page.getByRole("dialog", { name: "Views" });
  const rename = (name: string) => button(page, `Rename the view ${name}`);
  const name = panel.getByLabel("Name of the view");
  await page.goto(`${new URL(page.url()).origin}/users?department=Sales`);
  await row(page, "Alan Mathison").waitFor();
  await tabTo(page, button(page, "Views"));
  await press(page, "Enter");
  await tabTo(page, name);
  await page.keyboard.type("researchers");
  await panel.getByText("You have a view of this name: it is replaced").waitFor();
  await press(page, "Control+a");
  await page.keyboard.type("Sellers");
  await press(page, "Enter");
  await focusOn(page, button(page, "Sellers"));

  await press(page, "Enter");
  await tabTo(page, rename("Researchers"));
  await press(page, "Enter");
  await focusOn(page, name);
  await page.keyboard.type("SELLERS");
  await press(page, "Enter");
  await panel.getByText("Another view has this name").waitFor();
  await focusOn(page, name);
  await noProblems(page, "a view whose new name another one has");
  await press(page, "Escape");
  await focusOn(page, rename("Researchers"));
  await press(page, "Enter");
  await page.keyboard.type("Inventors");
  await press(page, "Enter");
  await said(page, "The view is called Inventors now");
  await focusOn(page, rename("Inventors"));
  const names = await panel.getByRole("listitem").locator(".menu-item").allTextContents();
  assert.deepEqual(names, ["All", "Inventors", "Sellers"]);
}

async function columns({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  const header = (page: Page, name: string) =>
    page.getByRole("columnheader", { name, exact: true });
  const column = (page: Page, name: string) =>
    page.getByRole("menuitemcheckbox", { name, exact: true });
  await go(page, `${origin}/users`, "Users");
  await header(page, "Department").waitFor();
  await button(page, "Columns").click();
  await column(page, "Department").click();
  await header(page, "Department").waitFor({ state: "detached" });
  // The menu stays, for more than one.
  await column(page, "Position").click();
  await header(page, "Position").waitFor();
  assert.equal(await column(page, "Department").getAttribute("aria-checked"), "false");
  await noProblems(page, "the columns");
  await page.keyboard.press("Escape");

  await page.reload();
  await header(page, "Position").waitFor();
  assert.equal(await header(page, "Department").count(), 0);

  const other = await openAs(browser, admin);
  await go(other.page, `${origin}/users`, "Users");
  await header(other.page, "Position").waitFor();
  await tabTo(other.page, button(other.page, "Columns"));
  await press(other.page, "Enter");
  await arrowTo(other.page, column(other.page, "Department"), "ArrowDown");
  await press(other.page, " ");
  await header(other.page, "Department").waitFor();
  await focusOn(other.page, column(other.page, "Department"));
  await arrowTo(other.page, item(other.page, "Reset"), "ArrowDown");
  await press(other.page, "Enter");
  await header(other.page, "Position").waitFor({ state: "detached" });
  await focusOn(other.page, button(other.page, "Columns"));
  await header(page, "Department").waitFor();
  await header(page, "Position").waitFor({ state: "detached" });
  await leave([opened, other]);
}

/** Chooses rows, and what is done with them. */
async function doWith(page: Page, names: readonly string[], action: string) {
  for (const name of names) await row(page, name).getByRole("checkbox").check();
  await said(page, `${names.length} selected`);
  await page.getByRole("region", { name: `${names.length} selected` })
    .getByRole("button", { name: action }).click();
}

/** What the file has that a list is exported as: a line for each row, and the head. */
async function exported(page: Page): Promise<string[]> {
  await button(page, "More actions").click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    item(page, "Export as CSV").click(),
  ]);
  return (await Deno.readTextFile(await file.path())).trim().split("\r\n");
}

async function webhooks({ server: { origin }, browser, admin }: Scene) {
  for (const name of ["one", "two", "three"]) {
    const body = { url: `https://${name}.example.com/in`, events: ["documents.*"] };
    await ask(origin, admin, "POST", "/webhooks", { ...body, description: `Number ${name}` });
  }
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/webhooks`, "Webhooks");
  await row(page, "two.example.com").waitFor();
  await doWith(page, ["one.example.com", "two.example.com"], "Pause");
  await said(page, "2 webhooks are paused");
  await row(page, "one.example.com").getByText("Paused").waitFor();
  await button(page, "Filter").click();
  await item(page, "State").click();
  await page.getByRole("dialog").getByText("Paused", { exact: true }).click();
  await gone(page, "three.example.com");
  await page.getByRole("searchbox", { name: "Search webhooks" }).fill("number ONE");
  await gone(page, "two.example.com");
  const [head, line, ...others] = await exported(page);
  assert.equal(head, "Address,Description,Events,State,Made");
  assert.match(line!, /^https:\/\/one\.example\.com\/in,Number one,documents\.\*,Paused,2/);
  assert.deepEqual(others, []);
  await go(page, `${origin}/webhooks`, "Webhooks");
  await doWith(page, ["one.example.com"], "Go on");
  await said(page, "1 webhook goes on");
  await row(page, "one.example.com").getByText("Active").waitFor();
  await doWith(page, ["two.example.com", "three.example.com"], "Delete");
  const question = page.getByRole("alertdialog", { name: "Delete 2 webhooks?" });
  await question.getByRole("button", { name: "Delete" }).click();
  await said(page, "2 webhooks are deleted");
  await gone(page, "two.example.com");
  await row(page, "one.example.com").waitFor();
  await leave([opened]);
}

async function rolesAndTeams({ server: { origin }, browser, admin }: Scene) {
  for (const name of ["pilot", "cook"]) await ask(origin, admin, "POST", "/roles", { name });
  // More than a page, so that a file holds more than is shown.
  const names = Array.from({ length: 27 }, (_, at) => `Crew ${String(at).padStart(2, "0")}`);
  for (const name of names) await ask(origin, admin, "POST", "/teams", { name });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/roles`, "Roles");
  await doWith(page, ["pilot", "cook", "guest"], "Delete");
  const question = page.getByRole("alertdialog", { name: "Delete 3 roles?" });
  await question.getByRole("button", { name: "Delete" }).click();
  const refusals = page.getByRole("dialog", { name: "One was left as it is" });
  // Before the page is looked at, which may take longer than the message stays.
  await said(page, "2 roles are deleted");
  await refusals.getByText("The built-in role guest cannot be deleted").waitFor();
  await noProblems(page, "what was refused");
  await refusals.getByRole("button", { name: "Close" }).last().click();
  await gone(page, "pilot");

  await go(page, `${origin}/teams`, "Teams");
  await row(page, "Crew 24").waitFor();
  assert.equal(await row(page, "Crew 25").count(), 0, "it is on the next page");
  const [, ...lines] = await exported(page);
  assert.deepEqual(lines.map((line) => line.split(",")[0]), names);
  await doWith(page, ["Crew 00", "Crew 01"], "Delete");
  await page.getByRole("alertdialog", { name: "Delete 2 teams?" })
    .getByRole("button", { name: "Delete" }).click();
  await said(page, "2 teams are deleted");
  await gone(page, "Crew 00");
  // Those of somebody else, by the filter.
  const { id } = await person({ server: { origin }, browser, admin } as Scene, "Katherine Gobels");
  const [{ id: team }] = await ask(origin, admin, "GET", "/teams?search=Crew%2026");
  await ask(origin, admin, "PUT", `/teams/${team}`, { ownerId: id });
  await button(page, "Filter").click();
  await item(page, "Owner").click();
  await page.getByRole("dialog").getByRole("combobox").fill("Katherine");
  await page.getByRole("option", { name: /Katherine Gobels/ }).click();
  await row(page, "Crew 26").waitFor();
  await gone(page, "Crew 02");
  // The built-in role is refused with 409.
  await leave([opened], /409/);
}

/** A page that is not there any more: the list goes on from the last one. */
async function lastPage({ server: { origin }, browser, admin }: Scene) {
  const names = Array.from({ length: 26 }, (_, at) => `Shift ${String(at).padStart(2, "0")}`);
  for (const name of names) await ask(origin, admin, "POST", "/teams", { name });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  const shownPage = () => new URL(page.url()).searchParams.get("page");
  await go(page, `${origin}/teams?search=Shift&page=999`, "Teams");
  await row(page, "Shift 25").waitFor();
  assert.equal(shownPage(), "2");
  await doWith(page, ["Shift 25"], "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await row(page, "Shift 24").waitFor();
  assert.equal(shownPage(), null);
  await leave([opened]);
}

async function others({ server: { origin }, browser, admin }: Scene) {
  await ask(origin, admin, "POST", "/share", { content: "# A harbour", language: "markdown" });
  await ask(origin, admin, "POST", "/share", { content: "<p>A quay</p>", language: "html" });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/snippets`, "Snippets");
  await button(page, "Filter").click();
  await item(page, "Written in").click();
  await page.getByRole("dialog").getByText("HTML", { exact: true }).click();
  await page.locator("[data-row]").nth(1).waitFor({ state: "detached" });
  const [, line, ...none] = await exported(page);
  assert.match(line!, /,HTML,/);
  assert.deepEqual(none, []);
  for (const [path, title] of [["/notifications", "Notifications"], ["/backups", "Backups"]]) {
    await go(page, origin + path, title!);
    await page.getByRole("table").waitFor();
    await exported(page);
  }
  await leave([opened]);
}

/** Has something happen before a request of the page reaches the server, once. */
async function before(
  page: Page,
  method: string,
  path: RegExp,
  happens: () => Promise<unknown>,
): Promise<void> {
  let happened = false;
  await page.route(path, async (route) => {
    if (!happened && route.request().method() === method) {
      happened = true;
      await happens();
    }
    await route.fallback();
  });
}

async function conflicts({ server: { origin }, browser, admin }: Scene) {
  const hook = await ask(origin, admin, "POST", "/webhooks", {
    url: "https://four.example.com/",
    events: ["documents.*"],
  });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  const conflict = page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  await go(page, `${origin}/webhooks/${hook.id}`, "four.example.com");
  await button(page, "Edit").click();
  const form = page.getByRole("dialog", { name: "Edit the webhook" });
  await form.getByLabel("Description").fill("Mine");
  await ask(origin, admin, "PUT", `/webhooks/${hook.id}`, { description: "Theirs", active: false });
  await form.getByRole("button", { name: "Save" }).click();
  await conflict.getByRole("row", { name: "Description Mine Theirs" }).waitFor();
  await conflict.getByRole("row", { name: "Active Yes No" }).waitFor();
  await noProblems(page, "a conflict");
  await conflict.getByRole("button", { name: "Take theirs" }).click();
  assert.equal(await form.getByLabel("Description").inputValue(), "Theirs");
  await form.getByLabel("Description").fill("Both");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  const { description, active } = await ask(origin, admin, "GET", `/webhooks/${hook.id}`);
  assert.deepEqual([description, active], ["Both", false]);

  const folder = await ask(origin, admin, "POST", "/folders", { name: "Charts" });
  await go(page, `${origin}/files`, "Files");
  await page.getByRole("button", { name: "Actions for the folder Charts" }).click();
  await item(page, "Rename").click();
  const renaming = page.getByRole("dialog", { name: "Rename Charts" });
  await renaming.getByRole("textbox", { name: "Name" }).fill("Maps");
  await ask(origin, admin, "PUT", `/folders/${folder.id}`, { name: "Atlases" });
  await renaming.getByRole("button", { name: "Rename" }).click();
  await conflict.getByRole("row", { name: "Name Maps Atlases" }).waitFor();
  await conflict.getByRole("button", { name: "Keep mine" }).click();
  await renaming.waitFor({ state: "detached" });
  assert.equal((await ask(origin, admin, "GET", `/folders/${folder.id}`)).name, "Maps");
  await leave([opened], /412/);
}

async function board({ server: { origin }, browser, admin }: Scene) {
  const { id } = await ask(origin, admin, "POST", "/dashboard/tasks", { title: "Scrub the deck" });
  const path = new RegExp(`/api/dashboard/tasks/${id}$`);
  // The board shows a move before the server has it.
  const status = async () => (await ask(origin, admin, "GET", `/dashboard/tasks/${id}`)).status;
  const set = (change: unknown) => ask(origin, admin, "PUT", `/dashboard/tasks/${id}`, change);
  const opened = await openAs(browser, admin);
  const { page } = opened;
  const conflict = page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  const card = page.locator(`[data-task="${id}"]`);
  await go(page, `${origin}/tasks?view=board`, "Tasks");

  // Another change of the task in between is none of the move's business.
  await before(page, "PUT", path, () => set({ priority: "urgent" }));
  await card.press("Shift+ArrowRight");
  await said(page, "Scrub the deck: In progress");
  await shows(status, "in_progress");

  await before(page, "GET", path, () => set({ status: "done" }));
  await card.press("Shift+ArrowLeft");
  await conflict.getByText("It is “Done” by now.").waitFor();
  await conflict.getByRole("button", { name: "Leave it so" }).click();
  await page.getByRole("region", { name: "Done" }).locator(card).waitFor();
  await shows(status, "done");

  await before(page, "GET", path, () => set({ status: "pending" }));
  await card.press("Shift+ArrowLeft");
  await conflict.getByRole("button", { name: "Change it all the same" }).click();
  await conflict.waitFor({ state: "detached" });
  await page.getByRole("region", { name: "In progress" }).locator(card).waitFor();
  await shows(status, "in_progress");

  // The mark on the overview asks as well, unless the other one has done the same.
  const mark = button(page, "Mark Scrub the deck as done");
  await go(page, `${origin}/dashboard`, "Overview");
  await before(page, "GET", path, () => set({ status: "pending" }));
  await mark.click();
  await conflict.getByText("It is “To do” by now.").waitFor();
  await conflict.getByRole("button", { name: "Leave it so" }).click();
  await conflict.waitFor({ state: "detached" });
  await shows(status, "pending");
  await before(page, "GET", path, () => set({ status: "done" }));
  await mark.click();
  await said(page, "Scrub the deck: Done");
  assert.equal(await conflict.count(), 0);
  await leave([opened], /412/);
}

async function unread({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  let answer = () => {};
  const asked = new Promise<void>((resolve) => answer = resolve);
  await page.route("**/api/users?*", async (route) => {
    await asked;
    await route.fallback();
  });
  await go(page, `${origin}/users?page=2`, "Users");
  const pager = page.getByRole("navigation", { name: "Pages" });
  await pager.getByRole("button", { name: "Next page" }).waitFor();
  assert.doesNotMatch(await pager.innerText(), /No rows| of /, "nothing is known of them yet");
  answer();
  await pager.getByText(/ of /).first().waitFor();
  await leave([opened]);
}

/** How far the beginning of a text is from the edge where its language begins, in pixels. */
async function beginsAt(page: Page, text: string): Promise<number> {
  return await page.getByText(text, { exact: true }).first().evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.setStart(element.firstChild!, 0);
    range.setEnd(element.firstChild!, 1);
    return Math.abs(element.getBoundingClientRect().right - range.getBoundingClientRect().right);
  });
}

async function otherDirection(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const name = "\u0627\u0633\u0645 \u0637\u0648\u064a\u0644 ".repeat(10).trim();
  await person(scene, "Long Arabic", { name });
  const opened = await openAs(browser, admin, { width: 390 });
  await go(opened.page, `${origin}/users`, "Users");
  await opened.page.getByText(name, { exact: true }).first().waitFor();
  assert.ok(await beginsAt(opened.page, name) < 2, "what is cut off is the end of the name");
  await leave([opened]);
}

const excess = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

async function phone({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin, { width: 390, height: 844 });
  const { page } = opened;
  await go(page, `${origin}/users?department=Research`, "Users");
  await row(page, "Ada Byron").waitFor();
  const first = () => page.getByRole("rowheader").first().innerText();
  const byName = page.getByRole("columnheader", { name: "Name" });
  await byName.getByRole("button").click();
  await shows(first, /Ada Byron/);
  await byName.getByRole("button").click();
  await shows(first, /Grace Murray/);
  assert.equal(await byName.getAttribute("aria-sort"), "descending");
  await page.getByText("Select all rows").click();
  await page.getByRole("region", { name: "2 selected" }).waitFor();
  await noProblems(page, "a list on a phone");
  for (const width of [320, 639]) {
    await page.setViewportSize({ width, height: 844 });
    assert.equal(await excess(page), 0, `the list at ${width} pixels`);
  }
  await page.setViewportSize({ width: 1280, height: 844 });
  await page.getByText("Select all rows").waitFor({ state: "hidden" });
  await leave([opened]);
}

async function longAddress(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const name = `Wolfgang ${"Maximilian ".repeat(9).trim()}`;
  await person(scene, name, { email: "wolfgang@example.com" });
  const opened = await openAs(browser, admin, { width: 390 });
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await press(page, "Control+k");
  await page.keyboard.type("Wolfgang");
  const address = page.getByRole("option", { name }).locator("small");
  await address.waitFor();
  assert.ok((await address.boundingBox())!.width > 90, "the address has room beside a long name");
  await leave([opened]);
}

Deno.test("console: lists", async (t) => {
  await using scene = await startScene();
  await addPeople(scene);
  await t.step("filters by pointer: added, changed, taken away", () => filters(scene));
  await t.step("filters by keys", () => filtersByKeys(scene));
  await t.step(
    "views: saved, chosen, in another browser, deleted and back, renamed",
    () => views(scene),
  );
  await t.step("columns: hidden, shown, in another browser, as before", () => columns(scene));
  await t.step(
    "while a list is read, it says nothing of how many rows it has",
    () => unread(scene),
  );
  await t.step(
    "a long name of the other direction is cut off at its end",
    () => otherDirection(scene),
  );
  await t.step("on a phone, all are chosen, and sorted", () => phone(scene));
  await t.step("in the palette an address stays beside a long name", () => longAddress(scene));
  await t.step("webhooks: searched, paused and deleted together, exported", () => webhooks(scene));
  await t.step("roles and teams: many deleted, all pages exported", () => rolesAndTeams(scene));
  await t.step("a page beyond the last leads to the last", () => lastPage(scene));
  await t.step("snippets, notifications and backups: exported", () => others(scene));
  await t.step("a webhook and a folder that two change", () => conflicts(scene));
  await t.step("a task that two move", () => board(scene));
});
