// The console's import of events in a real browser: tried first, then written, in the zone that the calendar is shown in.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { startServer } from "../../server.ts";
import { launch } from "./browser.ts";
import { accessibilityProblems, ADMIN, ask, go, openAs, PASSWORD, signIn } from "./console.ts";

Deno.test("console: events are imported from CSV", async () => {
  await using server = await startServer({
    ADMIN_EMAIL: ADMIN,
    ADMIN_PASSWORD: PASSWORD,
    RATE_LIMIT: "false",
  });
  const { origin } = server;
  const browser = await launch();
  try {
    const admin = await signIn(origin);
    await ask(origin, admin, "PATCH", "/users/me/preferences", { timeZone: "Asia/Tokyo" });
    const { page, complaints } = await openAs(browser, admin);
    await go(page, `${origin}/calendar?date=2026-11-24`, "Calendar");
    await page.getByRole("button", { name: "More actions" }).press("Enter");
    await page.getByRole("menuitem", { name: "Import from CSV" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Import events from CSV" });
    await dialog.getByText("those of Asia/Tokyo").waitFor();
    const choose = (text: string, encoding: BufferEncoding = "utf8") =>
      dialog.locator("input[type=file]").setInputFiles({
        name: "events.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(text, encoding),
      });
    await choose("title,start\nMuster,some day\n");
    await dialog.getByRole("cell", { name: "start" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], "the import");
    await choose("title,start\nCaf\u00e9,2026-11-24T09:00\n", "latin1");
    await dialog.getByText("The file is not UTF-8").waitFor();
    await choose("title,start,end\nMuster,2026-11-24T09:00,2026-11-24T10:00\n");
    await dialog.getByText("Everything fits").waitFor();
    assert.deepEqual(await ask(origin, admin, "GET", "/calendar/events"), [], "only tried");
    await dialog.getByRole("button", { name: "Import 1 event" }).click();
    await page.getByText("1 event is imported").waitFor();
    await page.getByRole("button", { name: /Muster/ }).waitFor();
    const [{ start, attendees }] = await ask(origin, admin, "GET", "/calendar/events");
    assert.deepEqual([start, attendees], ["2026-11-24T00:00:00.000Z", []]);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
});
