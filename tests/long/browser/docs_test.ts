// The API page in a real browser: one main part, an icon, and dark where the reader's system is.
import assert from "node:assert/strict";
import { startServer } from "../../server.ts";
import { until } from "../../until.ts";
import { complaintsOf, launch } from "./browser.ts";

/** How light a colour is, 0 to 255. */
function lightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
}

Deno.test("browser: the API page has one main part and an icon, and follows light and dark", async () => {
  await using server = await startServer({});
  await using browser = await launch();
  const page = await browser.newPage({ colorScheme: "light" });
  const complaints = complaintsOf(page);
  const missing: string[] = [];
  page.on("response", (response) => {
    if (!response.ok()) missing.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${server.origin}/api/docs`);
  await page.locator(".opblock-tag").first().waitFor();
  assert.equal(await page.locator("main").count(), 1);
  const icon = await page.locator("link[rel=icon]").getAttribute("href");
  const shown = await page.request.get(`${server.origin}${icon}`);
  assert.equal(shown.headers()["content-type"], "image/svg+xml");

  /** Of the page's ground and of the title on it. */
  const colours = () =>
    page.evaluate<[string, string]>(`[
      getComputedStyle(document.documentElement).backgroundColor,
      getComputedStyle(document.querySelector(".swagger-ui .title")).color,
    ]`);
  const [, text] = await colours();
  assert.ok(lightness(text) < 100, text);
  const screenshots = Deno.env.get("SCREENSHOTS");
  if (screenshots) await page.screenshot({ path: `${screenshots}/docs-light.png` });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html.dark-mode").waitFor();
  await until(async () => {
    const [ground, darkText] = await colours();
    return lightness(ground) < 60 && lightness(darkText) > 150;
  }, "a light text on dark ground");
  if (screenshots) await page.screenshot({ path: `${screenshots}/docs-dark.png` });
  assert.deepEqual(missing, []);
  assert.deepEqual(complaints, []);
});
