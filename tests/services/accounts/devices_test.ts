// Devices and places in words, and who is told of a new one.
import assert from "node:assert/strict";
import { deviceOf, placeOf } from "../../../services/accounts/devices.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 " +
  "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

const DEVICES: readonly [userAgent: string | undefined, device: string | null][] = [
  [FIREFOX, "Firefox on Windows"],
  [SAFARI, "Safari on iOS"],
  ["curl/8.5.0", "curl"],
  ["", null],
  [undefined, null],
  ["<script>alert(1)</script>", null],
  ["x".repeat(256), null],
];

for (const [userAgent, device] of DEVICES) {
  Deno.test(`devices: ${userAgent?.slice(0, 40)} is ${device}`, async () => {
    assert.equal(await deviceOf({ userAgent }), device);
  });
}

Deno.test("devices: a place is as much as the address says", () => {
  assert.equal(placeOf({ ip: "127.0.0.1" }), "the server's own machine");
  assert.equal(placeOf({ ip: "10.1.2.3" }), "a private network (10.1.2.3)");
  assert.equal(placeOf({ ip: "203.0.113.9" }), "the Internet (203.0.113.9)");
  assert.equal(placeOf({}), null);
});

const logIn = (h: Harness, from: string, agent: string, cookie?: string) =>
  h.ask("POST", "/api/auth/login", {
    body: { email: "user@example.com", password: PASSWORD },
    from,
    headers: { "user-agent": agent, ...(cookie ? { cookie } : {}) },
  });

Deno.test("devices: a sign-in from a new one is told to the owner; from a known one, or from beside it, not", async () => {
  await using h = await harness();
  const first = await logIn(h, "203.0.113.9", FIREFOX);
  assert.equal(h.mails.length, 1, "the account was used from elsewhere before");
  assert.equal(h.mails[0]!.to, "user@example.com");
  assert.match(
    h.mails[0]!.text,
    /> With: Firefox on Windows\n> From: the Internet \(203\.0\.113\.9\)/,
  );
  await logIn(h, "203.0.113.9", FIREFOX);
  assert.equal(h.mails.length, 1, "the same browser from the same network");
  const cookie = first.headers.getSetCookie().find((one) => one.startsWith("quarterdeck.device="))!
    .split(";")[0]!;
  await logIn(h, "198.51.100.1", FIREFOX, cookie);
  assert.equal(h.mails.length, 1, "a known device elsewhere");
  await logIn(h, "198.51.100.1", SAFARI);
  assert.equal(h.mails.length, 2, "another device");
  for (let n = 0; n < 8; n++) await logIn(h, `198.51.${n}.2`, SAFARI);
  assert.equal(h.mails.length, 5, "five an hour");
});

Deno.test("devices: the first sign-in of an account is no news", async () => {
  await using h = await harness();
  const account = { name: "New One", email: "new@example.com", password: PASSWORD };
  await h.ask("POST", "/api/auth/register", { body: account });
  assert.deepEqual(h.mails.map(({ subject }) => subject), ["Confirm your e-mail address"]);
});

Deno.test("devices: sessions tell them, and what an impersonation is", async () => {
  await using h = await harness();
  const { body } = await logIn(h, "203.0.113.9", FIREFOX);
  await h.ask("POST", `/api/users/${h.accounts.user.id}/impersonate`, { as: "super" });
  const { data } = await h.ask("GET", "/api/auth/sessions", { token: body.accessToken });
  const own = data.find(({ current }: { current: boolean }) => current);
  assert.equal(own.device, "Firefox on Windows");
  assert.equal(own.place, "the Internet (203.0.113.9)");
  assert.equal(own.method, "password");
  assert.equal(
    data.filter(({ impersonated }: { impersonated: boolean }) => impersonated).length,
    1,
  );
});
