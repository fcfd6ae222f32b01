// The pages of the second factor in variant web, without a browser.
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { MINUTE, SECOND } from "../../../core/units.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";

const codeOf = (h: Harness, secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: h.clock.now().getTime() });

function post(h: Harness, path: string, fields: Record<string, string>, token?: string) {
  return h.ask("POST", path, {
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(token ? { cookie: `token=${token}` } : {}),
    },
    body: new URLSearchParams(fields).toString(),
  });
}

const get = (h: Harness, path: string, token: string) =>
  h.ask("GET", path, { headers: { cookie: `token=${token}` } });

const tokenOf = (headers: Headers) =>
  /^token=([^;]+)/.exec(headers.getSetCookie().find((one) => one.startsWith("token=")) ?? "")
    ?.[1] ??
    assert.fail("no session was opened");

/** Sets up an authenticator by the pages. */
async function enrol(h: Harness, token: string) {
  const shown = await post(h, "/second-factor", {}, token);
  assert.equal(shown.status, 200);
  assert.match(shown.text, /<svg /);
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(shown.text)![1]!.replaceAll(" ", "");
  const wrong = await post(h, "/second-factor/confirm", { code: "000000" }, token);
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /id="code-error"/);
  const done = await post(h, "/second-factor/confirm", { code: codeOf(h, secret) }, token);
  assert.equal(done.status, 200);
  const codes = [...done.text.matchAll(/<code>([\w-]{29})<\/code>/g)].map(([, code]) => code!);
  assert.equal(codes.length, 10);
  h.clock.advance(30 * SECOND);
  return { secret, codes };
}

Deno.test("second factor pages: set up, asked for at the log-in, and back to where it was asked for", async () => {
  await using h = await harness({ variant: "web" });
  const { secret, codes } = await enrol(h, h.tokens.admin);
  const form = { email: "admin@example.com", password: PASSWORD, redirect: "/users?page=2" };
  const asked = await post(h, "/login", form);
  assert.equal(asked.status, 200);
  assert.deepEqual(asked.headers.getSetCookie(), []);
  const challenge = /name="challenge" value="([^"]+)"/.exec(asked.text)![1]!;
  assert.match(asked.text, /autocomplete="one-time-code"/);
  const answer = (code: string) =>
    post(h, "/login/code", { challenge, redirect: "/users?page=2", code });
  const wrong = await answer("000000");
  assert.equal(wrong.status, 401);
  assert.ok(wrong.text.includes(challenge) && wrong.text.includes("/users?page=2"));
  const right = await answer(codeOf(h, secret));
  assert.equal(right.status, 303);
  assert.equal(right.headers.get("location"), "/users?page=2");
  assert.equal((await get(h, "/users", tokenOf(right.headers))).status, 200);
  assert.equal((await answer(codes[0]!)).status, 401, "the sign-in is over");
});

Deno.test("second factor pages: a role that asks for one leads to its set-up alone", async () => {
  await using h = await harness({ variant: "web", env: { MFA_REQUIRED_ROLES: "admin" } });
  const blocked = await get(h, "/dashboard", h.tokens.admin);
  assert.equal(blocked.status, 303);
  assert.equal(blocked.headers.get("location"), "/second-factor");
  const page = await get(h, "/second-factor", h.tokens.admin);
  assert.match(page.text, /Your role asks for one/);
  await enrol(h, h.tokens.admin);
  assert.equal((await get(h, "/dashboard", h.tokens.admin)).status, 200);
});

Deno.test("second factor pages: a session that is old sets nothing up, and a stranger logs in first", async () => {
  await using h = await harness({ variant: "web" });
  const stranger = await h.ask("GET", "/second-factor");
  assert.equal(stranger.headers.get("location"), "/login?redirect=%2Fsecond-factor");
  assert.equal((await post(h, "/second-factor", {})).status, 401);
  h.clock.advance(10 * MINUTE + SECOND);
  const old = await post(h, "/second-factor", {}, h.tokens.user);
  assert.equal(old.status, 403);
  assert.match(old.text, /fresh sign-in/);
});
