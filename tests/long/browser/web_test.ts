// The pages in a real browser, on the real server: signing in, the dashboard, the users, signing out.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { startServer } from "../../server.ts";
import { complaintsOf, launch } from "./browser.ts";

const PASSWORD = "a quiet harbour";
const ADMIN = "admin@example.com";

async function logIn(page: Page, origin: string) {
  await page.goto(`${origin}/users?search=adm`);
  assert.equal(new URL(page.url()).pathname, "/login");
  await page.getByLabel("E-mail").fill(ADMIN);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
}

Deno.test("browser: sign in, see the dashboard, search users, sign out", async () => {
  await using server = await startServer({ VARIANT: "web", ADMIN_PASSWORD: PASSWORD });
  const { origin } = server;
  await using browser = await launch();
  // The pages need no script.
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const complaints = complaintsOf(page);

  await logIn(page, origin);
  // The log-in leads back.
  await page.waitForURL(`${origin}/users?search=adm`);
  assert.equal(await page.getByRole("row").count(), 2);
  await page.getByRole("searchbox").fill("nobody of this name");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("Nobody matches").waitFor();

  await page.getByRole("link", { name: "Dashboard" }).click();
  await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
  await page.getByRole("img", { name: /Visits a day/ }).waitFor();

  const token = (await context.cookies()).find(({ name }) => name === "token");
  assert.ok(token?.httpOnly && token.sameSite === "Lax" && token.path === "/");

  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("You are logged out").waitFor();
  // The device stays known, so that strangers who fail at this account do not lock it out.
  assert.deepEqual((await context.cookies()).map(({ name }) => name), ["quarterdeck.device"]);
  await context.addCookies([token]);
  await page.goto(`${origin}/dashboard`);
  assert.equal(page.url(), `${origin}/login`, "the old cookie is worth nothing");
  assert.deepEqual(complaints, []);
});
