// What tests of the console have in common: a server and a browser, signing in without the page for it, opening pages,
// what stands on them, and axe.
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { type Server, startServer } from "../../server.ts";
import { persistently } from "../../until.ts";
import { complaintsOf, launch } from "./browser.ts";

/** https://github.com/dequelabs/axe-core, in the shorter of its two forms: each page reads it. */
const axe = await Deno.readTextFile(new URL("axe.min.js", import.meta.resolve("axe-core")));

export const ADMIN = "admin@example.com";
export const PASSWORD = "a quiet harbour";

export interface SignedIn {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly user: { readonly id: string; readonly name: string };
}

/** Signs in by the API. */
export async function signIn(
  origin: string,
  email = ADMIN,
  password = PASSWORD,
): Promise<SignedIn> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const { data } = await response.json();
  assert.equal(response.status, 200, `${email} can sign in`);
  return data;
}

/** A server with an administrator, and a browser. */
export interface Scene {
  readonly server: Server;
  readonly browser: Browser;
  readonly admin: SignedIn;
}

/** @param settings Of the server. @default variant full */
export async function startScene(
  settings: Record<string, string> = {},
): Promise<Scene & AsyncDisposable> {
  const server = await startServer({ VARIANT: "full", ADMIN_PASSWORD: PASSWORD, ...settings });
  const browser = await launch();
  return {
    server,
    browser,
    admin: await signIn(server.origin),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Asks the API as somebody. @returns `data` of the answer. */
export async function ask(
  origin: string,
  { accessToken }: Pick<SignedIn, "accessToken">,
  method: string,
  path: string,
  body?: unknown,
  // deno-lint-ignore no-explicit-any -- each test knows what it asks for
): Promise<any> {
  const response = await fetch(`${origin}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** Adds somebody: `Ada Byron` is ada.byron@example.com. */
export async function person(
  { server, admin }: Scene,
  name: string,
  more: Record<string, unknown> = {},
): Promise<{ readonly id: string; readonly email: string }> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@example.com`;
  const body = { name, email, password: PASSWORD, ...more };
  return await ask(server.origin, admin, "POST", "/users", body);
}

export interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the page so far. */
  readonly complaints: string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly locale?: string;
}

/** A browser of one's own, in which somebody is signed in. */
export async function openAs(
  browser: Browser,
  { accessToken, expiresIn }: SignedIn,
  { width = 1440, height = 900, dark = false, locale = "en-GB" }: OpenOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    locale,
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const tokens = JSON.stringify({ accessToken, expiresAt: Date.now() + expiresIn * 1000 });
  // Once: whoever is signed out, or renews their tokens, stays so.
  await context.addInitScript((kept: string) => {
    if (localStorage.getItem("quarterdeck.test") !== null) return;
    localStorage.setItem("quarterdeck.test", "signed in");
    localStorage.setItem("quarterdeck.session", kept);
  }, tokens);
  const page = await context.newPage();
  return { context, page, complaints: complaintsOf(page) };
}

/** Has the server refuse the session from the next request of a method to a path on, and nothing to renew it by. */
export async function endSessionAt(page: Page, method: string, path: string): Promise<void> {
  await page.context().clearCookies();
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return await route.fallback();
    const json = { code: "UNAUTHORIZED", detail: "The session has ended" };
    await route.fulfill({ status: 401, json, contentType: "application/problem+json" });
  });
}

/** Signs in where the session has ended, on the page that leads back. */
export async function signInAgain(page: Page, email = ADMIN): Promise<void> {
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await page.unrouteAll();
  await page.locator("[name=email]").fill(email);
  await page.locator("[name=password]").fill(PASSWORD);
  await page.keyboard.press("Enter");
}

/**
 * Closes windows, and holds them to have complained of nothing.
 *
 * @param but What the test has provoked, such as `/412/`.
 */
export async function leave(windows: readonly Opened[], but?: RegExp): Promise<void> {
  const complaints = windows.flatMap((window) => window.complaints);
  assert.deepEqual(complaints.filter((complaint) => !but?.test(complaint)), []);
  await Promise.all(windows.map(({ context }) => context.close()));
}

/** Waits for a text. */
export async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Waits until a field has the focus, as a person does before typing. */
export async function fieldReady(page: Page): Promise<void> {
  await page.locator("input:focus, textarea:focus").first().waitFor();
}

/** Waits until what is read is as expected: what a key or a click leads to may show a moment later. */
export async function shows<T>(read: () => Promise<T>, expected: T | RegExp): Promise<void> {
  await persistently(async () => {
    const found = await read();
    if (expected instanceof RegExp) assert.match(String(found), expected);
    else assert.deepEqual(found, expected);
  });
}

/** The row of a list that has a text. */
export function row(page: Page, text: string): Locator {
  return page.getByRole("row").filter({ hasText: text });
}

/** Opens a page of the console, and waits for its title. */
export async function go(page: Page, url: string, title: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
}

/**
 * What axe finds wrong with what is shown: rule, and where.
 *
 * @param within A selector: what is looked at. @default the whole page
 * @param dark Looks for what the dark theme alone may do wrong: contrasts.
 */
export async function accessibilityProblems(
  page: Page,
  { within = "html", dark = false }: { readonly within?: string; readonly dark?: boolean } = {},
): Promise<string[]> {
  // By the debugger's hand, which the Content-Security-Policy of the page does not bind.
  if (!await page.evaluate<boolean>("'axe' in globalThis")) await page.evaluate(axe);
  return await page.evaluate(async ({ within, dark }) => {
    interface Found {
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly {
          readonly target: readonly unknown[];
          readonly failureSummary?: string;
        }[];
      }[];
    }
    const { axe } = globalThis as unknown as {
      axe: { run(context: unknown, options: unknown): Promise<Found> };
    };
    const only = dark ? { runOnly: ["color-contrast"] } : {};
    // To name the thousands of places where all is well takes as long as to look.
    const { violations } = await axe.run(within, { resultTypes: ["violations"], ...only });
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ target, failureSummary }) =>
        `${id}: ${target.join(" ")}: ${failureSummary?.split("\n")[1]?.trim()}`
      )
    );
  }, { within, dark });
}

/** What axe finds in the light theme, and what the dark one changes of it: contrasts. */
export async function problemsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await accessibilityProblems(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await accessibilityProblems(page, { dark: true });
  return [...light, ...dark.map((problem) => `dark: ${problem}`)];
}

/** Holds what is shown to have nothing that axe finds, in both themes. @param where For the message of a failure. */
export async function noProblems(page: Page, where: string): Promise<void> {
  assert.deepEqual(await problemsInBothThemes(page), [], where);
}
