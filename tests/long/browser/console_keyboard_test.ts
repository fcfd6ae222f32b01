// The console by keyboard alone: its main flows from signing in to signing out, without a pointer, and with the focus
// always somewhere, seen, and back where it was.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import { complaintsOf } from "./browser.ts";
import {
  ADMIN,
  ask,
  leave,
  type Opened,
  PASSWORD,
  row,
  said,
  type Scene,
  startScene,
} from "./console.ts";
import { arrowTo, focusOn, press, tabTo } from "./keys.ts";

const button = (within: Page | Locator, name: string) =>
  within.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Goes to a page by its keys; its title is read out. */
async function go(page: Page, key: string, title: string) {
  await press(page, "g", key);
  await heading(page, title).and(page.locator(":focus")).waitFor();
}

/** By the palette, which finds pages, records and commands. */
async function command(page: Page, text: string) {
  await press(page, "Control+k");
  const palette = page.getByRole("dialog").getByRole("combobox");
  await focusOn(page, palette);
  await page.keyboard.type(text);
  await page.getByRole("dialog").getByRole("option", { name: text }).first().waitFor();
  await press(page, "Enter");
}

/** The palette keeps the focus, and gives it back. */
async function lookAtCommands(page: Page, before: Locator) {
  await press(page, "Control+k");
  const palette = page.getByRole("dialog", { name: "Search pages, records and commands" })
    .getByRole("combobox");
  await focusOn(page, palette);
  await press(page, "Tab");
  await focusOn(page, palette);
  await press(page, "Escape");
  await focusOn(page, before);
}

/** Chooses something in the menu of the row that has the focus. */
async function rowMenu(page: Page, name: string) {
  await press(page, ".");
  const item = page.getByRole("menuitem", { name, exact: true });
  await item.waitFor();
  await arrowTo(page, item, "ArrowDown");
  await press(page, "Enter");
}

/** Goes to the row of a list: by Tab to the table, then by arrows. */
async function rowTo(page: Page, text: string) {
  await row(page, text).waitFor();
  await tabTo(page, page.locator("[data-row]"));
  await arrowTo(page, row(page, text), "ArrowDown");
}

async function signedIn(page: Page, { server: { origin } }: Scene) {
  await page.goto(`${origin}/login`);
  await page.locator("[name=email]:focus").waitFor();
  await page.keyboard.type(ADMIN);
  await press(page, "Tab");
  await page.keyboard.type(PASSWORD);
  await press(page, "Enter");
  await heading(page, "Overview").waitFor();
  // Whoever does not want to go through the sidebar leaps over it.
  const skip = page.getByRole("link", { name: "Skip to content" });
  await tabTo(page, skip);
  await press(page, "Enter");
  await page.locator("main:focus").waitFor();
}

async function pages(page: Page) {
  await command(page, "Documents");
  await focusOn(page, heading(page, "Documents"));
  await go(page, "u", "Users");
  await press(page, "?");
  // The keys of what is shown stand before those that hold everywhere.
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByText("Select rows on the way").waitFor();
  assert.deepEqual(await help.getByRole("heading", { level: 3 }).allInnerTexts(), [
    "On this page",
    "Rows",
    "Everywhere",
  ]);
  await press(page, "Escape");
  await focusOn(page, heading(page, "Users"));
  await lookAtCommands(page, heading(page, "Users"));
}

async function user(page: Page) {
  await go(page, "u", "Users");
  await tabTo(page, button(page, "Add user"));
  await press(page, "Enter");
  const drawer = page.getByRole("dialog", { name: "Add a user" });
  const name = drawer.getByRole("textbox", { name: "Name", exact: true });
  await focusOn(page, name);
  await lookAtCommands(page, name);
  await page.keyboard.type("Ada Byron");
  await press(page, "Tab");
  await focusOn(page, drawer.getByRole("textbox", { name: "E-mail" }));
  await page.keyboard.type("ada.byron@example.com");
  await press(page, "Enter");
  await said(page, "An invitation is on its way to ada.byron@example.com");
  await row(page, "Ada Byron").waitFor();
  await focusOn(page, button(page, "Add user"));
}

async function role(page: Page) {
  await go(page, "r", "Roles");
  await rowTo(page, "Purser");
  await press(page, "Enter");
  await focusOn(page, heading(page, "Purser"));
  const box = page.getByRole("checkbox", { name: "View users" });
  await tabTo(page, page.getByRole("checkbox"));
  await arrowTo(page, page.getByRole("checkbox", { name: / users$/ }), "ArrowDown");
  await arrowTo(page, box, "ArrowRight");
  await press(page, "Space");
  await said(page, "1 added, 0 taken away");
  await tabTo(page, button(page, "Save"));
  await press(page, "Enter");
  await said(page, /^Saved/);
  // The button is gone with what it was for.
  await page.locator("main :focus").waitFor();
  assert.equal(await box.isChecked(), true);
}

