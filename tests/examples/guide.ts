// The apps of docs/clients.md as they are printed there, on the package that `npm pack` makes of the client: their types
// checked, built, and clicked through in a browser on the real server.
// Run by `deno task test:examples`, for it brings packages from npm.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Browser } from "playwright-core";
import { launch } from "../long/browser/browser.ts";
import { client, signIn } from "../client.ts";
import { type Server, startServer } from "../server.ts";
import { until } from "../until.ts";
import { copyFolder, type Packages, packagesOf } from "./packages.ts";

const PASSWORD = "kept for the guide";
const root = new URL("../../", import.meta.url).pathname;

/** The files that the guide prints, by the names in their first lines. */
async function printed(): Promise<Map<string, string>> {
  const guide = await Deno.readTextFile(`${root}docs/clients.md`);
  const blocks = guide.matchAll(/```\w+\n(?:\/\/ |<!-- )(\S+?\.\w+)(?: -->)?\n([\s\S]*?)```/g);
  return new Map([...blocks].map(([, name, text]) => [name!, text!]));
}

/** Makes the package in a copy of its sources, and puts it where npm would install it. */
async function installClient({ folder, run }: Packages): Promise<void> {
  const sources = `${folder}/sources`;
  await Deno.mkdir(sources);
  await copyFolder(`${root}client`, sources);
  const packed = await run("npm", ["pack", "./sources", "--silent"]);
  const target = "node_modules/@quarterdeck/client";
  await Deno.mkdir(`${folder}/${target}`, { recursive: true });
  await run("tar", [
    "-xzf",
    packed.trim().split("\n").at(-1)!,
    "-C",
    target,
    "--strip-components=1",
  ]);
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript" };

/** Serves what was built, as any host of static files does. */
function serve(folder: string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async ({ url }) => {
    const path = new URL(url).pathname;
    const bytes = await Deno.readFile(`${folder}/dist${path}`).catch(() => null);
    const type = TYPES[path.split(".").at(-1)!] ?? "application/octet-stream";
    return bytes
      ? new Response(bytes, { headers: { "content-type": type } })
      : new Response(null, { status: 404 });
  });
}

async function clickThrough(
  browser: Browser,
  page: string,
  server: Server,
  token: string,
): Promise<void> {
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(page);
  await tab.getByPlaceholder("E-mail").fill("admin@example.com");
  await tab.getByPlaceholder("Password").fill("a wrong one");
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.getByText("E-mail or password is wrong").waitFor();
  await tab.getByPlaceholder("E-mail").fill("admin@example.com");
  await tab.getByPlaceholder("Password").fill(PASSWORD);
  await tab.getByRole("button", { name: "Sign in" }).click();

  const total = async () =>
    (await client(server, token)("GET", "/api/documents")).body.pagination.total;
  const before = await total();
  await tab.getByText(`${before} documents`).waitFor();
  await tab.getByRole("button", { name: "Create" }).click();
  await tab.getByText(`${before + 1} documents`).waitFor();
  // What somebody else does is shown too.
  await until(async () => {
    await client(server, token)("POST", "/api/documents", { title: `Beside ${page}` });
    return await tab.getByText(`Beside ${page}`).first().isVisible();
  });

  await tab.getByLabel("File").setInputFiles({
    name: "log.txt",
    mimeType: "text/plain",
    buffer: Buffer.alloc(300_000, "x"),
  });
  await tab.getByText("log.txt is there").waitFor();
  assert.equal(await tab.locator("progress").evaluate((bar: { value: number }) => bar.value), 1);

  // A second tab of the same browser is signed in with the first, renews with it, and is signed out with it.
  const second = await context.newPage();
  await second.goto(page);
  await second.getByText(/\d+ documents/).waitFor();
  const renewals: string[] = [];
  context.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/auth/refresh")) renewals.push(page);
  });
  await tab.evaluate(() => {
    const key = "quarterdeck.session";
    const tokens = JSON.parse(localStorage.getItem(key)!);
    localStorage.setItem(key, JSON.stringify({ ...tokens, expiresAt: 0 }));
  });
  await Promise.all([tab, second].map((one) => one.reload()));
  for (const one of [tab, second]) await one.getByText(/\d+ documents/).waitFor();
  assert.equal(renewals.length, 1, "two tabs renew once");
  await tab.getByRole("button", { name: "Sign out" }).click();
  await second.getByRole("button", { name: "Sign in" }).waitFor();
  await context.close();
}

Deno.test("guide: its apps work as they are printed, on the packed client", async () => {
  await using packages = await packagesOf("tests/examples/guide");
  await installClient(packages);
  await using server = await startServer({ ADMIN_PASSWORD: PASSWORD });
  const files = await printed();
  assert.deepEqual([...files.keys()].sort(), [
    "plain.html",
    "program.ts",
    "src/App.vue",
    "src/plain.ts",
    "src/react.tsx",
  ]);
  const token = await signIn(server, PASSWORD);
  const key = await client(server, token)("POST", "/api/auth/keys", {
    name: "guide",
    scopes: ["documents:*"],
  });
  for (const [name, text] of files) {
    const filled = text.replaceAll("http://localhost:8000", server.origin)
      .replace("qd_…", key.body.data.key);
    await Deno.writeTextFile(`${packages.folder}/${name}`, filled);
  }
  await packages.run("node", ["node_modules/typescript/bin/tsc"]);
  await packages.run("node", ["node_modules/vite/bin/vite.js", "build"]);
  const site = serve(packages.folder);
  const browser = await launch();
  try {
    for (const page of ["plain", "react", "vue"]) {
      await clickThrough(browser, `http://127.0.0.1:${site.addr.port}/${page}.html`, server, token);
    }
  } finally {
    await browser.close();
    await site.shutdown();
  }
  // Without a browser: the same package in Node and in Deno.
  await Deno.rename(`${packages.folder}/program.ts`, `${packages.folder}/program.mjs`);
  assert.match(await packages.run("node", ["program.mjs"]), /^From a program$/m);
  const deno = [
    "run",
    "--no-lock",
    "--node-modules-dir=manual",
    `--allow-net=${new URL(server.origin).host}`,
  ];
  assert.match(await packages.run(Deno.execPath(), [...deno, "program.mjs"]), /^From a program$/m);
});
