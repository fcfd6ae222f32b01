// The pages that links in mails open, and the root, where the console is not served: in every variant and without a script.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { type Harness, harness, PASSWORD, type Reply } from "../../harness.ts";

const VARIANTS = ["compact", "full", "web", "snippets"];
const env = { CONSOLE: "false" };
const OWN = "a quiet harbour";

const form = { "content-type": "application/x-www-form-urlencoded" };
const html = { accept: "text/html,*/*" };

const post = (h: Harness, path: string, fields: Record<string, string>) =>
  h.ask("POST", path, { headers: form, body: new URLSearchParams(fields).toString() });

/** The path of the link in the newest mail. */
function mailedPath(h: Harness): string {
  return /\/[\w-]+\?token=[\w-]+/.exec(h.mails.at(-1)?.text ?? "")?.[0] ?? assert.fail("no link");
}

function assertStrict(reply: Reply) {
  const policy = reply.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.doesNotMatch(reply.text, /<script| style="| on\w+="/);
  assert.equal(reply.headers.get("cache-control"), "no-store");
}

function assertNamesAccount({ text }: Reply, email: string | undefined) {
  const forms = text.match(/<form[^]*?<\/form>/g) ?? [];
  assert.ok(forms.length > 0);
  for (const form of forms) {
    const field =
      /<input type="email" name="username" autocomplete="username" value="([^"]*)" readonly/;
    assert.equal(field.exec(form)?.[1], email);
    assert.match(form, /type="password"[^>]* autocomplete="(new|current)-password"/);
  }
}

/** @param email Of the account: each form has it, for password managers, which see new passwords beside it. */
async function tokenIn(h: Harness, path: string, email?: string): Promise<string> {
  const page = await h.ask("GET", path);
  assert.equal(page.status, 200, path);
  assertStrict(page);
  assertNamesAccount(page, email);
  return /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text);
}

/** What is said when it is done. */
function assertDone(reply: Reply, notice: RegExp) {
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.text, notice);
  assert.match(reply.text, /href="\/"/);
  assertStrict(reply);
}

const signsIn = async (h: Harness, email: string, password: string) =>
  (await h.ask("POST", "/api/auth/login", { body: { email, password } })).status === 200;

for (const variant of VARIANTS) {
  Deno.test(`link pages: a forgotten password is set by the pages of ${variant}`, async () => {
    await using h = await harness({ variant, env });
    assertStrict(await h.ask("GET", "/forgot-password"));
    const sent = await post(h, "/forgot-password", { email: "user@example.com" });
    assert.match(sent.text, /a mail with a link is on its way/);
    const token = await tokenIn(h, mailedPath(h), "user@example.com");
    const passwords = { token, password: OWN, confirmPassword: OWN };
    const differ = await post(h, "/reset-password", { ...passwords, confirmPassword: "x" });
    assert.equal(differ.status, 400);
    assert.match(differ.text, /id="confirmPassword-error">The two passwords differ/);
    assert.ok(differ.text.includes(token) && !differ.text.includes(OWN));
    assertNamesAccount(differ, "user@example.com");
    assertDone(await post(h, "/reset-password", passwords), /password is set/);
    assert.ok(await signsIn(h, "user@example.com", OWN));
    const again = await post(h, "/reset-password", passwords);
    assert.match(again.text, /role="alert">The link is not valid any more/);
    assertNamesAccount(again, undefined);
  });

  Deno.test(`link pages: a registration is confirmed by the page of ${variant}, with either password`, async () => {
    await using h = await harness({ variant, env });
    for (const email of ["one@example.com", "two@example.com"]) {
      const body = { name: "New Person", email, password: PASSWORD, confirmPassword: PASSWORD };
      assert.equal((await h.ask("POST", "/api/auth/register", { body })).status, 201);
      const path = mailedPath(h);
      assert.match(path, /^\/verify-email\?/);
      const token = await tokenIn(h, path, email);
      const wrong = await post(h, "/verify-email", { token, password: "wrong" });
      assert.match(wrong.text, /id="password-error">The password is wrong/);
      assert.doesNotMatch(wrong.text, /<details class="more" open/);
      const short = await post(h, "/verify-email", {
        token,
        newPassword: "12345",
        confirmPassword: "12345",
      });
      assert.match(short.text, /<details class="more" open/);
      assert.match(short.text, /id="newPassword-error"/);
      const fields: Record<string, string> = email.startsWith("one")
        ? { token, password: PASSWORD }
        : { token, newPassword: OWN, confirmPassword: OWN };
      assertDone(await post(h, "/verify-email", fields), /address is confirmed/);
      const user = await h.store.from(users).findBy("email", email);
      assert.equal(user!.unverifiedSince, undefined);
    }
    assert.ok(await signsIn(h, "one@example.com", PASSWORD));
    assert.ok(await signsIn(h, "two@example.com", OWN));
  });

  Deno.test(`link pages: what is not complete says so, in ${variant}`, async () => {
    await using h = await harness({ variant, env });
    const paths = ["/reset-password", "/accept-invitation", "/verify-email", "/confirm-email"];
    for (const path of paths) {
      const page = await h.ask("GET", path);
      assert.match(page.text, /This link is not complete/);
      assert.doesNotMatch(page.text, /<form/);
      const odd = await h.ask("GET", `${path}?token=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`);
      assertStrict(odd);
      for (const fields of [{}, { token: "x" }, { token: "x", password: OWN }]) {
        const sent = await post(h, path, fields as Record<string, string>);
        assert.equal(sent.status, 400, `${path} ${JSON.stringify(fields)}`);
        assertStrict(sent);
      }
      const json = await h.ask("POST", path, { body: { token: "x" } });
      assert.equal(json.status, 415);
      assertStrict(json);
    }
  });
}