async function written(page: Page) {
  await go(page, "d", "Documents");
  await tabTo(page, button(page, "New document"));
  await press(page, "Enter");
  await focusOn(page, page.getByRole("dialog").getByLabel("Title"));
  await page.keyboard.type("Harbour rules");
  await press(page, "Enter");
  await heading(page, "Harbour rules").waitFor();
  await tabTo(page, page.getByRole("textbox", { name: "Content, in Markdown" }));
  await page.keyboard.type("# Lights\n\nOn at night.");
  await press(page, "Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await focusOn(page, page.getByRole("textbox", { name: "Content, in Markdown" }));
}

async function uploaded(page: Page) {
  await command(page, "Files");
  await focusOn(page, heading(page, "Files"));
  await tabTo(page, button(page, "Upload"));
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.keyboard.press("Enter"),
  ]);
  await chooser.setFiles({ name: "chart.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await row(page, "chart.txt").waitFor();
  await focusOn(page, button(page, "Upload"));
}

async function shared(page: Page) {
  await rowTo(page, "chart.txt");
  await rowMenu(page, "Share");
  const dialog = page.getByRole("dialog", { name: /^Share/ });
  await focusOn(page, dialog.getByRole("combobox", { name: "People" }));
  await page.keyboard.type("Ada");
  await page.getByRole("option", { name: /Ada Byron/ }).waitFor();
  await press(page, "Enter");
  await tabTo(page, button(dialog, "Share"));
  await press(page, "Enter");
  await dialog.getByLabel("What Ada Byron may do").waitFor();
  await dialog.locator(":focus").waitFor();
  await press(page, "Escape");
  await dialog.waitFor({ state: "detached" });
  await row(page, "chart.txt").and(page.locator(":focus")).waitFor();
}

async function restored(page: Page) {
  await rowTo(page, "chart.txt");
  await rowMenu(page, "Delete");
  await row(page, "chart.txt").waitFor({ state: "detached" });
  await page.locator("main :focus").waitFor();
  await command(page, "Trash");
  await focusOn(page, heading(page, "Trash"));
  await rowTo(page, "chart.txt");
  await rowMenu(page, "Restore");
  await row(page, "chart.txt").waitFor({ state: "detached" });
  await page.locator("main :focus").waitFor();
  await go(page, "f", "Files");
  await row(page, "chart.txt").waitFor();
}

async function planned(page: Page) {
  await go(page, "c", "Calendar");
  await tabTo(page, button(page, "New event"));
  await press(page, "Enter");
  const drawer = page.getByRole("dialog", { name: "New event" });
  await focusOn(page, drawer.getByLabel("Title"));
  await page.keyboard.type("Muster");
  await press(page, "Enter");
  await said(page, "The event is in the calendar");
  await focusOn(page, button(page, "New event"));
  const muster = page.locator("[data-event]").filter({ hasText: "Muster" });
  await tabTo(page, muster);
  const day = await muster.locator("..").getAttribute("data-day");
  await press(page, "Alt+ArrowLeft");
  await said(page, /^Moved to/);
  await focusOn(page, muster);
  assert.notEqual(await muster.locator("..").getAttribute("data-day"), day);
  await press(page, "Enter");
  await page.getByRole("dialog", { name: "Muster" }).waitFor();
  await press(page, "Escape");
  await focusOn(page, muster);
}

async function messaged(page: Page) {
  await go(page, "m", "Messages");
  await tabTo(page, button(page, "New message"));
  await press(page, "Enter");
  const dialog = page.getByRole("dialog", { name: "New message" });
  await focusOn(page, dialog.getByRole("combobox", { name: "To" }));
  await page.keyboard.type("Ada");
  await page.getByRole("option", { name: /Ada Byron/ }).waitFor();
  await press(page, "Enter", "Tab");
  await tabTo(page, dialog.getByLabel("Message"));
  await page.keyboard.type("All hands");
  await tabTo(page, button(dialog, "Send"));
  await press(page, "Enter");
  await page.getByRole("log").getByText("All hands").waitFor();
  // Whoever has opened a conversation writes.
  await focusOn(page, page.getByRole("textbox", { name: "Write a message" }));
  await page.keyboard.type("At noon");
  await press(page, "Enter");
  await page.getByRole("log").getByText("At noon").waitFor();
  await focusOn(page, page.getByRole("textbox", { name: "Write a message" }));
}

/** A form that stays on the page keeps the focus at what has saved it, though nothing is left to be saved. */
async function profile(page: Page) {
  await command(page, "Profile");
  await focusOn(page, heading(page, "Profile"));
  await tabTo(page, page.getByRole("textbox", { name: "Department" }));
  await page.keyboard.type("Deck");
  await tabTo(page, button(page, "Save"));
  await press(page, "Enter");
  await page.locator("button[aria-disabled=true]").and(button(page, "Save")).waitFor();
  await focusOn(page, button(page, "Save"));
  assert.equal(await page.getByRole("textbox", { name: "Department" }).inputValue(), "Deck");
}

async function signedOut(page: Page) {
  await command(page, "Sign out");
  await heading(page, "Sign in").waitFor();
  await page.locator("[name=email]:focus").waitFor();
}

Deno.test("console: by keyboard alone", async (t) => {
  await using scene = await startScene({ RATE_LIMIT: "false", UPLOAD_TYPES: "*" });
  const { server: { origin }, browser, admin } = scene;
  const purser = { name: "purser", label: "Purser", permissions: ["documents:view"] };
  await ask(origin, admin, "POST", "/roles", purser);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const opened: Opened = { context, page, complaints: complaintsOf(page) };
  await t.step("signs in", () => signedIn(page, scene));
  await t.step("opens pages by the palette and by letters", () => pages(page));
  await t.step("adds a user", () => user(page));
  await t.step("gives a role a permission", () => role(page));
  await t.step("writes a document", () => written(page));
  await t.step("uploads a file", () => uploaded(page));
  await t.step("shares it", () => shared(page));
  await t.step("deletes it, and brings it back", () => restored(page));
  await t.step("makes an event, and moves it", () => planned(page));
  await t.step("sends a message", () => messaged(page));
  await t.step("saves their profile", () => profile(page));
  await t.step("signs out", () => signedOut(page));
  await leave([opened]);
});
