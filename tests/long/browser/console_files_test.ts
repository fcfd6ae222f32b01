// The console's files in a real browser: uploaded and cancelled, kept in folders, shared, restored, looked at.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import {
  accessibilityProblems,
  ask,
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
  type SignedIn,
  signIn,
  startScene,
} from "./console.ts";

const panel = (page: Page) => page.getByRole("region", { name: "Uploads" });

const textFile = (name: string, text: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(text),
});

/** Chooses files by the page's button. */
async function choose(page: Page, files: Parameters<Page["setInputFiles"]>[1], name = "Upload") {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name, exact: true }).click(),
  ]);
  await chooser.setFiles(files as never);
}

async function upload(
  { server: { origin }, admin }: Scene,
  name: string,
  text: string,
  owner: SignedIn = admin,
) {
  const form = new FormData();
  form.append("file", new File([text], name, { type: "text/plain" }));
  const response = await fetch(`${origin}/api/files/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner.accessToken}` },
    body: form,
  });
  return (await response.json()).data as { id: string };
}

async function uploading({ server: { origin }, browser, admin }: Scene) {
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/files`, "Files");
  await said(page, "No files here");

  await choose(page, [textFile("tides.txt", "high"), textFile("winds.txt", "west")]);
  await panel(page).getByText("2 of 2 done").waitFor();
  await row(page, "tides.txt").waitFor();
  await row(page, "winds.txt").waitFor();

  // The same name again: a version of the one, both of the other.
  await choose(page, [textFile("tides.txt", "low"), textFile("winds.txt", "north")]);
  const about = (name: string) => panel(page).getByRole("group", { name, exact: true });
  await about("tides.txt").getByRole("button", { name: "New version" }).click();
  await about("winds.txt").getByRole("button", { name: "Keep both" }).click();
  await panel(page).getByText("4 of 4 done").waitFor();
  await row(page, "winds (2).txt").waitFor();
  await noProblems(page, "uploads");
  await panel(page).getByRole("button", { name: "Close" }).click();

  // A slow line: it shows how far it is, is cancelled, and arrives when it is tried again.
  const debug = await context.newCDPSession(page);
  const line = (bytes: number) =>
    debug.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytes,
    });
  await debug.send("Network.enable");
  await line(30_000);
  await choose(page, [textFile("chart.txt", "chart ".repeat(400_000))]);
  const bar = panel(page).getByRole("progressbar", { name: "chart.txt" });
  await bar.waitFor();
  const part = async () => Number(await bar.getAttribute("aria-valuenow"));
  while (await part() < 2) await delay(20);
  assert.ok(await part() < 90);
  await panel(page).getByRole("button", { name: "Cancel chart.txt" }).click();
  await panel(page).getByText("Cancelled").waitFor();
  assert.equal(await row(page, "chart.txt").count(), 0);
  await line(-1);
  await panel(page).getByRole("button", { name: "Try chart.txt again" }).click();
  await row(page, "chart.txt").waitFor();

  // Dropped on the page.
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "drop.txt", { type: "text/plain" }));
    return transfer;
  })()`);
  const room = page.locator(".file-room");
  await room.dispatchEvent("dragenter", { dataTransfer: dropped });
  await said(page, "Drop to upload to My files");
  await room.dispatchEvent("drop", { dataTransfer: dropped });
  await row(page, "drop.txt").waitFor();
  assert.deepEqual(complaints, []);

  // Without a network it waits, and goes on by itself.
  await context.setOffline(true);
  await choose(page, [textFile("later.txt", "later")]);
  await panel(page).getByText("No connection. It starts again by itself.").waitFor();
  await context.setOffline(false);
  await row(page, "later.txt").waitFor();
  await context.close();
}

