// What strangers share, in a real browser on the real server: it is shown, it runs when asked to, and nothing of it gets out.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { freePort } from "../../ports.ts";
import { startServer } from "../../server.ts";
import { complaintsOf, launch } from "./browser.ts";

/** A stranger's server: it answers whatever comes, and keeps the first line of each request. */
function listenAsStranger() {
  const requests: string[] = [];
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const answer = new TextEncoder().encode(
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
  );
  async function serve(connection: Deno.Conn) {
    const buffer = new Uint8Array(4096);
    try {
      const length = await connection.read(buffer) ?? 0;
      if (length > 0) {
        requests.push(new TextDecoder().decode(buffer.subarray(0, length)).split("\r\n")[0]!);
      }
      await connection.write(answer);
      connection.close();
    } catch {
      // The browser has hung up: it had connected in advance.
    }
  }
  const done = (async () => {
    for await (const connection of listener) serve(connection);
  })().catch(() => {});
  const { port } = listener.addr as Deno.NetAddr;
  return {
    requests,
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await done;
    },
  };
}

/** Everything that loads or sends, in one page: H is the stranger's host. */
const CONNECTIONS = `
<link rel=stylesheet href="http://H/css"><link rel=preconnect href="http://H/"><link rel=icon href="http://H/icon">
<link rel=prefetch href="http://H/prefetch"><link rel=preload as=image href="http://H/preload">
<link rel=modulepreload href="http://H/modulepreload"><link rel=manifest href="http://H/manifest">
<style>@import "http://H/import"; @font-face { font-family: f; src: url(http://H/font) } p { font-family: f }</style>
<p style="background: url(http://H/background)">text</p><base href="http://H/"><img src="base">
<img src="http://H/image"><img srcset="http://H/srcset 1x"><video src="http://H/video" autoplay></video>
<audio src="http://H/audio" autoplay></audio><video><track src="http://H/track" default></video>
<svg><image href="http://H/svg-image"/><use href="http://H/svg-use#a"/></svg>
<object data="http://H/object"></object><embed src="http://H/embed"><iframe src="http://H/iframe"></iframe>
<iframe srcdoc="<img src='http://H/nested-image'><script>location='http://H/nested'</script>"></iframe>
<script src="http://H/script"></script>
<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["http://H/speculation"]}]}</script>
<script>
  const at = "http://H/";
  const tries = [
    () => fetch("http://H/fetch", { mode: "no-cors" }),
    () => fetch("http://H/keepalive", { mode: "no-cors", keepalive: true }),
    () => { const x = new XMLHttpRequest(); x.open("GET", "http://H/xhr"); x.send(); },
    () => new WebSocket("ws://H/websocket"),
    () => new EventSource("http://H/events"),
    () => navigator.sendBeacon("http://H/beacon", "x"),
    () => import(at + "module"),
    () => new Worker("http://H/worker"),
    () => new Worker(URL.createObjectURL(new Blob(["fetch('http://H/in-worker')"]))),
    () => { const f = document.createElement("iframe"); document.body.append(f);
      f.contentDocument.write("<img src=http://H/blank-frame>"); },
    () => { const f = document.createElement("iframe"); document.body.append(f);
      f.src = URL.createObjectURL(new Blob(["<img src=http://H/blob-frame>"], { type: "text/html" })); },
  ];
  for (const run of tries) { try { run()?.catch?.(() => {}); } catch { /* refused */ } }
</script>`;

/** Ways to leave, or to take the reader along; what has the id \`c\` is clicked. */
const NAVIGATIONS: Readonly<Record<string, string>> = {
  "a refresh": `<meta http-equiv=refresh content="0;url=http://H/refresh">`,
  "the location": `<script>location = "http://H/location"</script>`,
  "the navigation API": `<script>navigation.navigate("http://H/navigate")</script>`,
  "the location of the window": `<script>top.location = "http://H/top"</script>`,
  "the location of the window, on a click":
    `<button id=c onclick="top.location = 'http://H/top-click'">x</button>`,
  "the page around it": `<script>parent.location.href = "http://H/parent"</script>`,
  "a new window": `<script>open("http://H/open")</script>`,
  "a new window, on a click": `<button id=c onclick="open('http://H/open-click')">x</button>`,
  "the window by its name": `<button id=c onclick="open('http://H/open-top', '_top')">x</button>`,
  "a link": `<a id=c href="http://H/link">x</a>`,
  "a link to the window": `<a id=c target=_top href="http://H/link-top">x</a>`,
  "a link to a new window": `<a id=c target=_blank href="http://H/link-blank">x</a>`,
  "a link that pings": `<a id=c ping="http://H/ping" href="#x">x</a>`,
  "a download": `<a id=c download href="http://H/download">x</a>`,
  "a form": `<form id=f action="http://H/form"><button id=c name=a>x</button></form>`,
  "a form that a script sends":
    `<form id=f action="http://H/sent"></form><script>f.submit()</script>`,
  "a form to the window":
    `<form target=_top action="http://H/form-top"><button id=c>x</button></form>`,
  "an end of the attribute it is in":
    `"></iframe><img src="http://H/escape"><script>location = "http://H/out"</script>`,
};

/** How a page is shown: before and after its scripts are asked for, and where it is apart from those who sign in. */
type Way = "off" | "on" | "apart";

async function show(page: Page, way: Way, url: string): Promise<void> {
  await page.goto(url);
  if (way === "on") await page.getByRole("button", { name: "Run them" }).click();
}

/** Milliseconds for what should not happen to happen, in all pages together. */
const PATIENCE = 600;

