// The console's documents and its trash in a real browser: written, shared, changed by two at once and without a network,
// brought back.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import {
  accessibilityProblems,
  ask,
  endSessionAt,
  fieldReady,
  go,
  leave,
  noProblems,
  openAs,
  PASSWORD,
  person,
  row,
  said,
  type Scene,
  shows,
  signIn,
  signInAgain,
  startScene,
} from "./console.ts";

interface Made {
  readonly id: string;
}

const text = (page: Page) => page.getByRole("textbox", { name: "Content, in Markdown" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

async function document(
  { server, admin }: Scene,
  title: string,
  content = "",
): Promise<Made> {
  return await ask(server.origin, admin, "POST", "/documents", { title, content });
}

/** Waits for a text, such as one that another window has written. */
const stands = (page: Page, wanted: string) => shows(() => text(page).inputValue(), wanted);

const contentOf = async ({ server, admin }: Scene, id: string): Promise<string> =>
  (await ask(server.origin, admin, "GET", `/documents/${id}`)).content;

/** By keyboard alone, but for the file that is imported. */
async function written(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  await document(scene, "Tide table");
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/documents`, "Documents");
  await row(page, "Tide table").waitFor();
  await noProblems(page, "the list");

  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Import" }).click();
  const importing = page.getByRole("dialog", { name: "Import documents from CSV" });
  await importing.locator("input[type=file]").setInputFiles({
    name: "documents.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("title,tags\nMooring plan,harbour;plans\n"),
  });
  await importing.getByRole("button", { name: "Import 1 document" }).click();
  await row(page, "Mooring plan").getByText("plans").waitFor();

  await button(page, "New document").press("Enter");
  await fieldReady(page);
  await page.keyboard.type("Harbour rules");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Harbour rules" }).waitFor();
  await text(page).focus();
  await page.keyboard.type(
    "# Lights\n\n- [x] *Bow*\n\n<script>alert(1)</script>\n![map](https://example.com/m.png)",
  );
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByRole("heading", { name: "Lights" }).waitFor();
  await preview.getByRole("link", { name: "map" }).waitFor();
  assert.equal(await preview.getByRole("checkbox", { name: "Done" }).isChecked(), true);
  assert.equal(await preview.locator("script, img").count(), 0);
  await page.keyboard.press("Control+s");
  await saved(page);
  await noProblems(page, "the document");
  const id = page.url().split("/").at(-1)!.split("?")[0]!;
  assert.match(await contentOf(scene, id), /^# Lights/);

  await button(page, "More actions").press("Enter");
  await page.getByRole("menuitem", { name: "Details" }).press("Enter");
  const details = page.getByRole("dialog", { name: "Details of the document" });
  await details.getByLabel("Folder").fill("handbook//2026");
  await details.getByLabel("Tags").fill("safety");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await said(page, "The details are saved");
  await said(page, "/handbook/2026");

  await text(page).fill("# Lights\n\nOn at night.");
  await page.keyboard.press("Control+s");
  await saved(page);
  await button(page, "History").press("Enter");
  const history = page.getByRole("dialog", { name: "History" });
  await history.getByRole("region", { name: "Difference" }).getByText("On at night.").waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], "the history");
  await history.getByRole("button", { name: "Restore this version" }).press("Enter");
  await page.keyboard.press("Enter");
  await said(page, "The document is version 2 again");
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: "Preview" }).getByText("Bow").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Somebody whom a document is shared with sees it at once, and writes in it at the same time. */
async function shared(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const permissions = ["documents:view", "documents:update"];
  await ask(origin, admin, "POST", "/roles", { name: "mate", label: "Mate", permissions });
  const email = "mate@example.com";
  const mate = { name: "Mary Mate", email, password: PASSWORD, role: "mate" };
  await ask(origin, admin, "POST", "/users", mate);
  const { id } = await document(scene, "Watch list", "before\n");

  const theirs = await openAs(browser, await signIn(origin, email));
  await go(theirs.page, `${origin}/documents`, "Documents");
  await said(theirs.page, "No document yet");
  await said(theirs.page, "What is shared with you appears here");
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/documents/${id}?view=write`, "Watch list");
  await button(page, "Share").click();
  const dialog = page.getByRole("dialog", { name: /^Share/ });
  await fieldReady(page);
  await page.keyboard.type("Mary");
  await page.getByRole("option", { name: /Mary Mate/ }).click();
  await dialog.getByText("Can edit", { exact: true }).first().click();
  await dialog.getByRole("button", { name: "Share" }).click();
  await dialog.getByLabel("What Mary Mate may do").waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], "sharing");
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await row(theirs.page, "Watch list").click();
  await theirs.page.getByText("Write", { exact: true }).click();
  assert.equal(await button(theirs.page, "Share").count(), 0);

  // What was typed stays while others change something else, and is saved over it.
  await text(page).fill("mine\n");
  await ask(origin, admin, "PUT", `/documents/${id}`, { title: "Watches" });
  await page.getByRole("heading", { level: 1, name: "Watches" }).waitFor();
  await page.keyboard.press("Control+s");
  await saved(page);
  await stands(theirs.page, "mine\n");

  // Both write: whoever comes second decides.
  await text(page).fill("mine again\n");
  await text(theirs.page).fill("theirs\n");
  await button(theirs.page, "Save").click();
  await saved(theirs.page);
  await said(page, "Somebody else has changed the text meanwhile.");
  await button(page, "Save").click();
  const conflict = page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  await conflict.getByText("theirs", { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], "a conflict");
  await conflict.getByRole("button", { name: "Keep mine" }).click();
  await saved(page);
  assert.equal(await contentOf(scene, id), "mine again\n");

  // Without the share it is gone from their eyes.
  const { shares: [share] } = await ask(origin, admin, "GET", `/documents/${id}`);
  await ask(origin, admin, "DELETE", `/documents/${id}/share/${share.id}`);
  await theirs.page.getByText("This is not here").waitFor();
  assert.deepEqual(complaints.filter((one) => !one.includes("412")), []);
  assert.deepEqual(theirs.complaints.filter((one) => !one.includes("404")), []);
  await Promise.all([context.close(), theirs.context.close()]);
}

