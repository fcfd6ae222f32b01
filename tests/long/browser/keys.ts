// Going through a page by keys, with the focus always somewhere, and seen.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/** Waits until something has the focus, and that can be seen. */
export async function focusOn(page: Page, target: Locator): Promise<void> {
  await target.and(page.locator(":focus")).waitFor();
  assert.ok(await page.evaluate<boolean>(`document.activeElement.matches(":focus-visible")`));
}

/** Presses a key again and again, until something has the focus. */
async function goTo(page: Page, target: Locator, key: string, times: number): Promise<void> {
  await target.first().waitFor();
  const focused = target.and(page.locator(":focus"));
  for (let steps = 0; steps < times; steps++) {
    if (await focused.count() > 0) return await focusOn(page, target);
    await page.keyboard.press(key);
  }
  const shown = await page.evaluate("document.activeElement.outerHTML.slice(0, 200)");
  assert.fail(`${key} leads to ${shown}, and not to ${target}`);
}

export const tabTo = (page: Page, target: Locator) => goTo(page, target, "Tab", 80);
export const arrowTo = (page: Page, target: Locator, key: string) => goTo(page, target, key, 20);

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
