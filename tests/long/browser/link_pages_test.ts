// The pages of mailed links where there is no console, in a real browser without scripts, on the real server with a real
// mail server.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { startServer } from "../../server.ts";
import { startSmtpServer } from "../../services/messaging/smtp_server.ts";
import { until } from "../../until.ts";
import { complaintsOf, launch } from "./browser.ts";

const OWN = "a quiet harbour";

/** The link in a mail, out of its quoted-printable text (RFC 2045 section 6.7). */
function linkIn(body: string): string {
  const text = body.replace(/=\r?\n/g, "").replaceAll("=3D", "=");
  return /http:\S+?\?token=[\w-]{43}/.exec(text)?.[0] ?? assert.fail(body);
}

/** Everything on the page is within its width. */
async function assertFits(page: Page): Promise<void> {
  const width = page.viewportSize()!.width;
  for (const locator of await page.locator("h1, p, input, button, summary, a, dd").all()) {
    const box = await locator.boundingBox();
    if (box) assert.ok(box.x + box.width <= width, await locator.innerText());
  }
}

Deno.test("browser: a registration that was not one's own is taken over by the link, on a phone without scripts", async () => {
  await using smtp = await startSmtpServer();
  await using server = await startServer({
    CONSOLE: "false",
    SMTP_URL: smtp.url,
    PUBLIC_URL: "http://localhost",
  });
  const { origin } = server;
  const post = (path: string, body: unknown) =>
    fetch(`${origin}/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const account = { name: "Stranger", email: "me@example.com", password: "not my password" };
  await (await post("/auth/register", account)).body?.cancel();
  await until(() => smtp.mails.length > 0, "a mail");
  const { pathname, search } = new URL(linkIn(smtp.mails[0]!.body));

  await using browser = await launch();
  const context = await browser.newContext({
    javaScriptEnabled: false,
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${origin}/`);
  assert.ok(await page.getByText("This is a Quarterdeck server").isVisible());
  await assertFits(page);
  await page.goto(origin + pathname + search);
  await page.getByText("It was not me").click();
  await page.getByLabel("New password").waitFor();
  await assertFits(page);
  await page.getByLabel("New password").fill(OWN);
  await page.getByLabel("Password again").fill(OWN);
  await page.getByRole("button", { name: "Set password and confirm" }).click();
  await page.getByText("Your e-mail address is confirmed").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();

  const statuses: number[] = [];
  for (const password of [account.password, OWN]) {
    const reply = await post("/auth/login", { email: account.email, password });
    statuses.push(reply.status);
    await reply.body?.cancel();
  }
  assert.deepEqual(statuses, [401, 200]);
});
