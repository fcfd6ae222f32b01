// Every page of the console in a real browser, as the demo fills it: axe, light and dark, what the page complains of, its
// title, the focus, and whether it fits at 320, 768 and 1440 px; once more in Chinese and from right to left.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { type ConsolePage, PAGES } from "../../../console/pages.ts";
import { type Server, startServer } from "../../server.ts";
import { persistently } from "../../until.ts";
import { complaintsOf, launch } from "./browser.ts";
import {
  accessibilityProblems,
  ADMIN,
  ask,
  openAs,
  PASSWORD,
  problemsInBothThemes,
  shows,
  signIn,
} from "./console.ts";

interface Scene {
  readonly server: Server;
  readonly browser: Browser;
}

interface Scrolled {
  scrollTop: number;
  readonly scrollHeight: number;
}

const pages: readonly (ConsolePage & { readonly id: string })[] = PAGES;

/** Where the ids in paths come from: a list of the API whose first record is opened. */
const RECORDS: Readonly<Record<string, string>> = {
  document: "/documents",
  file: "/files",
  conversation: "/messages/conversations",
  user: "/users",
  role: "/roles",
  team: "/teams",
  webhook: "/webhooks",
};

const MIRRORED = ", in Chinese and from right to left";

/** Shows parts that load for ever, among all others. */
const STAYS_LOADING = "/console/components";

/** Shown, and nothing of it still loads. */
async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  if (new URL(page.url()).pathname === STAYS_LOADING) {
    await page.locator(".sample-long [data-row]").first().waitFor({ state: "attached" });
    return;
  }
  const loads = `document.querySelectorAll("main .skeleton, main [aria-busy=true]").length`;
  let quiet = 0;
  await persistently(async () => {
    quiet = await page.evaluate<number>(loads) === 0 ? quiet + 1 : 0;
    if (quiet > 0 && quiet < 3) await page.waitForTimeout(50);
    assert.ok(quiet >= 3, `It still loads: ${await page.evaluate("document.body.innerText")}`);
  });
}

/** @returns What is wider than the page, and how far it reaches. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const scrolls = (element) => element && element !== document.documentElement &&
      (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
    return [...document.body.querySelectorAll("*")]
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return (right > width + 1 || left < -1) && !scrolls(element.parentElement);
      })
      .slice(0, 5)
      .map((element) => element.tagName + "." + element.className + " to " +
        Math.round(element.getBoundingClientRect().right) + " of " + width);
  })()`);
}

/** @returns What is still wider than the page when it has had time for another width. */
async function settledWidth(page: Page): Promise<string[]> {
  let wide = await tooWide(page);
  for (let looks = 0; looks < 40 && wide.length > 0; looks++) {
    await page.waitForTimeout(50);
    wide = await tooWide(page);
  }
  return wide;
}

/** @returns What looks the same with the focus as without. */
async function focusedUnseen(page: Page): Promise<string[]> {
  // What is focused by a script shows it as what was focused last did: by keyboard.
  await page.keyboard.press("Tab");
  return await page.evaluate(`(() => {
    const look = (element) => {
      const parent = element.parentElement;
      const around = [element, element.nextElementSibling, parent, parent?.parentElement,
        parent?.parentElement?.parentElement].filter(Boolean);
      return around.map((one) => ["", "::before", "::after"].map((part) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } =
          getComputedStyle(one, part || undefined);
        return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor].join();
      }).join()).join(";");
    };
    const all = [...document.querySelectorAll(
      "a[href], button, input, select, textarea, summary, [tabindex='0']",
    )].filter((element) => !element.disabled && element.checkVisibility({ visibilityProperty: true }));
    const unseen = [];
    for (const element of all.slice(0, 150)) {
      document.activeElement?.blur();
      const without = look(element);
      element.focus({ preventScroll: true });
      if (document.activeElement === element && look(element) === without) {
        unseen.push(element.outerHTML.slice(0, 120));
      }
    }
    document.activeElement?.blur();
    return unseen;
  })()`);
}

async function examine(page: Page, url: string, complaints: string[]): Promise<string[]> {
  complaints.length = 0;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(url);
  await settled(page);
  const problems: string[] = [];
  const title = await page.title();
  if (!/^.+ · Quarterdeck$/.test(title)) problems.push(`title: ${title}`);
  const headings = await page.locator("h1").allInnerTexts();
  if (headings.length !== 1 || !headings[0]!.trim()) problems.push(`h1: ${headings.join(", ")}`);
  problems.push(...(await problemsInBothThemes(page)).map((problem) => `axe: ${problem}`));
  problems.push(...(await focusedUnseen(page)).map((element) => `focus is not seen: ${element}`));
  problems.push(...await misfits(page));
  problems.push(...complaints.map((complaint) => `complaint: ${complaint}`));
  return problems;
}

/** What does not fit, from the widest page to the narrowest. */
async function misfits(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const width of [1440, 768, 320]) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await settledWidth(page);
    problems.push(...wide.map((element) => `at ${width} px: ${element}`));
  }
  return problems;
}