Deno.test("link pages: a link that has expired names no account", async () => {
  await using h = await harness({ env });
  const body = { name: "New Person", email: "new@example.com", password: PASSWORD };
  await h.ask("POST", "/api/auth/register", { body });
  const verify = mailedPath(h);
  await post(h, "/forgot-password", { email: "user@example.com" });
  const reset = mailedPath(h);
  const HOUR = 3_600_000;
  for (
    const [path, email, lifetime] of [
      [reset, "user@example.com", HOUR],
      [verify, "new@example.com", 23 * HOUR],
    ] as const
  ) {
    h.clock.advance(lifetime - 1);
    await tokenIn(h, path, email);
    h.clock.advance(1);
    await tokenIn(h, path, undefined);
  }
});

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`link pages: an invitation and a new address lead to pages of ${variant}`, async () => {
    await using h = await harness({ variant, env });
    const body = { name: "Invited", email: "invited@example.com" };
    assert.equal((await h.ask("POST", "/api/users", { as: "super", body })).status, 201);
    const path = mailedPath(h);
    assert.match(path, /^\/accept-invitation\?/);
    const token = await tokenIn(h, path, "invited@example.com");
    const fields = { token, password: OWN, confirmPassword: OWN };
    assertDone(await post(h, "/accept-invitation", fields), /password is set/);
    assert.ok(await signsIn(h, "invited@example.com", OWN));

    const change = { email: "moved@example.com", currentPassword: PASSWORD };
    await h.ask("PUT", "/api/users/me", { as: "user", body: change });
    const confirm = mailedPath(h);
    assert.match(confirm, /^\/confirm-email\?/);
    const moved = { token: await tokenIn(h, confirm), password: PASSWORD };
    const wrong = await post(h, "/confirm-email", { ...moved, password: "wrong" });
    assert.match(wrong.text, /id="password-error">The password is wrong/);
    const rival = { name: "Rival", email: "moved@example.com", password: OWN };
    const taken = await h.ask("POST", "/api/users", { as: "super", body: rival });
    const refused = await post(h, "/confirm-email", moved);
    assert.match(refused.text, /role="alert">There is an account with this e-mail already/);
    await h.ask("DELETE", `/api/users/${taken.data.id}`, { as: "super" });
    assertDone(await post(h, "/confirm-email", moved), /new e-mail address/);
    assert.ok(await signsIn(h, "moved@example.com", PASSWORD));
  });
}

Deno.test("link pages: guesses of links are told to wait, in the page", async () => {
  await using h = await harness({ env });
  let last = await post(h, "/verify-email", { token: "x", password: "x" });
  for (let i = 0; i < 20; i++) {
    last = await post(h, "/confirm-email", { token: "x", password: "x" });
  }
  assert.equal(last.status, 429);
  assert.match(last.text, /role="alert"/);
  assert.ok(Number(last.headers.get("retry-after")) > 0);
});

Deno.test("link pages: with FRONTEND_URL, links in mails and the ways out lead there", async () => {
  await using h = await harness({ env: { ...env, FRONTEND_URL: "https://app.example.com/" } });
  await h.ask("POST", "/api/auth/forgot-password", { body: { email: "user@example.com" } });
  assert.match(h.mails[0]!.text, /^https:\/\/app\.example\.com\/reset-password\?token=/m);
  const page = await h.ask("GET", mailedPath(h));
  assert.match(page.text, /href="https:\/\/app\.example\.com">Back to the application/);
  const start = await h.ask("GET", "/", { headers: html });
  assert.match(start.text, /href="https:\/\/app\.example\.com">Open the application/);
});

for (const variant of VARIANTS) {
  Deno.test(`start page: / of ${variant} says what this is and where to go, to people and programs`, async () => {
    await using h = await harness({ variant, env });
    const page = await h.ask("GET", "/", { headers: html });
    assert.equal(page.status, 200);
    assertStrict(page);
    assert.match(page.text, /This is a Quarterdeck server/);
    const links = [...page.text.matchAll(/ href="(\/[^"]*)"/g)].map(([, link]) => link!);
    assert.ok(links.includes("/api/docs") && links.includes("/forgot-password"));
    for (const link of links) assert.equal((await h.ask("GET", link)).status, 200, link);
    const { data, headers } = await h.ask("GET", "/");
    assert.deepEqual(data, {
      name: "Quarterdeck",
      api: "/api",
      docs: "/api/docs",
      openapi: "/api/openapi.json",
      health: "/readyz",
    });
    assert.equal(headers.get("vary"), "Accept, Cookie");
  });
}

Deno.test("start page: with the API at the root it is still there, and so are the links' pages", async () => {
  await using h = await harness({ env: { API_URL: "/" } });
  assert.equal((await h.ask("GET", "/")).data.docs, "/docs");
  assert.equal((await h.ask("GET", "/users/me", { as: "user" })).status, 200);
  assert.equal((await h.ask("GET", "/verify-email?token=x")).status, 200);
});