async function wholeFolders({ server: { origin }, browser, admin }: Scene) {
  const directory = await Deno.makeTempDir();
  await Deno.mkdir(`${directory}/Harbour/2026`, { recursive: true });
  await Deno.writeTextFile(`${directory}/Harbour/plan.txt`, "plan");
  await Deno.writeTextFile(`${directory}/Harbour/2026/may.txt`, "may");
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/files?folder=root`, "Files");
  await row(page, "drop.txt").waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    (async () => {
      await page.getByRole("button", { name: "More actions" }).last().click();
      await page.getByRole("menuitem", { name: "Upload a folder" }).click();
    })(),
  ]);
  await chooser.setFiles(`${directory}/Harbour`);
  await panel(page).getByText("2 of 2 done").waitFor();
  await panel(page).getByText("Harbour/2026/may.txt").waitFor();
  const paths = async () => {
    const files = await ask(origin, admin, "GET", "/files?search=may.txt");
    return (files as { path: string }[]).map(({ path }) => path);
  };
  assert.deepEqual(await paths(), ["/Harbour/2026/may.txt"]);
  await panel(page).getByRole("button", { name: "Close" }).click();

  // The same folder dropped, with a file more: one decision for those that are there.
  await Deno.writeTextFile(`${directory}/Harbour/june.txt`, "june");
  const debug = await context.newCDPSession(page);
  const { x, y, width } = (await page.locator(".file-room").boundingBox())!;
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await debug.send("Input.dispatchDragEvent", {
      type,
      x: x + width / 2,
      y: y + 20,
      data: { items: [], files: [`${directory}/Harbour`], dragOperationsMask: 1 },
    });
  }
  const forAll = panel(page).getByRole("group", { name: "2 files are already here" });
  await forAll.waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], "one decision for all");
  await forAll.getByRole("button", { name: "Skip" }).click();
  await panel(page).getByText("1 of 3 done").waitFor();
  await page.getByRole("link", { name: /Harbour/ }).last().click();
  await row(page, "june.txt").waitFor();
  assert.deepEqual(await paths(), ["/Harbour/2026/may.txt"]);
  assert.deepEqual(complaints, []);
  await context.close();
  await Deno.remove(directory, { recursive: true });
}

async function folders(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/files?folder=root`, "Files");
  await page.getByRole("button", { name: "New folder" }).last().click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Charts");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: /Charts/ }).first().waitFor();

  // By keyboard alone: two files are chosen and moved.
  await row(page, "winds.txt").focus();
  await page.keyboard.press("x");
  await row(page, "winds (2).txt").focus();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Move" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Move 2 files" });
  await dialog.getByLabel("Into the folder").selectOption({ label: "/Charts" });
  await dialog.getByRole("button", { name: "Move" }).press("Enter");
  await said(page, "2 files are moved");
  await row(page, "winds.txt").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /Charts/ }).last().click();
  await row(page, "winds.txt").waitFor();
  await page.getByRole("navigation", { name: "Folder" }).getByText("Charts").waitFor();
  await noProblems(page, "a folder");

  // Its menu: renamed; deleted with all in it, and back.
  const charts = page.getByRole("button", { name: "Actions for the folder Charts" });
  await charts.press("Enter");
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/folder=root/);
  await shows(() => charts.count(), 0);
  assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: /Charts/ }).last().click();
  await row(page, "winds.txt").waitFor();

  // As pictures.
  await page.getByRole("button", { name: "Grid" }).click();
  await page.getByRole("link", { name: /winds \(2\)/ }).waitFor();
  await noProblems(page, "the grid");
  assert.deepEqual(complaints, []);
  await context.close();
}