/** Texts from left to right whose end, or what they are cut off by, stands where they begin. */
function turnedRound(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const turned = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const boxOf = (node, at) => {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect();
    };
    while (texts.nextNode()) {
      const node = texts.currentNode;
      const text = node.data.trimEnd();
      if (!/^[\\p{Letter}\\p{Number}].*[^\\p{Letter}]$/u.test(text) ||
        !node.parentElement.checkVisibility()) continue;
      const first = boxOf(node, 0);
      const last = boxOf(node, text.length - 1);
      if (first.width > 0 && first.top === last.top && last.left < first.left) turned.push(text);
    }
    return turned;
  })()`);
}

/** The same page for those who read Chinese, and from right to left: what that may change. */
async function examineMirrored(page: Page, url: string, complaints: string[]): Promise<string[]> {
  complaints.length = 0;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(url);
  await settled(page);
  const { dir, lang } = await page.evaluate<Record<"dir" | "lang", string>>(
    "({ dir: document.documentElement.dir, lang: document.documentElement.lang })",
  );
  assert.deepEqual({ dir, lang }, { dir: "rtl", lang: "zh" });
  const found = await accessibilityProblems(page);
  return [
    ...found.map((problem) => `axe: ${problem}`),
    ...(await turnedRound(page)).map((text) => `turned round: ${text}`),
    ...await misfits(page),
    ...complaints.map((complaint) => `complaint: ${complaint}`),
  ];
}

/** Chooses both as people do. */
async function mirror(page: Page, origin: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${origin}/account/preferences`);
  await page.getByLabel("Language").selectOption({ label: "中文" });
  await page.getByLabel("文字方向").selectOption({ label: "从右到左" });
  await page.locator("html[dir=rtl]").waitFor();
}

async function signedIn({ server: { origin }, browser }: Scene, test: Deno.TestContext) {
  const admin = await signIn(origin);
  const hook = { name: "Harbour", url: "https://example.com/hook", events: ["documents.created"] };
  await ask(origin, admin, "POST", "/webhooks", hook);
  const { page, complaints, context } = await openAs(browser, admin, { locale: "en-US" });
  const each = async (how: string, check: typeof examine, among = pages) => {
    for (const { id, path, public: isPublic } of among) {
      if (isPublic) continue;
      await test.step(`${id} at ${path}${how}`, async () => {
        const list = RECORDS[id];
        const [first] = list ? await ask(origin, admin, "GET", `${list}?limit=1`) : [];
        assert.ok(!path.includes(":") || first, `there is a ${id}`);
        const url = origin + path.replace(":id", first?.id);
        assert.deepEqual(await check(page, url, complaints), []);
        assert.equal(page.url(), url);
      });
    }
  };
  await each("", examine);
  await test.step("rows of a long table show where they come after it", async () => {
    for (let i = 0; i < 150; i++) await ask(origin, admin, "GET", "/auth/sessions");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${origin}/requests`);
    await page.locator("[data-row]").nth(10).waitFor();
    await shows(() => page.locator("[data-row][tabindex='0']").count(), 1);
    // And one is reached by Tab wherever the table was scrolled to.
    const box = page.locator(".table-box");
    await box.evaluate((element: Scrolled) => void (element.scrollTop = element.scrollHeight));
    await page.locator("[data-row][aria-rowindex='2']").waitFor({ state: "detached" });
    await shows(() => page.locator("[data-row][tabindex='0']").count(), 1);
  });
  await mirror(page, origin);
  // The page of parts has a test of its own, from right to left too.
  await each(MIRRORED, examineMirrored, pages.filter(({ path }) => path !== STAYS_LOADING));
  await context.close();
}

async function stranger({ server: { origin }, browser }: Scene, test: Deno.TestContext) {
  const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-US" });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const each = async (how: string, check: typeof examine) => {
    for (const { id, path, public: isPublic } of pages) {
      if (!isPublic) continue;
      await test.step(`${id} at ${path}${how}`, async () => {
        assert.deepEqual(await check(page, origin + path, complaints), []);
      });
    }
  };
  await each("", examine);
  // As somebody has left it who signed out.
  await page.evaluate(
    `localStorage.setItem("quarterdeck.preferences", '{"language":"zh","direction":"rtl"}')`,
  );
  await each(MIRRORED, examineMirrored);
  await context.close();
}

Deno.test("every page of the console in a browser", async (test) => {
  await using server = await startServer({
    VARIANT: "full",
    USE_MOCK: "true",
    ADMIN_EMAIL: ADMIN,
    ADMIN_PASSWORD: PASSWORD,
    JWT_SECRET: "an access secret of the tests, long enough",
    REFRESH_TOKEN_SECRET: "a refresh secret of the tests, long enough",
    RATE_LIMIT: "false",
  });
  const browser = await launch();
  try {
    await signedIn({ server, browser }, test);
    await stranger({ server, browser }, test);
  } finally {
    await browser.close();
  }
});
