// The rooms of administration in a real browser: webhooks, audit log, backups, settings, server, requests, snippets.
import assert from "node:assert/strict";
import { openReceiver } from "../../webhook_receiver.ts";
import {
  ask,
  fieldReady,
  go,
  noProblems,
  openAs,
  PASSWORD,
  person,
  row,
  said,
  type Scene,
  signIn,
  startScene,
} from "./console.ts";

/** By keyboard alone, from the palette to the secret. */
async function webhooks({ server: { origin }, browser, admin }: Scene) {
  await using receiver = openReceiver();
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/audit`, "Audit log");
  await page.keyboard.press("Control+k");
  await fieldReady(page);
  await page.keyboard.type("webhook");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await page.getByRole("button", { name: "New webhook" }).first().press("Enter");
  const form = page.getByRole("dialog", { name: "New webhook" });
  await form.waitFor();
  await fieldReady(page);
  await page.keyboard.type("nowhere");
  await page.keyboard.press("Enter");
  await form.locator("[aria-invalid=true]").first().waitFor();
  await noProblems(page, "the form of a webhook, with an address that is none");
  await form.getByLabel("Address").fill(receiver.url);
  await form.getByRole("button", { name: "Save" }).press("Enter");
  // The group takes no focus: its first box does, and what is wrong stands above that.
  await form.locator("fieldset[aria-invalid=true] input:focus").waitFor();
  await noProblems(page, "the form of a webhook without events");
  await form.getByRole("checkbox", { name: "documents", exact: true }).press("Space");
  await form.getByLabel("Address").press("Enter");
  const secret = page.getByRole("dialog", { name: "The secret of this webhook" });
  await secret.getByText(/^whsec_/).waitFor();
  await noProblems(page, "the secret of a webhook");
  await secret.getByRole("button", { name: "Done" }).press("Enter");

  await row(page, new URL(receiver.url).host).click();
  await page.getByRole("heading", { level: 1, name: new URL(receiver.url).host }).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await receiver.arrived(1);
  await row(page, "Delivered").first().waitFor();
  await row(page, "Delivered").first().click();
  const delivery = page.getByRole("dialog");
  // Not what may be part of an id or of a time.
  await delivery.getByText("204", { exact: true }).waitFor();
  await noProblems(page, "a delivery");
  await delivery.getByRole("button", { name: "Send again" }).click();
  await receiver.arrived(2);
  await page.keyboard.press("Escape");
  assert.equal(receiver.received[0]!.id, receiver.received[1]!.id);

  await page.getByRole("button", { name: "Edit" }).click();
  const edited = page.getByRole("dialog", { name: "Edit the webhook" });
  await edited.getByLabel("Description").fill("For the books");
  await noProblems(page, "a webhook that is edited");
  await edited.getByRole("button", { name: "Save" }).click();
  await said(page, "Saved");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Send again…" }).click();
  await page.getByRole("dialog", { name: "Send deliveries again" }).waitFor();
  await noProblems(page, "sending again what was delivered");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").waitFor();
  await noProblems(page, "the question before a webhook is deleted");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await said(page, "The webhook is deleted");
  // The address that was none is refused with 400.
  assert.deepEqual(complaints.filter((one) => !one.includes("400")), []);
  await context.close();
}

async function audit({ server: { origin }, browser, admin }: Scene) {
  const { id } = await ask(origin, admin, "POST", "/documents", { title: "Minutes" });
  await ask(origin, admin, "PUT", `/documents/${id}`, { title: "Minutes of the audit" });
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/audit?target=documents&action=update`, "Audit log");
  await row(page, "Minutes of the audit").click();
  const entry = page.getByRole("dialog", { name: "Minutes of the audit" });
  await entry.getByText("title", { exact: true }).waitFor();
  await noProblems(page, "an entry of the audit log");
  await page.setViewportSize({ width: 320, height: 640 });
  const beyond = await entry.locator(".facts dd").evaluateAll((
    all: readonly { scrollWidth: number; clientWidth: number; textContent: string }[],
  ) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
  assert.deepEqual(beyond, [], "facts that are wider than the drawer");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press("Escape");
  // What the server did by itself came from no address.
  await go(page, `${origin}/audit?target=permissions`, "Audit log");
  const granted = row(page, "permission backups:delete");
  await granted.getByText("Server", { exact: true }).waitFor();
  await granted.getByText("No address").waitFor();
  await noProblems(page, "the audit log of the server");
  await go(page, `${origin}/audit?target=documents&action=update`, "Audit log");
  await page.getByRole("button", { name: "Chain" }).click();
  await page.getByRole("dialog", { name: "Chain" }).getByText("Public key").waitFor();
  await noProblems(page, "the chain");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More actions" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export as CSV" }).click(),
  ]);
  assert.match(await Deno.readTextFile(await file.path()), /Minutes of the audit/);
  assert.deepEqual(complaints, []);
  await context.close();
}

