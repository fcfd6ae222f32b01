// The example apps, built as they are and clicked through in a browser, on the real server.
// Run by `deno task test:examples`, for it brings their packages from npm.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { complaintsOf, launch } from "../long/browser/browser.ts";
import { freePort } from "../ports.ts";
import { type Server, startServer } from "../server.ts";
import { until } from "../until.ts";
import { packagesOf } from "./packages.ts";

const PASSWORD = "kept for the examples";

interface App {
  readonly server: Server;
  readonly page: Page;
  /** An access token of the administrator, for what is looked at beside the page. */
  readonly token: string;
}

/** Builds an example, serves it as its own server does, and gives its page to the steps. */
async function inApp(example: string, steps: (app: App) => Promise<void>): Promise<void> {
  await using packages = await packagesOf(`examples/${example}`);
  await packages.run("npm", ["run", "build"]);
  await using server = await startServer({ ADMIN_PASSWORD: PASSWORD });
  const port = await freePort();
  const serving = new Deno.Command("node", {
    args: ["node_modules/vite/bin/vite.js", "preview", "--port", `${port}`, "--strictPort"],
    cwd: packages.folder,
    env: { SERVER: server.origin },
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const browser = await launch();
  try {
    const origin = `http://localhost:${port}`;
    await until(() => fetch(origin).then((reply) => reply.text()).then(() => true, () => false));
    const login = await fetch(`${server.origin}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
    });
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(origin);
    await steps({ server, page, token: (await login.json()).accessToken });
    // Both libraries ask once more for what they have just deleted, or before they have signed in.
    const asked = /^Failed to load resource: .* status of 40[14] /;
    assert.deepEqual(complaints.filter((complaint) => !asked.test(complaint)), []);
  } finally {
    await browser.close();
    serving.kill();
    await serving.status;
  }
}

async function titlesOf({ server, token }: App): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${server.origin}/api/rest/documents?sort=title`, { headers });
  return (await reply.json()).map(({ title }: { title: string }) => title);
}

/** What is typed before the form has read its record is lost, and Save stays off. */
async function retitle(page: Page, title: string): Promise<void> {
  const save = page.getByRole("button", { name: "Save" });
  await until(async () => {
    await page.getByLabel("Title").fill("");
    await page.getByLabel("Title").fill(title);
    return await save.isEnabled();
  });
  await save.click();
}

Deno.test("examples: the react-admin app signs in, makes, finds, changes and deletes", async () => {
  await inApp("react-admin", async (app) => {
    const { page } = app;
    await page.locator("input[name=username]").fill("admin@example.com");
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("cell", { name: "admin@example.com" }).waitFor();

    await page.getByRole("menuitem", { name: "Documents" }).click();
    for (const title of ["Ship log", "Bill of lading"]) {
      await page.getByRole("link", { name: "Create" }).click();
      await retitle(page, title);
      await page.getByRole("cell", { name: title }).waitFor();
    }
    assert.deepEqual(await titlesOf(app), ["Bill of lading", "Ship log"]);

    await page.getByPlaceholder("Search").fill("ship");
    await page.getByRole("cell", { name: "Bill of lading" }).waitFor({ state: "detached" });
    await page.getByRole("cell", { name: "Ship log" }).click();
    await retitle(page, "Log book");
    await until(async () => (await titlesOf(app)).includes("Log book"));

    await page.getByRole("menuitem", { name: "Documents" }).click();
    await page.getByPlaceholder("Search").fill("");
    await page.getByRole("cell", { name: "Bill of lading" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Confirm" }).click();
    await until(async () => (await titlesOf(app)).join() === "Log book");
  });
});

Deno.test("examples: the refine app signs in, makes, finds, changes and deletes", async () => {
  await inApp("refine", async (app) => {
    const { page } = app;
    await page.getByPlaceholder("E-mail").fill("admin@example.com");
    await page.getByPlaceholder("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    for (let n = 1; n <= 6; n++) {
      await page.getByPlaceholder("Title").fill(`Log ${n}`);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText(`${n} in all`).waitFor();
    }
    await page.getByText("Log 6").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Log 1").waitFor();

    await page.getByPlaceholder("Search").fill("log 3");
    await page.getByText("1 in all").waitFor();
    page.once("dialog", (dialog) => dialog.accept("Log book"));
    await page.getByRole("button", { name: "Rename" }).click();
    await until(async () => (await titlesOf(app)).includes("Log book"));

    await page.getByPlaceholder("Search").fill("log 2");
    await page.getByText("Log 2").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await until(async () => !(await titlesOf(app)).includes("Log 2"));
    assert.equal((await titlesOf(app)).length, 5);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByPlaceholder("Password").waitFor();
  });
});
