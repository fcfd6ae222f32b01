// Pictures of the console's main pages as the demo fills them: light and dark, as wide as a desk and as a phone.
import type { Browser, Page } from "playwright-core";
import { answerHelp, print } from "../core/command_line.ts";
import { launch } from "../tests/long/browser/browser.ts";
import { type Server, startServer } from "../tests/server.ts";

answerHelp(`Usage: deno task screenshots

Starts a server with the demo, and writes docs/images/PAGE-THEME-WIDTH.png.`);

const ADMIN = { email: "admin@example.com", password: "a password for the pictures" };
const IMAGES = new URL("../docs/images/", import.meta.url);

const THEMES = ["light", "dark"] as const;
const SIZES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }] as const;

/** Name of the picture and path; `:id` stands for the last record that the API lists at LISTS, else at the path. */
const PAGES = {
  overview: "/dashboard",
  users: "/users",
  user: "/users/:id",
  role: "/roles/:id",
  documents: "/documents",
  document: "/documents/:id",
  files: "/files",
  messages: "/messages/:id",
  calendar: "/calendar",
  audit: "/audit",
} as const;

const LISTS: Readonly<Record<string, string>> = {
  "/messages": "/messages/conversations",
  // One that is prose.
  "/documents": "/documents?search=Welcome%20aboard",
  // Super administrators have every permission; others have some.
  "/roles": "/roles?search=admin&sort=-name",
};

interface SignedIn {
  readonly accessToken: string;
  readonly expiresIn: number;
}

async function main(): Promise<void> {
  await using server = await startServer({
    VARIANT: "full",
    USE_MOCK: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    JWT_SECRET: "an access secret that is kept for the pictures",
    REFRESH_TOKEN_SECRET: "a refresh secret that is kept for the pictures",
    RATE_LIMIT: "false",
  });
  const signedIn = await signIn(server);
  await Deno.mkdir(IMAGES, { recursive: true });
  const browser = await launch();
  let bytes = 0;
  try {
    for (const theme of THEMES) {
      for (const size of SIZES) {
        const page = await open(browser, signedIn, theme, size);
        for (const [name, path] of Object.entries(PAGES)) {
          await page.goto(server.origin + await withId(server, signedIn, path));
          await settled(page);
          const file = `${name}-${theme}-${size.width}.png`;
          const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
          await Deno.writeFile(new URL(file, IMAGES), picture);
          bytes += picture.length;
          print(`${file} ${(picture.length / 1000).toFixed(1)} kB`);
        }
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
  }
  print(`${(bytes / 1e6).toFixed(2)} MB`);
}

async function open(
  browser: Browser,
  { accessToken, expiresIn }: SignedIn,
  colorScheme: (typeof THEMES)[number],
  viewport: (typeof SIZES)[number],
): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: "en-GB",
    timezoneId: "UTC",
    deviceScaleFactor: 1,
    reducedMotion: "reduce",
  });
  const kept = JSON.stringify({ accessToken, expiresAt: Date.now() + expiresIn * 1000 });
  await context.addInitScript(
    (kept: string) => localStorage.setItem("quarterdeck.session", kept),
    kept,
  );
  return await context.newPage();
}

/** Until the page has its data, its letters and its pictures. */
async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  const waits = `document.fonts.status === "loading" ||
    document.querySelector("main .skeleton, main .bone, main [aria-busy=true]") !== null ||
    [...document.images].some(({ complete }) => !complete)`;
  for (let quiet = 0, tries = 0; quiet < 5; tries++) {
    if (tries > 200) throw new Error(`Cannot take a picture of ${page.url()}: it still loads`);
    quiet = await page.evaluate<boolean>(waits) ? 0 : quiet + 1;
    await page.waitForTimeout(100);
  }
}

async function withId({ origin }: Server, { accessToken }: SignedIn, path: string) {
  if (!path.endsWith("/:id")) return path;
  const list = path.replace("/:id", "");
  const response = await fetch(`${origin}/api${LISTS[list] ?? list}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  const { data } = await response.json();
  return `${list}/${data.at(-1).id}`;
}

async function signIn({ origin }: Server): Promise<SignedIn> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ADMIN),
  });
  if (!response.ok) throw new Error(`Cannot sign in: ${await response.text()}`);
  return (await response.json()).data;
}

if (import.meta.main) await main();
