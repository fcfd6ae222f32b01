// The parts of the console in a real browser, on the page that shows them all: with axe, light and dark, at three widths,
// by keyboard, and scrolled through 10,000 rows.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { type Server, startServer } from "../../server.ts";
import { persistently, until } from "../../until.ts";
import { launch } from "./browser.ts";
import {
  accessibilityProblems,
  ADMIN,
  go,
  openAs,
  type OpenOptions,
  PASSWORD,
  shows,
  signIn,
} from "./console.ts";

/** Playwright's look at the page; its own types need those of a browser. */
// deno-lint-ignore no-explicit-any
type Any = any;

async function open(browser: Browser, { origin }: Server, options: OpenOptions = {}) {
  const opened = await openAs(browser, await signIn(origin), { locale: "en-US", ...options });
  await go(opened.page, `${origin}/console/components`, "Components");
  return opened;
}

/** What playwright-core offers for this compiles texts in the page, which its policy forbids. */
const untilTrue = (page: Page, expression: string) =>
  until(() => page.evaluate<boolean>(expression), expression);

const focused = (page: Page) =>
  page.evaluate<string>(
    "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').slice(0, 60)",
  );
const focusedRow = (page: Page) =>
  page.evaluate<string | null>("document.activeElement?.getAttribute('data-row') ?? null");

Deno.test("the console's parts in a browser", async (test) => {
  await using server = await startServer({
    VARIANT: "full",
    ADMIN_EMAIL: ADMIN,
    ADMIN_PASSWORD: PASSWORD,
    RATE_LIMIT: "false",
  });
  const browser = await launch();
  try {
    for (const dark of [false, true]) {
      for (const width of [320, 768, 1440]) {
        await test.step(`axe finds nothing and nothing is wider than the page: ${dark ? "dark" : "light"}, ${width} px`, async () => {
          const { page, complaints, context } = await open(browser, server, { dark, width });
          await page.waitForTimeout(400);
          // Colours are the same at every width, and what stands where is the same in both themes.
          if (!dark || width === 1440) {
            assert.deepEqual(await accessibilityProblems(page, { dark }), []);
          }
          const sizes = await page.evaluate<[number, number]>(
            "[document.documentElement.scrollWidth, innerWidth]",
          );
          assert.ok(sizes[0] <= sizes[1], `${sizes[0]} px on a page of ${sizes[1]}`);
          assert.deepEqual(complaints, []);
          await context.close();
        });
      }
    }
    await test.step("axe finds nothing in what opens, from right to left", () =>
      opened(browser, server));
    await test.step("a dialog keeps the focus and gives it back", () => dialogs(browser, server));
    await test.step("a menu is moved through by arrows and letters", () => menus(browser, server));
    await test.step("a table by keyboard: rows, choosing, opening, paging; after deleting, the next row", () =>
      tables(browser, server));
    await test.step("what opens has the focus before it is drawn: a key that follows at once goes there", () =>
      opensAtOnce(browser, server));
    await test.step("a combobox by keyboard", () => comboboxes(browser, server));
    await test.step("a form leads to its first wrong field", () => forms(browser, server));
    await test.step("a chart tells its values by arrow keys", () => charts(browser, server));
    await test.step("10,000 rows: few stand in the page, and none is missing where one looks", () =>
      longTable(browser, server));
  } finally {
    await browser.close();
  }
});

async function opened(browser: Browser, server: Server) {
  const { page, complaints, context } = await open(browser, server);
  await page.getByText("Right to left").click();
  await untilTrue(page, "document.documentElement.dir === 'rtl'");
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  await button("Actions").click();
  assert.deepEqual(await accessibilityProblems(page, { within: ".menu:popover-open" }), [], "menu");
  await page.keyboard.press("Escape");
  await button("Open a dialog").click();
  assert.deepEqual(await accessibilityProblems(page, { within: "dialog" }), [], "dialog");
  await page.keyboard.press("Escape");
  await button("Open a drawer").click();
  assert.deepEqual(await accessibilityProblems(page, { within: "dialog" }), [], "drawer");
  await page.keyboard.press("Escape");
  await button("Delete…").click();
  assert.deepEqual(await accessibilityProblems(page, { within: "dialog" }), [], "question");
  await page.keyboard.press("Escape");
  await button("Message of success").click();
  await button("Message of failure").click();
  await page.getByRole("combobox", { name: "Members" }).click();
  await page.locator("[role=option]").first().waitFor();
  await page.getByRole("checkbox", { name: "Select all rows" }).first().check();
  assert.deepEqual(await accessibilityProblems(page), [], "messages, options, chosen rows");
  for (const state of ["Loading", "Empty", "Failed"]) {
    await page.locator("#table").getByText(state, { exact: true }).first().click();
    assert.deepEqual(await accessibilityProblems(page, { within: "#table" }), [], state);
  }
  assert.deepEqual(complaints, []);
  await context.close();
}