async function offline(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await document(scene, "Log book", "calm\n");
  const { page, context } = await openAs(browser, admin);
  await go(page, `${origin}/documents/${id}?view=write`, "Log book");
  await context.setOffline(true);
  await text(page).fill("storm\n");
  await page.keyboard.press("Control+s");
  await said(page, "what you wrote is kept here");
  await text(page).fill("storm, then calm\n");
  await context.setOffline(false);
  await saved(page);
  assert.equal(await contentOf(scene, id), "storm, then calm\n");

  // What was not saved is there again after the page was left.
  await text(page).fill("fog\n");
  await page.getByRole("link", { name: "Documents" }).first().click();
  await row(page, "Log book").waitFor();
  await page.goBack();
  await said(page, "did not save is back");
  await stands(page, "fog\n");
  await button(page, "Discard it").click();
  await stands(page, "storm, then calm\n");
  await saved(page);
  await context.close();
}

/** Deleted by somebody else, or shared for reading alone from now on, while it is written. */
async function takenAway(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const permissions = ["documents:view", "documents:update"];
  const role = { name: "writer", label: "Writer", permissions };
  await ask(origin, admin, "POST", "/roles", role);
  const { id: userId, email } = await person(scene, "Mary Anning", { role: "writer" });
  const { id } = await document(scene, "Tide table", "ebb\n");
  const share = (permission: string) =>
    ask(origin, admin, "POST", `/documents/${id}/share`, { userId, permission });
  await share("edit");
  const { page, context } = await openAs(browser, await signIn(origin, email));
  await go(page, `${origin}/documents/${id}?view=write`, "Tide table");
  await text(page).fill("ebb and flow\n");
  const left = page.locator(".card", { hasText: "What you have written and not saved" });
  await share("read");
  await left.getByText("ebb and flow").waitFor();
  await ask(origin, admin, "DELETE", `/documents/${id}?permanent=true`);
  await said(page, "This is not here");
  await left.getByText("ebb and flow").waitFor();
  await noProblems(page, "what is left of a document");
  await context.close();
}