async function one(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await upload(scene, "log.txt", "first watch");
  const body = { name: "Ada Byron", email: "ada@example.com", password: PASSWORD };
  await ask(origin, admin, "POST", "/users", body);
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/files/${id}`, "log.txt");
  await page.getByRole("region", { name: "Content of log.txt" }).getByText("first watch").waitFor();
  await noProblems(page, "one file");

  // A version, and back.
  await choose(page, [textFile("log.txt", "second watch")], "Upload a new version");
  await said(page, "second watch");
  await page.getByRole("button", { name: "Make version 1 the current one" }).click();
  await said(page, "first watch");
  await said(page, "Version 3");

  // Shared with somebody, who sees it.
  await page.getByRole("button", { name: "Share" }).click();
  const share = page.getByRole("dialog", { name: "Share" });
  await share.getByRole("combobox", { name: "People" }).fill("ada");
  await page.getByRole("option", { name: /Ada Byron/ }).click();
  await share.getByRole("button", { name: "Share" }).click();
  await said(page, "Shared with Ada Byron");
  // With nobody twice; and who may do less or more is changed where they are listed.
  await share.getByLabel("What Ada Byron may do").waitFor();
  await share.getByRole("combobox", { name: "People" }).fill("ada");
  await share.getByText("Nothing matches").waitFor();
  await share.getByLabel("What Ada Byron may do").selectOption("edit");
  await said(page, "Ada Byron: can edit");
  await share.getByRole("button", { name: "Stop sharing with Ada Byron" }).click();
  await said(page, "No longer shared with Ada Byron");
  await share.getByText("Nobody else sees it yet.").waitFor();
  await share.getByRole("combobox", { name: "People" }).fill("ada");
  await page.getByRole("option", { name: /Ada Byron/ }).click();
  await share.getByRole("button", { name: "Share" }).click();
  await share.getByLabel("What Ada Byron may do").waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], "sharing");
  await share.getByRole("button", { name: "Close" }).last().click();
  const ada = await openAs(browser, await signIn(origin, "ada@example.com"));
  await go(ada.page, `${origin}/files?folder=shared`, "Files");
  await row(ada.page, "log.txt").click();
  await ada.page.getByText("first watch").waitFor();
  assert.equal(await ada.page.getByText("Shared with", { exact: true }).count(), 0);

  // While she looks at it, it gets another name, against which a third was faster.
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  const rename = page.getByRole("dialog", { name: "Rename log.txt" });
  await rename.getByRole("textbox", { name: "Name" }).fill("watch.txt");
  await ask(origin, admin, "PUT", `/files/${id}`, { name: "journal.txt" });
  await rename.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await page.getByRole("heading", { level: 1, name: "watch.txt" }).waitFor();
  await ada.page.getByRole("heading", { level: 1, name: "watch.txt" }).waitFor();
  assert.deepEqual(ada.complaints, []);
  await ada.context.close();

  // A link opens it without signing in.
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Get a link" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const url = await page.getByRole("dialog").getByLabel("Link", { exact: true }).inputValue();
  assert.equal(await (await fetch(url)).text(), "first watch");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

  // Deleted, and back.
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await said(page, "Restored");
  assert.equal((await ask(origin, admin, "GET", `/files/${id}`)).name, "watch.txt");
  // The rename was refused once, as it should be.
  // The page of a deleted file may ask for it once more before it is left.
  assert.deepEqual(complaints.filter((text) => !/412|404/.test(text)), []);
  await context.close();
}

async function ofOthers(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  await person(scene, "Bess Rowe", { role: "admin" });
  const bess = await signIn(origin, "bess.rowe@example.com");
  await ask(origin, bess, "POST", "/folders", { name: "Logs" });
  for (const name of ["calm-1.txt", "calm-2.txt"]) await upload(scene, name, "calm", bess);
  await upload(scene, "calm-3.txt", "calm");
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/files?search=calm`, "Files");
  await row(page, "calm-1.txt").focus();
  await page.keyboard.press("x");
  await row(page, "calm-2.txt").focus();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Move" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Move 2 files" });
  await dialog.getByLabel("Into the folder").selectOption({ label: "/Logs" });
  await dialog.getByRole("button", { name: "Move" }).press("Enter");
  await said(page, "2 files are moved");
  const found = await ask(origin, admin, "GET", "/files?search=calm&sort=name");
  const paths = (found as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(paths, ["/Logs/calm-1.txt", "/Logs/calm-2.txt", "/calm-3.txt"]);

  // Of several owners: said, and no folder is offered.
  await row(page, "calm-2.txt").focus();
  await page.keyboard.press("x");
  await row(page, "calm-3.txt").focus();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Move" }).press("Enter");
  await dialog.getByText("They belong to several people").waitFor();
  assert.equal(await dialog.getByLabel("Into the folder").locator("option").count(), 1);
  assert.deepEqual(await accessibilityProblems(page), [], "moving files of several people");
  assert.deepEqual(complaints, []);
  await context.close();
}