async function dialogs(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const button = page.getByRole("button", { name: "Open a dialog" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Rename the document" });
  await dialog.waitFor();
  const field = dialog.getByRole("textbox");
  assert.ok(
    await field.evaluate((element: Any) => element === element.ownerDocument.activeElement),
  );
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press("Tab");
    assert.ok(
      await page.evaluate<boolean>(
        "document.activeElement === document.body || !!document.activeElement.closest('dialog')",
      ),
    );
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await shows(() => focused(page), "Open a dialog");

  await page.getByRole("button", { name: "Delete…" }).click();
  // What cannot be undone is not what Enter does.
  await shows(() => focused(page), "Cancel");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The document was moved to the trash").waitFor();
  await shows(() => focused(page), "Delete…");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Restored").waitFor();
  await context.close();
}

async function menus(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const button = page.getByRole("button", { name: "Actions", exact: true });
  await button.focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("menu").waitFor();
  await shows(() => focused(page), /^Open/);
  await page.keyboard.press("ArrowUp");
  await shows(() => focused(page), /^Delete/);
  await page.keyboard.type("sh");
  await shows(() => focused(page), /^Shared/);
  await page.keyboard.press("Enter");
  // It was switched, and the menu stays.
  await shows(() => page.getByRole("menuitemcheckbox").getAttribute("aria-checked"), "false");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await shows(() => focused(page), "Actions");
  await context.close();
}

async function opensAtOnce(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const opens = async (button: string, key: string, focus: RegExp) => {
    await page.getByRole("button", { name: button, exact: true }).focus();
    // No frame comes, as on a machine that is busy.
    await page.evaluate("requestAnimationFrame = () => 0; setTimeout = () => 0;");
    await page.keyboard.press(key);
    await untilTrue(page, "document.activeElement.closest(':popover-open') !== null");
    assert.match(await focused(page), focus);
  };
  await opens("Actions", "Enter", /^Open/);
  await page.keyboard.press("Escape");
  await opens("Actions", "ArrowDown", /^Open/);
  await page.keyboard.press("Escape");
  await opens("Actions", "ArrowUp", /^Delete/);
  await go(page, `${server.origin}/users`, "Users");
  await opens("Views", "Enter", /./);
  await page.keyboard.press("Escape");
  // The editor of a filter opens as soon as it was chosen.
  await opens("Filter", "Enter", /./);
  await page.keyboard.press("Enter");
  assert.ok(await page.evaluate("document.activeElement.closest('.filter-editor:popover-open')"));
  await context.close();
}

async function tables(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const table = page.locator("#table");
  const rows = table.locator("[data-row]");
  const ids = () =>
    rows.evaluateAll((all: Any) => all.map((row: Any) => row.dataset.row as string));
  const order = await ids();
  await rows.first().focus();
  for (const key of ["ArrowDown", "j", "j", "k"]) await page.keyboard.press(key);
  await shows(() => focusedRow(page), order[2]);
  await page.keyboard.press("x");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+X");
  const chosen = table.getByRole("checkbox", { checked: true });
  await shows(() => chosen.count(), 3);
  await page.keyboard.press("Escape");
  await shows(() => chosen.count(), 0);
  // What was chosen stays so when Shift and an arrow go on from it.
  await page.keyboard.press("Home");
  for (const key of ["x", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowUp"]) {
    await page.keyboard.press(key);
  }
  await shows(() => chosen.count(), 2);
  await page.keyboard.press("Escape");
  await shows(() => chosen.count(), 0);

  // By the pointer: one, and with Shift up to another; the boxes show what is chosen.
  await rows.nth(1).getByRole("checkbox").click();
  await rows.nth(4).getByRole("checkbox").click({ modifiers: ["Shift"] });
  await page.getByText("4 selected").first().waitFor();
  await shows(() => chosen.count(), 4);
  await rows.nth(4).getByRole("checkbox").click();
  await shows(() => chosen.count(), 3);
  const before = await ids();
  await page.getByRole("region", { name: "3 selected" }).getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("3 deleted").waitFor();
  // The button that had the focus is gone: the row that was pressed last has it.
  await untilTrue(page, `document.activeElement?.hasAttribute("data-row")`);
  await shows(() => focusedRow(page), before[4]);
  // That row goes, too: the next one has it.
  const left = await ids();
  await page.keyboard.press("x");
  await page.getByRole("region", { name: "1 selected" }).getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("1 deleted").waitFor();
  await untilTrue(page, `document.activeElement?.hasAttribute("data-row")`);
  await shows(() => focusedRow(page), left[left.indexOf(before[4]!) + 1]);

  // The menu of a row: by its button, which closes it too, and by a key.
  const button = rows.first().getByRole("button");
  await button.click();
  await page.getByRole("menuitem", { name: "Open" }).waitFor();
  await button.click();
  await page.getByRole("menuitem", { name: "Open" }).waitFor({ state: "detached" });
  await rows.nth(1).focus();
  const second = await focusedRow(page);
  await page.keyboard.press(".");
  await page.getByRole("menuitem", { name: "Open" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menuitem", { name: "Open" }).waitFor({ state: "detached" });
  await shows(() => focusedRow(page), second);

  await rows.first().focus();
  await page.keyboard.press("Enter");
  await page.getByText(/^Opened /).waitFor();
  await page.keyboard.press("PageDown");
  await page.getByText("26–43 of 43").waitFor();
  await table.getByRole("button", { name: "Documents" }).click();
  await table.locator("th[aria-sort=ascending]", { hasText: "Documents" }).waitFor();
  await table.getByRole("button", { name: "Documents" }).click();
  await table.locator("th[aria-sort=descending]", { hasText: "Documents" }).waitFor();
  await context.close();
}

async function comboboxes(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const combobox = page.getByRole("combobox", { name: "Owner" });
  await combobox.focus();
  await page.keyboard.type("hop");
  await page.locator("[role=option]").first().waitFor();
  await untilTrue(page, "document.querySelectorAll('[role=option]').length < 12");
  assert.equal(await combobox.getAttribute("aria-expanded"), "true");
  await page.keyboard.press("Enter");
  await shows(() => combobox.inputValue(), /Hopper/);
  await shows(() => combobox.getAttribute("aria-expanded"), "false");

  const members = page.getByRole("combobox", { name: "Members" });
  await members.focus();
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "Remove Grace Hopper" }).waitFor({ state: "detached" });
  await page.keyboard.press("ArrowDown");
  await page.locator("[role=option]").nth(3).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  // On from the open list, as from a closed one.
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");
  await shows(() => members.getAttribute("aria-expanded"), "false");
  await shows(() => page.locator(".field", { has: members }).locator(".chip").count(), 2);
  await context.close();
}

async function forms(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const form = page.getByRole("form", { name: "Form" });
  const name = form.getByRole("textbox", { name: "Name" });
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Give a name").waitFor();
  await untilTrue(page, "document.activeElement?.getAttribute('aria-invalid') === 'true'");
  const described = await name.getAttribute("aria-describedby");
  assert.equal(await page.locator(`[id="${described}"]`).innerText(), "Give a name");
  await page.keyboard.type("taken");
  await form.getByText("Give a name").waitFor({ state: "detached" });
  // It says that it works, for a moment, and keeps the focus.
  const works = form.locator("button[aria-busy=true]").waitFor();
  await page.keyboard.press("Enter");
  await works;
  await form.getByText("A document of this title is there already").waitFor();
  await untilTrue(page, "document.activeElement?.getAttribute('aria-invalid') === 'true'");
  await name.fill("A harbour");
  await page.keyboard.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  await context.close();
}

async function charts(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const chart = page.getByRole("group", { name: "Visits a day" });
  await chart.focus();
  await page.keyboard.press("End");
  const told = () => chart.getByRole("status").innerText();
  await shows(told, /^Nov 22: Visits [\d,]+, Visitors [\d,]+$/);
  await page.keyboard.press("Home");
  await shows(told, /^Oct 24/);
  await page.keyboard.press("Escape");
  assert.equal(
    await page.getByRole("table", { name: "Visits a day" }).getByRole("row").count(),
    31,
  );
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the figures of Visits a day as CSV" }).click();
  assert.equal((await download).suggestedFilename(), "visits.csv");
  await context.close();
}

async function longTable(browser: Browser, server: Server) {
  const { page, context } = await open(browser, server);
  const table = page.locator("#long-table");
  await table.scrollIntoViewIfNeeded();
  await table.locator("[data-row]").first().waitFor();
  assert.equal(await table.getByRole("table").getAttribute("aria-rowcount"), "10001");
  const look = () =>
    table.evaluate((card: Any) => {
      const box = card.querySelector(".table-box");
      const { top, bottom } = box.getBoundingClientRect();
      const seen = [...card.querySelectorAll("[data-row]")].filter((row: Any) => {
        const place = row.getBoundingClientRect();
        return place.bottom > top && place.top < bottom;
      });
      const heights = seen.reduce(
        (sum: number, row: Any) => sum + row.getBoundingClientRect().height,
        0,
      );
      return {
        rows: card.querySelectorAll("[data-row]").length,
        covered: heights >= bottom - top - 80,
        height: box.scrollHeight,
        first: seen[0]?.dataset.row,
      };
    });
  const start = await look();
  for (const part of [0.1, 0.5, 0.93, 1, 0]) {
    await table.locator(".table-box").evaluate(
      (box: Any, part: number) => box.scrollTop = box.scrollHeight * part,
      part,
    );
    await persistently(async () => {
      const now = await look();
      assert.ok(now.rows < 120, `${now.rows} rows in the page`);
      assert.ok(now.covered, `rows are missing at ${part}`);
      assert.ok(
        Math.abs(now.height - start.height) < 60,
        "the length of the whole does not change",
      );
    });
  }
  // The row with the focus stays while it is scrolled away, and End leads to the last.
  await table.locator("[data-row]").first().focus();
  await table.locator(".table-box").evaluate((box: Any) => box.scrollTop = 200_000);
  await page.waitForTimeout(150);
  await shows(() => focusedRow(page), "sample-0");
  await page.keyboard.press("End");
  await untilTrue(page, "document.activeElement?.getAttribute('data-row') === 'sample-9999'");
  await context.close();
}