/** Saved at once, before the text was kept in the tab for the first time. */
async function signedOut(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await document(scene, "Signals", "one\n");
  const { page, context } = await openAs(browser, admin);
  await go(page, `${origin}/documents/${id}?view=write`, "Signals");
  await endSessionAt(page, "PUT", `**/api/documents/${id}`);
  await text(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("two\n");
  await page.keyboard.press("Control+s");
  await signInAgain(page);
  await said(page, "did not save is back");
  await stands(page, "two\n");
  await context.close();
}

async function trashed(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const charts = ["Old chart one", "Old chart two", "Old chart three"];
  for (const title of charts) await document(scene, title);
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/documents?search=Old+chart&sort=title`, "Documents");
  await row(page, "Old chart one").waitFor();

  // Many at once: moved, tagged, deleted, and back again.
  await page.getByRole("checkbox", { name: "Select all rows" }).check();
  await button(page, "Move").click();
  await fieldReady(page);
  await page.keyboard.type("/charts");
  await page.keyboard.press("Enter");
  await said(page, "3 documents are moved");
  await row(page, "Old chart two").getByText("/charts").waitFor();
  await page.getByRole("checkbox", { name: "Select all rows" }).check();
  await button(page, "Delete").click();
  await said(page, "3 documents are in the trash");
  await said(page, "Nothing matches these filters");
  await button(page, "Undo").click();
  // One after the other.
  for (const title of charts) await row(page, title).waitFor();
  await page.getByRole("checkbox", { name: "Select all rows" }).check();
  await button(page, "Delete").click();
  await said(page, "Nothing matches these filters");

  // By keyboard alone: two come back.
  const { id } = await document(scene, "Torn chart");
  await ask(origin, admin, "DELETE", `/documents/${id}`);
  await go(page, `${origin}/trash?sort=name`, "Trash");
  await row(page, "Old chart one").getByText("/charts").waitFor();
  await noProblems(page, "the trash");
  await page.locator("[data-row]").first().focus();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await button(page, "Restore").press("Enter");
  await said(page, "2 entries are restored");
  await row(page, "Old chart one").waitFor({ state: "detached" });
  const { title } = (await ask(origin, admin, "GET", "/documents?title_like=Old chart one"))[0];
  assert.equal(title, "Old chart one");

  // One comes back, and is opened from there.
  await row(page, "Old chart two").getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await said(page, "“Old chart two” is back");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Old chart two" }).waitFor();
  await ask(origin, admin, "DELETE", new URL(page.url()).pathname);
  await go(page, `${origin}/trash?sort=name`, "Trash");

  // One ends for good by itself, once it is asked about.
  await row(page, "Torn chart").getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Delete for good" }).click();
  const sure = page.getByRole("alertdialog", { name: "Delete “Torn chart” for good?" });
  await sure.getByRole("button", { name: "Delete for good" }).click();
  await said(page, "Deleted for good");
  await row(page, "Torn chart").waitFor({ state: "detached" });
  assert.equal((await ask(origin, admin, "GET", "/trash")).length, 1);

  await button(page, "Empty the trash").click();
  const question = page.getByRole("alertdialog", { name: "Empty your trash?" });
  await question.getByRole("button", { name: "Empty the trash" }).click();
  await said(page, "1 entry is gone for good");
  await said(page, "The trash is empty");
  assert.deepEqual(await ask(origin, admin, "GET", "/trash"), []);
  assert.deepEqual(complaints, []);
  await context.close();
}

async function stoppedWhileManyGo({ server: { origin }, browser, admin }: Scene) {
  const operations = Array.from({ length: 51 }, (_, n) => (
    { method: "POST", path: "/api/documents", body: { title: `Heap ${n}` } }
  ));
  for (let n = 0; n < 2; n++) await ask(origin, admin, "POST", "/batch", { operations });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  let answer = () => {};
  const asked = new Promise<void>((resolve) => answer = resolve);
  await page.route("**/documents/batch-delete", async (route) => {
    await asked;
    await route.fallback();
  });
  await go(page, `${origin}/documents?search=Heap&limit=all`, "Documents");
  await page.getByText("of 102").waitFor();
  await page.getByRole("checkbox").first().check();
  await page.getByRole("region", { name: "102 selected" }).getByRole("button", { name: "Delete" })
    .click();
  const progress = page.getByRole("dialog", { name: "Working through them" });
  await progress.waitFor();
  await noProblems(page, "how far many are");
  await progress.getByRole("button", { name: "Close" }).click();
  await progress.locator("[aria-busy=true]").waitFor();
  answer();
  await said(page, "100 documents are in the trash");
  await progress.waitFor({ state: "detached" });
  await page.getByText("of 2", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await said(page, "100 documents are back");
  await leave([opened]);
}

Deno.test("the console's documents in a browser", async (test) => {
  await using scene = await startScene({ RATE_LIMIT: "false" });
  await test.step("one is written, described, and restored from its history, by keyboard", () =>
    written(scene));
  await test.step("one is shared, and written by two at once", () => shared(scene));
  await test.step("nothing that was typed is lost with the network or the page", () =>
    offline(scene));
  await test.step("nothing that was typed is lost with the session", () => signedOut(scene));
  await test.step("nothing that was typed is lost with the document", () => takenAway(scene));
  await test.step("many are deleted, restored from the trash, and ended", () => trashed(scene));
  await test.step("while many are deleted it shows how far it is, and can be stopped", () =>
    stoppedWhileManyGo(scene));
});