/** Shares a page, and gives its address. */
async function shareAt(origin: string, content: string, language = "html"): Promise<string> {
  const shared = await fetch(`${origin}/api/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content, language }),
  });
  return new URL((await shared.json()).url, origin).href;
}

/** Shows every hostile page in a tab of its own, clicks what is to be clicked, and looks at where that led. */
async function assertContained(
  browser: Browser,
  { way, origin }: { way: Way; origin: string },
): Promise<void> {
  await using stranger = listenAsStranger();
  const context = await browser.newContext();
  async function open([name, hostile]: [string, string]) {
    const content = hostile.replaceAll("//H/", `//${stranger.host}/`);
    const [page, url] = await Promise.all([context.newPage(), shareAt(origin, content)]);
    await show(page, way, url);
    if (content.includes("id=c")) await page.frameLocator("iframe").locator("#c").click();
    return { name, page, url };
  }
  const all = Object.entries({ connections: CONNECTIONS, ...NAVIGATIONS });
  const opened = await Promise.all(all.map(open));
  await opened[0]!.page.waitForTimeout(PATIENCE);
  for (const { name, page, url } of opened) assert.equal(page.url(), url, `${name}, ${way}`);
  const ours = new Set(opened.map(({ page }) => page));
  const others = context.pages().filter((page) => !ours.has(page)).map((page) => page.url());
  assert.deepEqual(others, [], way);
  await context.close();
  assert.deepEqual(stranger.requests, [], way);
}

const ADMIN = "admin@example.com";
const PASSWORD = "a quiet harbour";

/** One server and one browser for all that needs no other settings. */
Deno.test("browser: what strangers share is shown, and reaches nothing", async (t) => {
  const env = { VARIANT: "web", ADMIN_PASSWORD: PASSWORD, RATE_LIMIT: "false" };
  await using server = await startServer(env);
  await using browser = await launch();
  const { origin } = server;
  for (const way of ["off", "on"] as const) {
    await t.step(
      `it leads nowhere, sends nothing and loads nothing, its scripts ${way}`,
      () => assertContained(browser, { way, origin }),
    );
  }
  await t.step(
    "its script runs when the reader asks for it, apart from who is signed in",
    () => assertApartFromSession(browser, origin),
  );
  await t.step(
    "Markdown looks as it should, and its links open beside it",
    () => assertMarkdown(browser, origin),
  );
});

Deno.test("browser: what strangers share reaches nothing at an origin of its own either", async () => {
  const port = freePort();
  const apart = `http://snippets.localhost:${port}`;
  const env = { RATE_LIMIT: "false", PORT: String(port), SNIPPET_ORIGIN: apart };
  await using server = await startServer(env);
  await using browser = await launch();
  await assertContained(browser, { way: "apart", origin: server.origin });

  const page = await browser.newPage();
  const content = "<p id=out>waiting</p><script>out.textContent = origin</script>";
  const url = await shareAt(server.origin, content);
  assert.ok(url.startsWith(apart));
  await page.goto(server.origin + new URL(url).pathname);
  assert.equal(page.url(), url, "the administration's origin leads there");
  await page.frameLocator("iframe").locator("#out", { hasText: /^null$/ }).waitFor();
  assert.equal(await page.getByRole("note").count(), 0);
});

async function assertApartFromSession(browser: Browser, origin: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${origin}/login`);
  await page.getByLabel("E-mail").fill(ADMIN);
  await page.locator("input[type=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/dashboard**");

  await page.goto(
    await shareAt(
      origin,
      `<p id="out">waiting</p><script>
    const tries = [
      () => document.cookie,
      () => localStorage.length,
      () => parent.document.body,
      () => fetch("${origin}/api/users/me", { credentials: "include" }).then((r) => r.text()),
    ];
    Promise.allSettled(tries.map(async (run) => await run())).then((results) => {
      document.getElementById("out").textContent =
        origin + " " + results.map((r) => r.status).join(" ");
    });
  </script>`,
    ),
  );
  const out = page.frameLocator("iframe").locator("#out");
  assert.match(await page.getByRole("note").innerText(), /Somebody shared this page/);
  await page.waitForTimeout(PATIENCE);
  assert.equal(await out.innerText(), "waiting", "its scripts are off at first");

  await page.getByRole("button", { name: "Run them" }).click();
  await page.frameLocator("iframe").getByText("null rejected").waitFor();
  assert.equal(await out.innerText(), "null rejected rejected rejected rejected");
  assert.match(await page.getByRole("note").innerText(), /can read what is typed/);
  assert.equal(await page.getByRole("button").count(), 0);
}

async function assertMarkdown(browser: Browser, origin: string): Promise<void> {
  await using stranger = listenAsStranger();
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  const content = `# Notes\n\n[elsewhere](http://${stranger.host}/link)\n`;
  const url = await shareAt(origin, content, "markdown");
  await page.goto(url);
  const frame = page.frameLocator("iframe");
  const heading = frame.getByRole("heading", { name: "Notes" });
  const height = (await heading.boundingBox())?.height ?? 0;
  assert.ok(height > 36 && height < 44, `2rem high, with its style: ${height}`);
  assert.deepEqual(complaints, []);

  const [opened] = await Promise.all([
    page.waitForEvent("popup"),
    frame.getByRole("link", { name: "elsewhere" }).click(),
  ]);
  await opened.waitForLoadState();
  assert.equal(page.url(), url);
  assert.ok(stranger.requests.some((line) => line.startsWith("GET /link ")));
}
