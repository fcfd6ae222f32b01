// The console's roles, teams and explanations in a real browser; and a role that changes while somebody works with it.
import assert from "node:assert/strict";
import {
  ask,
  fieldReady,
  go,
  leave,
  noProblems,
  openAs,
  PASSWORD,
  said,
  type Scene,
  shows,
  signIn,
  startScene,
} from "./console.ts";

/** A role of the test's own, and somebody who has it. */
async function clerk({ server: { origin }, admin }: Scene, name: string, permissions: string[]) {
  const role = await ask(origin, admin, "POST", "/roles", { name, label: name, permissions });
  const email = `${name}@example.com`;
  const body = { name: `${name} person`, email, password: PASSWORD, role: name };
  const user = await ask(origin, admin, "POST", "/users", body);
  return { role, user, email };
}

/** What one window changes bites in the other at once. */
async function bites(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { role, email } = await clerk(scene, "purser", ["users:view", "roles:view"]);
  const theirs = await openAs(browser, await signIn(origin, email));
  await go(theirs.page, `${origin}/users`, "Users");
  const navigation = theirs.page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Roles" }).waitFor();
  assert.equal(await theirs.page.getByRole("button", { name: "Add user" }).count(), 0);

  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/roles/${role.id}`, "purser");
  // By keyboard alone: from a box to the one beside it, and given.
  await page.getByRole("checkbox", { name: "View users" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await said(page, "1 added, 0 taken away");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await said(page, /^Saved/);
  await theirs.page.getByRole("button", { name: "Add user" }).waitFor();

  await page.getByRole("checkbox", { name: "View users" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await theirs.page.getByText("You may not see this").waitFor();
  await navigation.getByRole("link", { name: "Users" }).waitFor({ state: "detached" });
  await navigation.getByRole("link", { name: "Roles" }).waitFor();

  // Two administrators at the same role.
  await page.getByRole("checkbox", { name: "Delete users" }).check();
  const body = { permissions: ["roles:view", "teams:view"] };
  await ask(origin, admin, "PUT", `/roles/${role.id}/permissions`, body);
  await page.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alertdialog", { name: "Somebody else has changed this" });
  await conflict.getByText("View teams").waitFor();
  await noProblems(page, "a conflict about a role");
  await conflict.getByRole("button", { name: "Take theirs" }).click();
  await conflict.waitFor({ state: "detached" });
  await shows(() => page.getByRole("checkbox", { name: "View teams" }).isChecked(), true);
  await shows(() => page.getByRole("checkbox", { name: "Delete users" }).isChecked(), false);
  await leave([opened], /412/);
  // What they looked at is refused from now on, and the console asks no more.
  await leave([theirs], /403/);
}

/** Who may not see roles has what their own opens and closes at once, too. */
async function ownRole(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { role, email } = await clerk(scene, "stoker", ["users:view"]);
  const opened = await openAs(browser, await signIn(origin, email));
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  const body = { permissions: ["documents:view"] };
  await ask(origin, admin, "PUT", `/roles/${role.id}/permissions`, body);
  await page.getByText("You may not see this").waitFor();
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Users" }).waitFor({ state: "detached" });
  await navigation.getByRole("link", { name: "Documents" }).waitFor();
  await leave([opened], /403/);
}

async function roles(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/roles`, "Roles");
  await page.getByRole("row").filter({ hasText: "super_admin" }).waitFor();
  await noProblems(page, "the roles");
  await page.getByRole("button", { name: "New role" }).click();
  await fieldReady(page);
  await page.keyboard.type("Harbour master");
  await shows(() => page.getByLabel("Identifier").inputValue(), "harbour_master");
  await noProblems(page, "the form of a role");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Harbour master" }).waitFor();
  await page.getByRole("checkbox", { name: "Manage documents" }).check();
  // What another permission holds is no box any more.
  await page.getByRole("img", { name: "Delete documents: Held by Manage documents" }).waitFor();
  await noProblems(page, "a role");
  await page.getByRole("button", { name: "Save" }).click();
  await said(page, /^Saved/);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("dialog", { name: "Rename the role" }).waitFor();
  await noProblems(page, "renaming a role");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Create role" }).click();
  await page.getByRole("heading", { level: 1, name: "Harbour master (copy)" }).waitFor();
  const copied = page.getByRole("checkbox", { name: "Manage documents" });
  await shows(() => copied.isChecked(), true);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").waitFor();
  await noProblems(page, "the question before a role is deleted");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(`${origin}/roles`);
  await said(page, "The role Harbour master (copy) is deleted");
  await leave([opened]);
}

async function teams(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  await clerk(scene, "bosun", ["teams:view"]);
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/teams`, "Teams");
  await said(page, "No teams yet");
  await page.getByRole("button", { name: "New team" }).click();
  await fieldReady(page);
  await page.keyboard.type("Watch");
  await noProblems(page, "the form of a team");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Watch" }).waitFor();
  await page.getByRole("button", { name: "Add member" }).click();
  await fieldReady(page);
  await page.keyboard.type("bosun");
  await page.getByRole("option", { name: /bosun person/ }).waitFor();
  await noProblems(page, "people to add to a team");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await said(page, "1 person is added");
  await page.getByLabel("Role of bosun person").selectOption("admin");
  await said(page, "bosun person is admin now");
  await noProblems(page, "a team");
  await page.getByRole("button", { name: "Remove bosun person from the team" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await said(page, "bosun person is removed");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByLabel("Role of bosun person").waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  const name = page.getByRole("link", { name: "bosun person" });
  const hidden = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
    scrollWidth - clientWidth;
  assert.equal(await name.evaluate(hidden), 0, "pixels of the name are cut off");
  await page.goto(`${origin}/teams`);
  await page.getByRole("row").filter({ hasText: "Watch" }).waitFor();
  await noProblems(page, "the teams");
  await leave([opened]);
}

async function access(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  await clerk(scene, "cook", ["documents:view"]);
  const doc = await ask(origin, admin, "POST", "/documents", { title: "Recipes", content: "" });
  const opened = await openAs(browser, admin);
  const { page } = opened;
  await go(page, `${origin}/access`, "Who may do what");
  await page.getByRole("combobox", { name: "Person" }).click();
  // Faster than the search: what was typed is chosen, not what stood there before.
  await page.keyboard.type("cook");
  await page.keyboard.press("Enter");
  await page.waitForURL(/userId=/);
  await page.getByRole("combobox", { name: "Permission" }).click();
  await page.keyboard.type("documents:view");
  await page.keyboard.press("Enter");
  await said(page, "cook person may view documents");
  await said(page, "The role cook holds “View documents”.");
  await page.getByLabel("About a record").selectOption("documents");
  await page.getByRole("combobox", { name: "Record", exact: true }).click();
  await page.getByRole("option", { name: /Recipes/ }).click();
  await said(page, "cook person may not view documents");
  await said(page, /Nothing opens it to them/);
  await noProblems(page, "the explanation");
  // The question stands in the address.
  assert.equal(new URL(page.url()).searchParams.get("id"), doc.id);
  await page.reload();
  await said(page, "cook person may not view documents");
  await leave([opened]);
}

Deno.test("console: roles, teams and who may do what", async (t) => {
  await using scene = await startScene();
  await t.step("a role that loses a permission loses its pages elsewhere", () => bites(scene));
  await t.step("so it does for who may not see roles", () => ownRole(scene));
  await t.step("roles: made, filled, copied, deleted", () => roles(scene));
  await t.step("teams: made, joined, left", () => teams(scene));
  await t.step("access: explained", () => access(scene));
});
