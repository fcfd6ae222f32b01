// Variant web in a real browser: the guard, the cookie, the console behind them, and a second factor before anything else.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { Secret, TOTP } from "otpauth";
import { startServer } from "../../server.ts";
import { complaintsOf, launch } from "./browser.ts";

const PASSWORD = "a quiet harbour";
const ADMIN = "admin@example.com";
/** What the browser says of a role that asks for a second factor. */
const REFUSED = /^Failed to load resource: the server responded with a status of 403/;

const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

async function signIn(page: Page) {
  await page.locator("[name=email]").fill(ADMIN);
  await page.locator("[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

Deno.test("browser: sign in behind the guard, go on, sign out", async () => {
  await using server = await startServer({ VARIANT: "web", ADMIN_PASSWORD: PASSWORD });
  const { origin } = server;
  await using browser = await launch();
  const context = await browser.newContext({ locale: "en-GB" });
  const page = await context.newPage();
  const complaints = complaintsOf(page);

  await page.goto(`${origin}/account/sessions?a=1`);
  assert.equal(page.url(), `${origin}/login?redirect=%2Faccount%2Fsessions%3Fa%3D1`);
  await signIn(page);
  // The sign-in leads back.
  await heading(page, "Sessions");
  assert.equal(page.url(), `${origin}/account/sessions?a=1`);
  await page.getByText("This one").waitFor();

  const token = (await context.cookies()).find(({ name }) => name === "token");
  assert.ok(token?.httpOnly && token.sameSite === "Lax" && token.path === "/");
  await page.goto(`${origin}/account/security`);
  await heading(page, "Security");

  // The page is guarded by a cookie that ends sooner than the session: the console gets another one.
  await context.clearCookies({ name: "token" });
  await page.goto(`${origin}/account/keys`);
  await heading(page, "API keys");

  await page.getByRole("button", { name: /^Your account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByText("You are signed out.").waitFor();
  assert.equal(page.url(), `${origin}/login?notice=out`);
  // The device stays known, so that strangers who fail at this account do not lock it out.
  assert.deepEqual((await context.cookies()).map(({ name }) => name), ["quarterdeck.device"]);
  await context.addCookies([token]);
  await page.goto(`${origin}/account`);
  await heading(page, "Sign in");
  assert.equal(page.url(), `${origin}/login`, "the old cookie is worth nothing");
  assert.deepEqual(complaints, []);
});

Deno.test("browser: a role that asks for a second factor leads to its set-up alone", async () => {
  await using server = await startServer({
    VARIANT: "web",
    ADMIN_PASSWORD: PASSWORD,
    MFA_REQUIRED_ROLES: "super_admin",
  });
  const { origin } = server;
  await using browser = await launch();
  const context = await browser.newContext({ locale: "en-GB" });
  const page = await context.newPage();
  const complaints = complaintsOf(page);

  await page.goto(`${origin}/login?redirect=%2Faccount%2Fkeys`);
  await signIn(page);
  await heading(page, "Set up a second factor");
  await page.goto(`${origin}/account/keys`);
  await heading(page, "Set up a second factor");
  assert.equal(page.url(), `${origin}/second-factor`);
  await page.getByRole("button", { name: "Authenticator" }).click();
  const secret = (await page.locator(".totp-secret code").innerText()).replaceAll(" ", "");
  await page.locator("[name=code]").fill(
    new TOTP({ secret: Secret.fromBase32(secret) }).generate(),
  );
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await heading(page, "Your recovery codes");
  await page.getByRole("button", { name: "I have kept them" }).click();
  await page.locator("#sidebar").waitFor();
  await page.goto(`${origin}/account/security`);
  await heading(page, "Security");
  await page.getByText("10 codes left").waitFor();
  assert.deepEqual(complaints.filter((one) => !REFUSED.test(one)), []);
});
