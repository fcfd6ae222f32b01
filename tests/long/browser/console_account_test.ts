// One's own account in the console, in a real browser: profile, password, second factor, sessions, keys, preferences.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { Secret, TOTP } from "otpauth";
import { freePort } from "../../ports.ts";
import { startServer } from "../../server.ts";
import { persistently, until } from "../../until.ts";

import { addAuthenticator } from "./authenticator.ts";
import { complaintsOf, launch } from "./browser.ts";
import { fieldReady, noProblems, shows } from "./console.ts";

const PASSWORD = "a quiet harbour";
const ADMIN = "admin@example.com";
/** What the browser says of answers that a test provokes. */
const PROVOKED = /^Failed to load resource: the server responded with a status of 4(00|01|03|12)/;

const PAGES = {
  Profile: "/account",
  Security: "/account/security",
  Sessions: "/account/sessions",
  "API keys": "/account/keys",
  "Your data": "/account/data",
  Preferences: "/account/preferences",
};

const field = (page: Page, name: string) => page.locator(`[name=${name}]`);
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const sure = (page: Page, name: string) =>
  page.getByRole("alertdialog").getByRole("button", { name, exact: true }).click();
const told = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).first().waitFor();

async function signIn(browser: Browser, home: string, password = PASSWORD) {
  const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${home}/login?redirect=%2Faccount`);
  await field(page, "email").fill(ADMIN);
  await field(page, "password").fill(password);
  await press(page, "Sign in");
  await page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();
  return {
    page,
    async [Symbol.asyncDispose]() {
      assert.deepEqual(complaints.filter((one) => !PROVOKED.test(one)), []);
      await context.close();
    },
  };
}

async function go(page: Page, title: keyof typeof PAGES) {
  await page.getByRole("navigation", { name: "Your account" }).getByRole("link", { name: title })
    .click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
}

/** A picture of one pixel. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

Deno.test("console: one's own account", async (t) => {
  const port = freePort();
  const home = `http://localhost:${port}`;
  await using server = await startServer({
    PORT: String(port),
    PUBLIC_URL: home,
    ADMIN_PASSWORD: PASSWORD,
  });
  await using browser = await launch();
  const api = async (method: string, path: string, token: string, body?: unknown) => {
    const response = await fetch(`${server.origin}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    return { status: response.status, data: answer.data };
  };
  const tokenOf = async (page: Page) =>
    JSON.parse(await page.evaluate<string>("localStorage.getItem('quarterdeck.session')"))
      .accessToken as string;

  await t.step(
    "axe finds nothing on any page, light and dark, and none is wider than the window",
    async () => {
      await using opened = await signIn(browser, home);
      const { page } = opened;
      for (const [title, path] of Object.entries(PAGES)) {
        await page.goto(home + path);
        await page.getByRole("heading", { level: 1, name: title }).waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        await noProblems(page, title);
        for (const width of [320, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await persistently(async () => {
            const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
            assert.ok(wide <= width, `${title} is ${wide} px wide at ${width}`);
          });
        }
      }
    },
  );

  await t.step("the profile: saved, refused at its field, a conflict is a choice", async () => {
    await using opened = await signIn(browser, home);
    const { page } = opened;
    await field(page, "department").fill("Bridge");
    await field(page, "name").fill("A");
    await press(page, "Save");
    await page.getByText("at least 2 characters").waitFor();
    await page.locator("[name=name]:focus").waitFor();
    await field(page, "name").fill("Ada");
    await page.keyboard.press("Enter");
    await told(page, "Saved");
    await page.getByRole("button", { name: /Ada/ }).waitFor();
    // Others save while the form is open; what they change stays unless it is changed here, too.
    await field(page, "position").fill("Captain");
    const token = await tokenOf(page);
    await api("PUT", "/users/me", token, { position: "Mate", phone: "123" });
    await press(page, "Save");
    const clash = page.getByRole("alertdialog");
    await clash.waitFor();
    await noProblems(page, "a conflict about the profile");
    await press(page, "What is typed here");
    await clash.waitFor({ state: "detached" });
    const saved = async () => {
      const { data } = await api("GET", "/users/me", token);
      return [data.department, data.position, data.phone].join();
    };
    await until(async () => await saved() === "Bridge,Captain,123", "both changes");
    await page.reload();
    await shows(() => field(page, "position").inputValue(), "Captain");
  });

  await t.step("the picture", async () => {
    await using opened = await signIn(browser, home);
    const { page } = opened;
    const buffer = Uint8Array.from(atob(PICTURE), (one) => one.charCodeAt(0));
    const { Buffer } = await import("node:buffer");
    await page.locator("input[type=file]").setInputFiles({
      name: "me.png",
      mimeType: "image/png",
      buffer: Buffer.from(buffer),
    });
    await told(page, "Your picture is saved");
    await page.locator("main img.avatar").waitFor();
    await press(page, "Remove");
    await told(page, "Your picture is removed");
    await page.locator("main img.avatar").waitFor({ state: "detached" });
  });

  await t.step("a key, after a proof that is asked for on the way", async () => {
    await using opened = await signIn(browser, home);
    const { page } = opened;
    await go(page, "API keys");
    await press(page, "Create a key");
    await field(page, "name").fill("Without scopes");
    await page.keyboard.press("Enter");
    // The group takes no focus: its first box does.
    await page.locator("[role=group][aria-invalid=true] input:focus").waitFor();
    await noProblems(page, "the form of a key without scopes");
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    // As the server answers ten minutes after the sign-in.
    let refusals = 1;
    await page.route("**/api/auth/keys", async (route) => {
      if (route.request().method() !== "POST" || refusals-- <= 0) return await route.continue();
      await route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "STEP_UP_REQUIRED", detail: "Prove it" }),
      });
    });
    await press(page, "Create a key");
    await field(page, "name").fill("Reports");
    await page.getByRole("checkbox", { name: "View users" }).check();
    await page.mouse.click(5, 5);
    await sure(page, "Go on writing");
    await noProblems(page, "the form of a key");
    await dialog(page, "Create a key").getByRole("button", { name: "Create a key" }).click();
    await dialog(page, "Is it you?").waitFor();
    await noProblems(page, "the question for a proof");
    await fieldReady(page);
    await page.keyboard.type("not it");
    await page.keyboard.press("Enter");
    await page.getByText("password is wrong").waitFor();
    await field(page, "currentPassword").fill(PASSWORD);
    await page.keyboard.press("Enter");
    const made = dialog(page, "Your new key");
    const key = await made.locator("code").innerText();
    assert.match(key, /^qd_/);
    await noProblems(page, "the new key");
    for (const way of [() => page.keyboard.press("Escape"), () => page.mouse.click(5, 5)]) {
      await way();
      await sure(page, "Go back");
    }
    assert.equal(await made.locator("code").innerText(), key);
    await made.locator("footer").getByRole("button", { name: "Close" }).click();
    assert.equal((await api("GET", "/users?limit=1", key)).status, 200);
    assert.equal((await api("GET", "/documents", key)).status, 403);
    await page.getByText("View users").waitFor();
    // A ticket opens the stream, as the command beside it says.
    await press(page, "Get a ticket");
    await page.getByText("Good once, within 30 seconds.").waitFor();
    await noProblems(page, "a ticket for events");
    const command = await page.locator("pre").filter({ hasText: "curl -N" }).innerText();
    const stream = await fetch(/"(.+)"/.exec(command)![1]!);
    assert.match(stream.headers.get("content-type")!, /^text\/event-stream/);
    await stream.body!.cancel();
    await page.getByRole("button", { name: "API keys: Reports" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await field(page, "name").fill("Figures");
    await press(page, "Save");
    await told(page, "Saved");
    await page.getByRole("button", { name: "API keys: Figures" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await press(page, "Revoke");
    await page.getByText("No keys yet").waitFor();
    assert.equal((await api("GET", "/users?limit=1", key)).status, 401);
  });

  await t.step("who gives no proof is told that nothing was changed", async () => {
    await using opened = await signIn(browser, home);
    const { page } = opened;
    await go(page, "Your data");
    await page.route("**/api/users/*/data", (route) =>
      route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "STEP_UP_REQUIRED", detail: "Prove it" }),
      }));
    await press(page, "Download");
    await dialog(page, "Is it you?").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText("Nothing was changed").waitFor();
    await page.unroute("**/api/users/*/data");
    const download = page.waitForEvent("download");
    await press(page, "Download");
    assert.equal((await download).suggestedFilename(), "personal-data.json");
  });

  await t.step("sessions: the others end", async () => {
    await using opened = await signIn(browser, home);
    await using other = await signIn(browser, home);
    await go(opened.page, "Sessions");
    await opened.page.getByText("This one").waitFor();
    await press(opened.page, "End all others");
    await sure(opened.page, "End all others");
    await opened.page.getByRole("button", { name: /^End:/ }).first().waitFor({ state: "detached" });
    const out = other.page.getByRole("heading", { level: 1, name: "Sign in" });
    // It may have learnt of it before.
    await Promise.race([go(other.page, "Profile").catch(() => {}), out.waitFor()]);
    await out.waitFor();
  });

  await t.step("preferences: at once, and in one's other browsers", async () => {
    await using opened = await signIn(browser, home);
    await using other = await signIn(browser, home);
    const { page } = opened;
    await go(page, "Preferences");
    await page.getByText("Dark", { exact: true }).click();
    const shown = (at: Page, state: string) =>
      at.locator(`html${state}`).waitFor({ state: "attached" });
    await shown(page, "[data-theme=dark]");
    await page.getByLabel("Language", { exact: true }).selectOption("zh");
    await page.getByRole("heading", { level: 1, name: "偏好设置" }).waitFor();
    await page.getByLabel("文字方向").selectOption("rtl");
    await shown(page, "[dir=rtl]");
    await other.page.getByRole("heading", { level: 1, name: "个人资料" }).waitFor();
    await page.getByLabel("文字方向").selectOption("ltr");
    await page.getByLabel("语言", { exact: true }).selectOption("");
    await page.getByText("As the system", { exact: true }).click();
    await other.page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();
    await shown(other.page, ":not([data-theme])");
  });

  await t.step("an authenticator, its recovery codes, and a passkey", async () => {
    await using opened = await signIn(browser, home);
    const { page } = opened;
    await addAuthenticator(page);
    await go(page, "Security");
    await press(page, "Set up");
    const secret = (await page.locator(".totp-secret code").innerText()).replaceAll(" ", "");
    await noProblems(page, "setting up an authenticator");
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await field(page, "code").fill("000000");
    await press(page, "Confirm");
    await page.getByRole("dialog").locator(".field-error, [role=alert]").first().waitFor();
    await field(page, "code").fill(totp.generate());
    await press(page, "Confirm");
    const codes = dialog(page, "Your recovery codes");
    await codes.waitFor();
    assert.equal(await codes.locator("li code").count(), 10);
    await noProblems(page, "the recovery codes");
    const download = page.waitForEvent("download");
    await codes.getByRole("button", { name: "Download" }).click();
    assert.match((await download).suggestedFilename(), /recovery codes/);
    await press(page, "I have kept them");
    await page.getByText("10 codes left").waitFor();
    await press(page, "Add a passkey");
    await told(page, "The passkey is added");
    await page.getByRole("button", { name: /^Passkeys: / }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await field(page, "name").fill("Laptop");
    await press(page, "Save");
    await page.getByRole("button", { name: "Passkeys: Laptop" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await sure(page, "Remove");
    await page.getByText("You have no passkeys yet").waitFor();
    await press(page, "Remove");
    await sure(page, "Remove");
    await told(page, "The authenticator is removed");
  });

  await t.step("another password ends the other sessions", async () => {
    await using opened = await signIn(browser, home);
    const { page } = opened;
    await go(page, "Security");
    await field(page, "currentPassword").fill("wrong");
    await field(page, "newPassword").fill("another quiet harbour");
    await press(page, "Change password");
    await page.getByText("password is wrong").waitFor();
    await field(page, "currentPassword").fill(PASSWORD);
    await press(page, "Change password");
    await told(page, "The password is changed; your other sessions are ended");
    const account = page.getByRole("button", { name: /^Your account/ });
    const [named] = /"(.*)"/.exec(await account.ariaSnapshot())!.slice(1);
    assert.equal(named!.split("Super administrator").length, 2, `${named}: the role is told once`);
    await account.click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await using again = await signIn(browser, home, "another quiet harbour");
    await go(again.page, "Sessions");
  });
});
