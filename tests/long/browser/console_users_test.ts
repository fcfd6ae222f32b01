// The console's users in a real browser: found, added, changed by many and one by one, imported, removed.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  ADMIN,
  ask,
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
  signIn,
  startScene,
} from "./console.ts";

async function list(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  for (const name of ["Ada Byron", "Grace Murray", "Alan Mathison"]) {
    await person(scene, name, { department: "Research" });
  }
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await row(page, "Ada Byron").waitFor();
  await noProblems(page, "the list");

  // Roles and times of every user are shown whole.
  const cut = await page.evaluate<string[]>(`(() => {
    const row = [...document.querySelectorAll("[data-row]")]
      .find(({ textContent }) => textContent.includes("${ADMIN}"));
    for (const time of row.querySelectorAll("time")) time.textContent = "59 seconds ago";
    return [...row.querySelectorAll("time, .cut")].filter((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = text.closest(".cell-inside") ?? text;
      return range.getBoundingClientRect().width > box.getBoundingClientRect().width;
    }).map(({ textContent }) => textContent);
  })()`);
  assert.deepEqual(cut, []);

  // Search, sort and filter stand in the address.
  await page.keyboard.press("/");
  await fieldReady(page);
  await page.keyboard.type("grace");
  await row(page, "Ada Byron").waitFor({ state: "detached" });
  assert.match(page.url(), /search=grace/);
  await page.goto(`${origin}/users?department=Research&sort=name`);
  await row(page, "Grace Murray").waitFor();
  const shown = await page.locator("[data-row]").allInnerTexts();
  const names = shown.map((text) => /Ada|Alan|Grace/.exec(text)?.[0]);
  assert.deepEqual(names, ["Ada", "Alan", "Grace"]);

  // By keyboard alone: down, select two, suspend them both.
  await page.locator("[data-row]").first().focus();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await said(page, "2 selected");
  await page.getByRole("button", { name: "Set status" }).press("Enter");
  await page.getByRole("dialog", { name: "Set the status of 2 users" }).waitFor();
  await noProblems(page, "the status of many");
  await page.keyboard.press("s");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await said(page, "2 users are changed");
  await row(page, "Ada Byron").getByText("Suspended").waitFor();

  // What the server refuses is told by name; the rest is done.
  await page.goto(`${origin}/users?sort=name`);
  await row(page, ADMIN).getByRole("checkbox").check();
  await row(page, "Alan Mathison").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const question = page.getByRole("alertdialog", { name: "Delete 2 users?" });
  await question.getByRole("button", { name: "Delete" }).click();
  await said(page, "1 user was left as it is");
  await said(page, "You cannot delete yourself");
  await noProblems(page, "what was refused");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await row(page, "Alan Mathison").waitFor({ state: "detached" });

  // What is exported is what the filters match.
  await page.goto(`${origin}/users?department=Research`);
  await row(page, "Grace Murray").waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export as CSV" }).click(),
  ]);
  const csv = await Deno.readTextFile(await file.path());
  assert.equal(csv.trim().split("\r\n").length, 3, csv);
  await leave([opened]);
}

async function add({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await page.getByRole("button", { name: "Add user" }).click();
  const drawer = page.getByRole("dialog", { name: "Add a user" });
  await page.keyboard.type("Katherine Coleman");
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADMIN);
  await noProblems(page, "the drawer");
  await page.keyboard.press("Enter");
  // The server's word stands at the field, which has the focus.
  const email = drawer.getByLabel("E-mail");
  await drawer.locator("[aria-invalid=true]").waitFor();
  assert.equal(await email.getAttribute("aria-invalid"), "true");
  await drawer.getByText(/taken|in use/i).waitFor();
  await email.fill("katherine@example.com");
  await drawer.getByText("Set a password").click();
  await drawer.locator("input[type=password]").fill(PASSWORD);
  await drawer.getByRole("button", { name: "Add user" }).click();
  await said(page, "Katherine Coleman is added");
  await row(page, "Katherine Coleman").waitFor();
  await signIn(origin, "katherine@example.com");
  // The only request that failed is the one that was to fail.
  await leave([opened], /40[09]/);
}

async function detail(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id, email } = await person(scene, "Edith Clarke", { position: "Engineer" });
  await signIn(origin, email);
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users/${id}`, "Edith Clarke");
  await page.getByRole("button", { name: /^End the session of/ }).waitFor();
  await noProblems(page, "the page of a user");

  // Somebody else is faster.
  await page.getByRole("button", { name: "Edit" }).click();
  const drawer = page.getByRole("dialog", { name: "Edit Edith Clarke" });
  await drawer.getByLabel("Position").fill("Professor");
  await ask(origin, admin, "PUT", `/users/${id}`, { position: "Inventor", phone: "42" });
  await drawer.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  await conflict.getByRole("cell", { name: "Inventor" }).waitFor();
  await conflict.getByRole("cell", { name: "Professor" }).waitFor();
  await noProblems(page, "the conflict");
  await conflict.getByRole("button", { name: "Keep mine" }).click();
  await said(page, "Saved");
  const kept = await ask(origin, admin, "GET", `/users/${id}`);
  assert.equal(kept.position, "Professor");
  await page.getByText("Professor").waitFor();

  // Their sessions end.
  await page.getByRole("button", { name: /^End the session of/ }).click();
  await said(page, "Not signed in anywhere");

  // What others do shows by itself.
  await ask(origin, admin, "PUT", `/users/${id}`, { department: "Transmission" });
  await page.getByText("Transmission").waitFor();

  // Deleted once the address is typed; the list has it no more.
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const last = page.getByRole("alertdialog", { name: "Delete Edith Clarke?" });
  await noProblems(page, "the last question");
  await last.getByRole("button", { name: "Delete user" }).click();
  await last.getByText("This is another address").waitFor();
  await last.locator('input:not([type="radio"]):focus').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${origin}/users`);
  await said(page, "Edith Clarke is deleted");
  await row(page, "Katherine Coleman").waitFor();
  assert.equal(await row(page, "Edith Clarke").count(), 0);
  await leave([opened], /412/);
}

