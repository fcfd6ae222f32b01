// What is shown and asked for while somebody signs out, and afterwards: nothing of theirs. And what is shown in place of a
// page that is not there, or cannot be loaded.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ADMIN, ask, fieldReady, go, leave, openAs, startScene } from "./console.ts";

async function signOut(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await fieldReady(page);
  await page.keyboard.type("Sign out");
  await page.getByRole("option", { name: "Sign out" }).waitFor();
  await page.keyboard.press("Enter");
}

Deno.test("console: whoever signs out leaves nothing behind while the page of signing in is on its way", async () => {
  await using scene = await startScene();
  const { page, context, complaints } = await openAs(scene.browser, scene.admin);
  await go(page, `${scene.server.origin}/users`, "Users");
  await page.getByRole("row").nth(1).waitFor();

  const arrives = Promise.withResolvers<void>();
  await page.route("**/assets/console/**", async (route) => {
    await arrives.promise;
    await route.continue();
  });
  await signOut(page);
  await page.waitForURL(/\/login/);
  await page.locator("#sidebar").waitFor({ state: "detached" });
  assert.equal(await page.getByRole("row").count(), 0);
  arrives.resolve();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

Deno.test("console: what is being read when somebody signs out is not read any more", async () => {
  await using scene = await startScene();
  const { server: { origin }, admin } = scene;
  const { page, context, complaints } = await openAs(scene.browser, admin);
  await go(page, `${origin}/users`, "Users");
  await page.getByRole("row").nth(1).waitFor();

  // What an event has led to is still on its way when the server ends the session, and arrives there before the
  // answer to that is back.
  const ended = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  await page.route(/\/api\/users(\?|$)/, async (route) => {
    reading.resolve();
    await ended.promise;
    await route.continue();
  });
  await page.route("**/api/auth/logout", async (route) => {
    const response = await route.fetch();
    ended.resolve();
    await new Promise((passed) => setTimeout(passed, 500));
    await route.fulfill({ response });
  });
  await ask(origin, admin, "PUT", "/users/me", { department: "Deck" });
  await reading.promise;
  await signOut(page);
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

Deno.test("console: whoever's session ends while they work is told so where they sign in", async () => {
  await using scene = await startScene();
  const { server: { origin }, admin } = scene;
  const opened = await openAs(scene.browser, admin);
  const { page } = opened;
  await go(page, `${origin}/users`, "Users");
  await page.getByRole("row").nth(1).waitFor();
  await ask(origin, admin, "POST", "/auth/logout", {});
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await page.getByText("Your session has ended").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("redirect"), "/users");
  await leave([opened], /401/);
});

Deno.test("console: an address that is no text leads to no page", async () => {
  await using scene = await startScene();
  const opened = await openAs(scene.browser, scene.admin);
  for (const path of ["/users/%", "/documents/%E0%A4%A"]) {
    await opened.page.goto(scene.server.origin + path);
    await opened.page.getByRole("heading", { level: 1, name: "There is nothing here" }).waitFor();
  }
  await leave([opened]);
});

Deno.test("console: a page that cannot be loaded says so, and comes when the connection is back", async () => {
  await using scene = await startScene();
  const opened = await openAs(scene.browser, scene.admin);
  const { page, context } = opened;
  const pageOf = (name: string) => page.locator("#sidebar").getByRole("link", { name });
  await go(page, `${scene.server.origin}/users`, "Users");
  await context.setOffline(true);
  await pageOf("Teams").click();
  await page.getByText("This page did not load").waitFor();
  assert.equal(await page.getByText("dynamically imported module").count(), 0);
  await context.setOffline(false);
  await page.getByRole("heading", { level: 1, name: "Teams" }).waitFor();
  await leave([opened], /ERR_INTERNET_DISCONNECTED/);
});

Deno.test("console: a dialog asks before it closes with what is written in it", async () => {
  await using scene = await startScene();
  const opened = await openAs(scene.browser, scene.admin);
  const { page } = opened;
  await go(page, `${scene.server.origin}/teams`, "Teams");
  const begin = page.getByRole("button", { name: "New team" });
  const form = page.getByRole("dialog", { name: "New team" });
  const question = page.getByRole("alertdialog", { name: "Discard what you have written?" });
  // Nothing was written.
  await begin.click();
  await fieldReady(page);
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });

  await begin.click();
  await fieldReady(page);
  await page.keyboard.type("Riggers");
  const ways = [
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(10, 10),
    () => form.getByRole("button", { name: "Close" }).click(),
  ];
  for (const way of ways) {
    await way();
    await question.getByRole("button", { name: "Go on writing" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await form.getByLabel("Name").inputValue(), "Riggers");
  }
  // A browser closes what is closed by Escape again and again, whatever the page says.
  for (let presses = 0; presses < 4; presses++) {
    await page.keyboard.press("Escape");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
  }
  assert.equal(await form.getByLabel("Name").inputValue(), "Riggers");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard" }).click();
  await form.waitFor({ state: "detached" });
  await begin.and(page.locator(":focus")).waitFor();

  // Whoever says so is not asked.
  await begin.click();
  await fieldReady(page);
  await page.keyboard.type("Riggers");
  await form.getByRole("button", { name: "Cancel" }).click();
  await form.waitFor({ state: "detached" });
  await leave([opened]);
});

Deno.test("console: a form that is closed while it is sent tells of what refused it", async () => {
  await using scene = await startScene();
  const opened = await openAs(scene.browser, scene.admin);
  const { page } = opened;
  await go(page, `${scene.server.origin}/users`, "Users");
  await page.getByRole("button", { name: "Add user" }).click();
  await fieldReady(page);
  await page.keyboard.type("Grace Keel");
  const form = page.getByRole("dialog", { name: "Add a user" });
  await form.locator("[name=email]").fill(ADMIN);

  const closed = Promise.withResolvers<void>();
  await page.route("**/api/users", async (route) => {
    if (route.request().method() === "POST") await closed.promise;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await page.keyboard.press("Enter");
  await sent;
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
  closed.resolve();
  await page.getByText("This could not be saved: email: is taken").first().waitFor();
  await leave([opened], /409/);
});

Deno.test("console: a page asks before it is left with what is chosen on it, whichever way", async () => {
  await using scene = await startScene();
  const { server: { origin }, admin } = scene;
  const permissions = ["users:view"];
  const body = { name: "purser", label: "Purser", permissions };
  const { id } = await ask(origin, admin, "POST", "/roles", body);
  const opened = await openAs(scene.browser, admin);
  const { page } = opened;
  const navigation = page.locator("#sidebar");
  await go(page, `${origin}/teams`, "Teams");
  await navigation.getByRole("link", { name: "Roles" }).click();
  await page.getByRole("row", { name: /Purser/ }).click();
  await page.getByRole("heading", { level: 1, name: "Purser" }).waitFor();
  const box = page.getByRole("checkbox", { name: "Create users" });
  await box.check();
  const question = page.getByRole("alertdialog", { name: "Discard what you have written?" });
  const ways = [
    () => navigation.getByRole("link", { name: "Users" }).click(),
    () => page.goBack(),
    () => page.keyboard.type("gu"),
    () => signOut(page),
  ];
  for (const way of ways) {
    await way();
    await question.getByRole("button", { name: "Go on writing" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, `/roles/${id}`);
    assert.ok(await box.isChecked());
  }
  await page.goBack();
  await question.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Teams" }).waitFor();

  await go(page, `${origin}/roles/${id}`, "Purser");
  assert.equal(await box.isChecked(), false);
  await box.check();
  await navigation.getByRole("link", { name: "Users" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
  // What is saved is left without a question.
  await page.goBack();
  await box.check();
  await page.getByRole("button", { name: "Save" }).click();
  await box.and(page.locator(":checked")).waitFor();
  await page.locator(".matrix-bar").waitFor({ state: "detached" });
  await navigation.getByRole("link", { name: "Users" }).click();
  await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
  await leave([opened]);
});
