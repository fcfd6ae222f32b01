// Passkeys in a real browser, by the code that the README gives, with an authenticator that the browser simulates.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { client, signIn } from "../../client.ts";
import { freePort } from "../../ports.ts";
import { startServer } from "../../server.ts";
import { addAuthenticator } from "./authenticator.ts";
import { launch } from "./browser.ts";

const PASSWORD = "a quiet harbour";
const EMAIL = "admin@example.com";

/** The blocks of code in the README's section on passkeys: registering, and signing in. */
async function readmeCode(): Promise<string[]> {
  const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
  const [, section = ""] = readme.split("\n## Passkeys\n");
  const blocks = [...section.split("\n## ")[0]!.matchAll(/```js\n([\s\S]*?)```/g)];
  assert.equal(blocks.length, 2);
  return blocks.map(([, code]) => code!);
}

/** Runs code in the page. @returns What it gives, or the name of what it throws. */
const run = (page: Page, code: string, token = ""): Promise<unknown> =>
  page.evaluate(`(async () => { const token = ${JSON.stringify(token)}; ${code} })()
    .catch((error) => error.name)`);

Deno.test("browser: a passkey is registered and signs in, alone and after a password", async () => {
  const port = freePort();
  const PUBLIC_URL = `http://localhost:${port}`;
  await using server = await startServer({
    PORT: String(port),
    PUBLIC_URL,
    ADMIN_PASSWORD: PASSWORD,
  });
  const token = await signIn(server, PASSWORD);
  const ask = client(server);
  await using browser = await launch();
  const page = await browser.newPage();
  // An answer without a policy of its own: the code of the README runs on pages of others' making.
  await page.goto(`${PUBLIC_URL}/livez`);
  const authenticator = await addAuthenticator(page);
  const [registering = "", signingIn = ""] = await readmeCode();
  const post = registering.split("const creation")[0]!;

  assert.equal(await run(page, registering, token), undefined);
  const [held] = await authenticator.credentials();
  assert.equal(held?.rpId, "localhost");
  assert.equal(held.isResidentCredential, true);
  assert.equal(await run(page, registering, token), "InvalidStateError", "it has one already");

  const opened = await run(page, `${post} ${signingIn} return accessToken;`);
  const own = client(server, opened as string);
  const { body: { data } } = await own("GET", "/api/auth/sessions");
  assert.equal(data.find((one: { current: boolean }) => one.current)?.method, "passkey");

  const begun = await ask("POST", "/api/auth/login", { email: EMAIL, password: PASSWORD });
  assert.deepEqual(begun.body.methods, ["passkey", "recoveryCode"]);
  const ended = signingIn.replace(
    '"/passkeys/sign-in/options"',
    '"/mfa/passkey/options", { challenge }',
  )
    .replace('"/passkeys/sign-in", {', '"/mfa/passkey", { challenge,');
  const challenge = `const challenge = ${JSON.stringify(begun.body.challenge)};`;
  const second = await run(page, `${post} ${challenge} ${ended} return accessToken;`);
  assert.equal((await client(server, second as string)("GET", "/api/users/me")).status, 200);

  await authenticator.verifies(false);
  assert.equal(await run(page, `${post} ${signingIn}`), "NotAllowedError", "no finger, no sign-in");
  await authenticator.verifies(true);
  await page.goto(`${server.origin}/livez`);
  assert.equal(await run(page, `${post} ${signingIn}`), "SecurityError", "at another place");

  await page.goto(`${PUBLIC_URL}/livez`);
  const { body: { data: [listed] } } = await own("GET", "/api/auth/passkeys");
  assert.equal(listed.name, "Laptop");
  assert.equal((await own("DELETE", `/api/auth/passkeys/${listed.id}`)).status, 200);
  assert.equal(await run(page, `${post} ${signingIn}`), "TypeError", "the server gives no tokens");
});