async function system({ server: { origin }, browser, admin }: Scene) {
  const { page, context, complaints } = await openAs(browser, admin);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await go(page, `${origin}/settings`, "Settings");
    await row(page, "JWT_SECRET").first().waitFor();
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll(".setting")]
      .filter((one) => {
        const row = one.closest("tr").getBoundingClientRect();
        const { top, bottom } = one.getBoundingClientRect();
        return top < row.top - 1 || bottom > row.bottom + 1;
      }).map((one) => one.textContent)`);
    assert.deepEqual(cut, [], `rows cut off at ${width} pixels`);
  }
  await page.getByRole("searchbox").or(page.getByLabel("Search settings")).first().fill(
    "JWT_SECRET",
  );
  await said(page, /kept secret|Not set/);
  assert.ok(!(await page.content()).includes("secret of the tests"));
  await page.getByRole("searchbox").or(page.getByLabel("Search settings")).first().fill(
    "ADMIN_PASSWORD",
  );
  await row(page, "ADMIN_PASSWORD").waitFor();
  assert.ok(!(await page.content()).includes(PASSWORD));

  await go(page, `${origin}/server`, "Server");
  await said(page, "Records in memory");
  await page.locator("canvas").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
}

async function requests({ server: { origin }, browser, admin }: Scene) {
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/requests`, "Requests");
  await row(page, "/api/system/requests").first().waitFor();
  const asked = () => ask(origin, admin, "GET", "/dashboard/tasks");
  await asked();
  await row(page, "/api/dashboard/tasks").first().waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  const before = await row(page, "/api/dashboard/tasks").count();
  await asked();
  await said(page, /came meanwhile/);
  assert.equal(await row(page, "/api/dashboard/tasks").count(), before);
  await page.getByLabel("Status").selectOption("5");
  await said(page, "Nothing matches these filters");
  await page.getByRole("button", { name: "Clear all" }).click();
  await row(page, "/api/dashboard/tasks").first().waitFor();
  await page.getByRole("button", { name: "Follow" }).click();
  await row(page, "/api/dashboard/tasks").nth(before).waitFor();
  await row(page, "/api/dashboard/tasks").first().click();
  const request = page.getByRole("dialog");
  const audited = request.getByRole("button", { name: "What this user did" });
  await audited.waitFor();
  await noProblems(page, "a request");
  await audited.click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  assert.match(page.url(), new RegExp(`actorId=${admin.user.id}`));
  await go(page, `${origin}/requests`, "Requests");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await said(page, "Follow to see those that come.");
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Who may look alone is not told to make what they may not. */
async function readOnly(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const permissions = ["backups:view", "webhooks:view"];
  const more = ["webhooks:create", "webhooks:delete"];
  const role = { name: "onlookers", label: "Onlookers", permissions: [...permissions, ...more] };
  const { id: roleId } = await ask(origin, admin, "POST", "/roles", role);
  const { email } = await person(scene, "Lou Looker", { role: role.name });
  const looker = await signIn(origin, email);
  const hook = { url: "http://127.0.0.1:9/", events: ["tasks.created"] };
  const { id: hookId } = await ask(origin, looker, "POST", "/webhooks", hook);
  const { page, context, complaints } = await openAs(browser, looker);
  await go(page, `${origin}/backups`, "Backups");
  await said(page, "They show here once they are made.");
  // Who may delete one, and not change it, finds that on its page.
  await go(page, `${origin}/webhooks/${hookId}`, "127.0.0.1:9");
  await page.getByRole("main").getByRole("button", { name: "More actions" }).click();
  assert.deepEqual(await page.getByRole("menuitem").allInnerTexts(), ["Delete"]);
  await page.keyboard.press("Escape");
  await ask(origin, admin, "PUT", `/roles/${roleId}/permissions`, { permissions });
  await page.getByRole("button", { name: "More actions" }).waitFor({ state: "detached" });
  await said(page, "Nothing was told yet");
  assert.equal(await page.getByText("Send a test").count(), 0);
  await go(page, `${origin}/webhooks`, "Webhooks");
  await row(page, "127.0.0.1:9").waitFor();
  await ask(origin, admin, "PUT", `/roles/${roleId}/permissions`, {
    permissions: [...permissions, ...more],
  });
  await ask(origin, looker, "DELETE", `/webhooks/${hookId}`);
  await ask(origin, admin, "PUT", `/roles/${roleId}/permissions`, { permissions });
  await said(page, "No webhook yet");
  await page.getByRole("button", { name: "New webhook" }).waitFor({ state: "detached" });
  assert.equal(await page.getByText("Tell another program").count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
}

async function backups({ server: { origin }, browser, admin }: Scene) {
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/backups`, "Backups");
  await page.getByRole("button", { name: "Back up now" }).click();
  await row(page, "Ready").waitFor();
  await noProblems(page, "the backups");
  const search = page.getByLabel("Search by moment (UTC) or store");
  await search.fill("nothing of it");
  await said(page, "Nothing matches these filters");
  await search.fill(new Date().getUTCFullYear().toString());
  await row(page, "Ready").waitFor();
  await search.fill("");
  await row(page, "Ready").getByRole("button").click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Download" }).click(),
  ]);
  assert.match(file.suggestedFilename(), /\.qdbackup$/);
  // At once: what was chosen has closed the menu, not this press.
  await row(page, "Ready").getByRole("button", { expanded: false }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").waitFor();
  await noProblems(page, "the question before a backup is deleted");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await said(page, "The backup is deleted");
  await said(page, "No backup yet");
  assert.deepEqual(complaints, []);
  await context.close();
}

async function snippets({ server: { origin }, browser, admin }: Scene) {
  const { page, context, complaints } = await openAs(browser, admin);
  await go(page, `${origin}/snippets`, "Snippets");
  await page.getByRole("button", { name: "New snippet" }).first().click();
  const form = page.getByRole("dialog", { name: "New snippet" });
  // It is as high as its lines from the start, not from the first key on.
  const heightOf = async () => (await form.getByLabel("Content").boundingBox())!.height;
  const empty = await heightOf();
  await form.getByLabel("Content").fill("#");
  assert.equal(await heightOf(), empty);
  await form.getByLabel("Content").fill("# Hello from the deck");
  await noProblems(page, "the form of a snippet");
  await form.getByRole("button", { name: "Share" }).click();
  await said(page, "The snippet is ready");
  const [opened] = await Promise.all([
    context.waitForEvent("page"),
    row(page, "/s/").first().getByText("/s/").click(),
  ]);
  await opened.waitForLoadState();
  assert.match(opened.url(), /\/s\//);
  await opened.close();
  await row(page, "/s/").first().getByRole("link", { name: "Administrator" }).click();
  await page.getByRole("heading", { level: 1, name: "Administrator" }).waitFor();
  await page.goBack();
  await row(page, "/s/").getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await said(page, "No snippet yet");
  assert.deepEqual(complaints, []);
  await context.close();
}

Deno.test("console: administration", async (t) => {
  await using scene = await startScene({
    WEBHOOK_ALLOW_PRIVATE: "true",
  });
  await t.step("a webhook by keyboard: made, tested, sent again, deleted", () => webhooks(scene));
  await t.step("the audit log: filtered, looked into, exported, proven", () => audit(scene));
  await t.step("settings without secrets, and the server's state", () => system(scene));
  await t.step("requests as they come, paused and followed", () => requests(scene));
  await t.step("nobody is told to make what they may not", () => readOnly(scene));
  await t.step("a backup: made, downloaded, deleted", () => backups(scene));
  await t.step("a snippet: shared, opened, deleted", () => snippets(scene));
});
