// The pages in a real browser, on the real server: signing in, the dashboard, the users, signing out.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { startServer } from "../server.ts";

// When it loads, playwright-core looks for WSL in /proc, which Deno allows to none but --allow-all; so it does not look.
Deno.env.set("__IS_WSL_TEST__", "1");
const { chromium } = await import("playwright-core");

const executablePath = Deno.env.get("CHROMIUM_PATH") ?? "/usr/bin/chromium";
const PASSWORD = "a quiet harbour";
const ADMIN = "admin@example.com";

async function launch(): Promise<Browser> {
  try {
    await Deno.stat(executablePath);
  } catch {
    assert.fail(
      `There is no browser at ${executablePath}: install the package chromium, or set CHROMIUM_PATH`,
    );
  }
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return await chromium.launch({ executablePath, args });
}

/** What the page complained about: errors, warnings and reports of the Content-Security-Policy go to the console. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}

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
  assert.equal(page.url(), `${origin}/users?search=adm`, "the log-in leads back");
  assert.equal(await page.getByRole("row").count(), 2);
  await page.getByRole("searchbox").fill("nobody of this name");
  await page.getByRole("button", { name: "Search" }).click();
  assert.ok(await page.getByText("Nobody matches").isVisible());

  await page.getByRole("link", { name: "Dashboard" }).click();
  assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Dashboard");
  assert.ok(await page.getByRole("img", { name: /Visits a day/ }).isVisible());

  const token = (await context.cookies()).find(({ name }) => name === "token");
  assert.ok(token?.httpOnly && token.sameSite === "Lax" && token.path === "/");

  await page.getByRole("button", { name: "Log out" }).click();
  assert.ok(await page.getByText("You are logged out").isVisible());
  assert.deepEqual(await context.cookies(), []);
  await context.addCookies([token]);
  await page.goto(`${origin}/dashboard`);
  assert.equal(page.url(), `${origin}/login`, "the old cookie is worth nothing");
  assert.deepEqual(complaints, []);
});

Deno.test("browser: the script of a shared page runs where it reaches nothing", async () => {
  await using server = await startServer({ VARIANT: "web", ADMIN_PASSWORD: PASSWORD });
  const { origin } = server;
  await using browser = await launch();
  const page = await browser.newPage();
  await logIn(page, origin);
  await page.waitForURL("**/users**");

  const content = `<p id="out">waiting</p><script>
    const tries = [
      () => document.cookie,
      () => localStorage.length,
      () => fetch("/api/users/me", { credentials: "include" }).then((r) => r.text()),
    ];
    Promise.allSettled(tries.map(async (run) => await run())).then((results) => {
      document.getElementById("out").textContent =
        origin + " " + results.map((r) => r.status).join(" ");
    });
  </script>`;
  const shared = await page.request.post(`${origin}/api/share`, { data: { content } });
  const { url } = await shared.json();
  await page.goto(origin + url);
  const out = page.locator("#out");
  await page.waitForFunction("document.getElementById('out').textContent !== 'waiting'");
  const [seen, ...results] = (await out.innerText()).split(" ");
  assert.equal(seen, "null");
  assert.deepEqual(results.slice(0, 2), ["rejected", "rejected"]);
  assert.ok(!(await page.content()).includes(ADMIN));
});