async function importing({ server: { origin }, browser, admin }: Scene) {
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import users from CSV" });
  const choose = (text: string) =>
    dialog.locator("input[type=file]").setInputFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(text),
    });
  await choose("name,email,shoe\nMary,mary@example.com,39\nX,not an address,40\n");
  await dialog.getByRole("cell", { name: "email" }).waitFor();
  await dialog.getByText("Columns that are not imported: shoe").waitFor();
  assert.equal(
    await dialog.getByRole("button", { name: "Import", exact: true }).isDisabled(),
    true,
  );
  await noProblems(page, "the import");
  await choose("name,email\nMary Winston,mary@example.com\nDorothy Vaughan,dorothy@example.com\n");
  await dialog.getByText("Everything fits").waitFor();
  await dialog.getByRole("button", { name: "Import 2 users" }).click();
  await said(page, "Imported: 2 new, 0 changed");
  await row(page, "Dorothy Vaughan").waitFor();
  await leave([opened]);
}

async function impersonating(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { id } = await person(scene, "Jean Jennings");
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users/${id}`, "Jean Jennings");
  await page.getByRole("button", { name: "More actions" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export their data" }).click(),
  ]);
  const data = JSON.parse(await Deno.readTextFile(await file.path()));
  assert.match(JSON.stringify(data), /jean\.jennings@example\.com/);

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Act as this user" }).click();
  await page.getByRole("button", { name: "Act as them" }).waitFor();
  await noProblems(page, "the question before one acts as somebody");
  await page.getByRole("button", { name: "Act as them" }).click();
  await page.getByRole("region", { name: "You act as Jean Jennings." }).waitFor();
  // The banner is there before the page is.
  await page.getByRole("heading", { level: 1 }).waitFor();
  await noProblems(page, "acting as somebody");
  const users = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Users" });
  await users.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Be yourself again" }).click();
  await users.waitFor();
  await leave([opened]);
}

async function stopped({ server: { origin }, browser, admin }: Scene) {
  const department = "Crowd";
  for (const from of [0, 60]) {
    const operations = Array.from({ length: 60 }, (_, n) => {
      const body = { name: `Extra ${from + n}`, email: `extra${from + n}@example.com`, department };
      return { method: "POST", path: "/api/users", body };
    });
    await ask(origin, admin, "POST", "/batch", { operations, atomic: false });
  }
  const opened = await openAs(browser, admin);
  const { page } = opened;
  let answer = () => {};
  const asked = new Promise<void>((resolve) => answer = resolve);
  await page.route("**/api/users/batch-delete", async (route) => {
    await asked;
    await route.fallback();
  });
  await go(page, `${origin}/users?department=${department}&limit=all`, "Users");
  await page.getByText("of 120").waitFor();
  await page.getByRole("checkbox", { name: "Select all rows" }).check();
  await page.getByRole("region", { name: "120 selected" }).getByRole("button", { name: "Delete" })
    .click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: /^Delete/ }).click();
  await dialog.getByRole("button", { name: "Stop" }).click();
  answer();
  await said(page, "100 users are deleted");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("of 20", { exact: false }).waitFor();
  await leave([opened]);
}

Deno.test("console: users", async (t) => {
  await using scene = await startScene();
  await t.step("found, sorted, changed by many, exported", () => list(scene));
  await t.step("added, with the server's word at the field", () => add(scene));
  await t.step("one: edited in a conflict, signed out, deleted", () => detail(scene));
  await t.step("many changed, and stopped on the way", () => stopped(scene));
  await t.step("imported, tried first", () => importing(scene));
  await t.step("acted as, with their data taken along", () => impersonating(scene));
});

Deno.test("console: users, where the server has no roles", async () => {
  await using scene = await startScene({ VARIANT: "compact" });
  const { server: { origin }, browser, admin } = scene;
  const { id } = await person(scene, "Ida Rhodes");
  const opened = await openAs(browser, admin, { width: 390, height: 800 });
  const { page } = opened;
  await go(page, `${origin}/users/${id}`, "Ida Rhodes");
  assert.equal(await page.getByRole("link", { name: "Roles" }).count(), 0);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Role", { exact: true }).selectOption({ label: "Administrator" });
  await page.getByRole("button", { name: "Save" }).click();
  await said(page, "Saved");
  assert.equal((await ask(origin, admin, "GET", `/users/${id}`)).role, "admin");
  await noProblems(page, "the page of a user, narrow");
  await leave([opened]);
});
