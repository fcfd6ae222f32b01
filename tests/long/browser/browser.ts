// A real browser for tests, and what its pages complain of.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";

// When it loads, playwright-core looks for WSL in /proc, which Deno allows to none but --allow-all; so it does not look.
Deno.env.set("__IS_WSL_TEST__", "1");
const { chromium } = await import("playwright-core");

/** Milliseconds until what does not show is taken for broken: many times what a busy machine takes. */
const PATIENCE = 120_000;

const executablePath = Deno.env.get("CHROMIUM_PATH") ?? "/usr/bin/chromium";

export async function launch(): Promise<Browser> {
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
    // Starting a process for each tab and each frame is most of what a test would wait for.
    "--renderer-process-limit=2",
    "--disable-site-isolation-trials",
  ];
  const browser = await chromium.launch({ executablePath, args, timeout: PATIENCE });
  return browser.on("context", (context) => {
    context.setDefaultTimeout(PATIENCE);
    // From the start: begun with the wait for a chooser, it may come too late for the key that opens one.
    context.on("page", (page) => page.on("filechooser", () => {}));
  });
}

/** What the page complained about: errors, warnings and reports of the Content-Security-Policy go to the console. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