async function hundreds(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await upload(scene, "heap.txt", "one of many");
  const operations = Array.from({ length: 100 }, (_, n) => (
    { method: "POST", path: `/api/files/${id}/copy`, body: { name: `heap ${n}.txt` } }
  ));
  await ask(origin, admin, "POST", "/batch", { operations });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/files?search=heap&limit=all`, "Files");
  await page.getByText("of 101").waitFor();
  await page.getByRole("checkbox", { name: "Select all rows" }).check();
  await page.getByRole("region", { name: "101 selected" }).getByRole("button", { name: "Delete" })
    .click();
  await said(page, "101 files are in the trash");
  let asked = 0;
  page.on("request", (request) => request.method() === "POST" && asked++);
  await page.getByRole("button", { name: "Undo" }).click();
  await said(page, "Restored");
  assert.equal(asked, 2, "a hundred in a request");
  await page.getByText("of 101").waitFor();
  await leave([opened]);
}

async function narrow({ server: { origin }, browser, admin }: Scene) {
  const { page, context, complaints } = await openAs(browser, admin, { width: 320, height: 700 });
  await go(page, `${origin}/files?folder=root`, "Files");
  await row(page, "drop.txt").waitFor();
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(wide <= 320, `it is ${wide} pixels wide`);
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Names as long as they may be, without a place to break them at. */
async function longNames({ server: { origin }, browser, admin }: Scene) {
  const name = "Harbour".repeat(28);
  const { id } = await ask(origin, admin, "POST", "/folders", { name });
  const inner = await ask(origin, admin, "POST", "/folders", { name: `${name}s`, parentId: id });
  const role = await ask(origin, admin, "POST", "/roles", { name: "a".repeat(50) });
  for (const width of [1280, 390]) {
    const opened = await openAs(browser, admin, { width, height: 800 });
    const { page } = opened;
    const excess = (selector: string) =>
      page.locator(selector).first().evaluate((
        element: { scrollWidth: number; clientWidth: number },
      ) => element.scrollWidth - element.clientWidth);
    await go(page, `${origin}/files?folder=${inner.id}`, "Files");
    await page.locator(".file-trail").getByText(`${name}s`).waitFor();
    assert.equal(await excess("html"), 0, `the folders at ${width} pixels`);
    assert.equal(await excess(".file-side"), 0, `the tree of folders at ${width} pixels`);
    await go(page, `${origin}/roles/${role.id}`, role.label);
    assert.equal(await excess("html"), 0, `a role at ${width} pixels`);
    await leave([opened]);
  }
}

Deno.test("console: files", async (t) => {
  await using scene = await startScene({
    UPLOAD_TYPES: "*",
  });
  await t.step("uploaded, asked about, cancelled, dropped", () => uploading(scene));
  await t.step("whole folders, chosen and dropped", () => wholeFolders(scene));
  await t.step("in folders, chosen by keyboard, deleted and back", () => folders(scene));
  await t.step("one: versions, sharing, a conflict, a link", () => one(scene));
  await t.step("many of others, into their folders", () => ofOthers(scene));
  await t.step("on a phone", () => narrow(scene));
  await t.step("with long names", () => longNames(scene));
  await t.step("more than a request takes are deleted, and back", () => hundreds(scene));
});
