// Who can be stopped from signing in by whom (OWASP ASVS 5.0, 6.3.1), as a table; and the way back by mail.
import assert from "node:assert/strict";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { OF_MANY } from "../../../services/accounts/rate_limits.ts";
import { type Ask, type Harness, harness, PASSWORD, type Reply } from "../../harness.ts";

const EMAIL = "super@example.com";
const HOME = "198.51.100.7";
const STRANGER = "192.0.2.1";
const PROXY = "172.17.0.1";
const { login: limits } = rateLimits;

function logIn(h: Harness, password: string, ask: Ask & { email?: string; refreshToken?: string }) {
  const { email = EMAIL, refreshToken, ...rest } = ask;
  return h.ask("POST", "/api/auth/login", { ...rest, body: { email, password, refreshToken } });
}

/** Failed sign-ins without the work of checking a password. */
function fail(h: Harness, times: number, address: string, account: string | null = EMAIL) {
  for (let i = 0; i < times; i++) {
    const caller = { address, account: account ?? `${i}@example.com` };
    h.app.services.limiter.hit("login", caller);
  }
}

function deviceCookie(reply: Reply): string {
  const cookie = reply.headers.getSetCookie().find((text) => text.startsWith("quarterdeck.device"));
  assert.ok(cookie, "the answer remembers the device");
  assert.match(cookie, /HttpOnly; SameSite=Lax/);
  return cookie.split(";")[0]!;
}

interface Attack {
  readonly name: string;
  attack(h: Harness): Promise<void> | void;
  /** What the owner of the account gets there with the right password, who gets in from elsewhere in any case. */
  readonly sameNetwork?: { readonly address: string; readonly status: 200 | 429 };
  /** Sent by whoever stands behind the attack's address. */
  readonly forwarded?: string;
}

const ATTACKS: readonly Attack[] = [
  {
    name: "ten wrong passwords from elsewhere",
    async attack(h) {
      for (let i = 0; i < limits.perPair; i++) {
        assert.equal((await logIn(h, "wrong", { from: STRANGER })).status, 401);
      }
      assert.equal((await logIn(h, "wrong", { from: STRANGER })).status, 429);
    },
    sameNetwork: { address: STRANGER, status: 429 },
  },
  {
    name: "wrong passwords from a thousand networks",
    attack: (h) => {
      for (let i = 0; i < 1000; i++) fail(h, 10, `192.0.${i >> 8}.${i & 255}`);
    },
  },
  {
    name: "wrong passwords from every network of a /48",
    attack: (h) => {
      for (let i = 0; i < 500; i++) fail(h, 1, `2001:db8:1:${i.toString(16)}::1`);
    },
    sameNetwork: { address: "2001:db8:1:ffff::1", status: 429 },
  },
  {
    name: "a /64 of the same site",
    attack: (h) => fail(h, limits.perPair, "2001:db8:1:1::1"),
    sameNetwork: { address: "2001:db8:1:2::1", status: 200 },
  },
  {
    name: "55 failures of others in the same network",
    attack: (h) => fail(h, 55, HOME, null),
    sameNetwork: { address: HOME, status: 200 },
  },
  {
    name: "more failures of others in the same network than ten times its limit",
    attack: (h) => fail(h, limits.perNetwork * OF_MANY, HOME, null),
    sameNetwork: { address: HOME, status: 429 },
  },
  {
    name: "55 failures behind the same proxy, which TRUSTED_PROXIES does not name",
    async attack(h) {
      await logIn(h, "wrong", { from: PROXY, headers: { "x-forwarded-for": STRANGER } });
      fail(h, 54, PROXY);
    },
    sameNetwork: { address: PROXY, status: 200 },
    forwarded: "203.0.113.9",
  },
];

for (const { name, attack, sameNetwork, forwarded } of ATTACKS) {
  const headers = forwarded ? { "x-forwarded-for": forwarded } : undefined;

  Deno.test(`lockout: ${name}: a fresh address gets in`, async () => {
    await using h = await harness();
    await attack(h);
    assert.equal((await logIn(h, PASSWORD, { from: "203.0.113.1" })).status, 200);
  });

  Deno.test(`lockout: ${name}: a known device gets in from anywhere, by its cookie or an old refresh token`, async () => {
    await using h = await harness();
    const before = await logIn(h, PASSWORD, { from: HOME });
    await h.ask("POST", "/api/auth/logout", { token: before.data.accessToken });
    const cookie = deviceCookie(before);
    await attack(h);
    for (const from of ["203.0.113.1", HOME, STRANGER, sameNetwork?.address ?? HOME]) {
      const byCookie = await logIn(h, PASSWORD, { from, headers: { ...headers, cookie } });
      assert.equal(byCookie.status, 200, `${from} by cookie`);
    }
    await attack(h);
    const { refreshToken } = before.data;
    const from = sameNetwork?.address ?? STRANGER;
    assert.equal((await logIn(h, PASSWORD, { from, headers, refreshToken })).status, 200);
  });

  if (!sameNetwork) continue;
  const { address, status } = sameNetwork;
  Deno.test(`lockout: ${name}: a stranger to the server there gets ${status}`, async () => {
    await using h = await harness();
    await attack(h);
    assert.equal((await logIn(h, PASSWORD, { from: address, headers })).status, status);
  });

  Deno.test(`lockout: ${name}: who comes back by mail gets in there`, async () => {
    await using h = await harness();
    await attack(h);
    const cookie = await recover(h, address);
    const reply = await logIn(h, "a quiet harbour", { from: address, headers: { cookie } });
    assert.equal(reply.status, 200);
  });
}

/** @returns The cookie of the device, which is the account's by the reset. */
async function recover(h: Harness, from: string): Promise<string> {
  const asked = await h.ask("POST", "/api/auth/forgot-password", { from, body: { email: EMAIL } });
  assert.equal(asked.status, 200);
  const [, token] = /token=([\w-]+)/.exec(h.mails.at(-1)!.text)!;
  const body = { token, password: "a quiet harbour" };
  const reset = await h.ask("POST", "/api/auth/reset-password", { from, body });
  assert.equal(reset.status, 200);
  return deviceCookie(reset);
}

Deno.test("lockout: a reset lets in at once where one's own failures had locked, without any cookie", async () => {
  await using h = await harness();
  for (let i = 0; i < limits.perPair; i++) await logIn(h, "wrong", { from: HOME });
  assert.equal((await logIn(h, PASSWORD, { from: HOME })).status, 429);
  await recover(h, STRANGER);
  assert.equal((await logIn(h, "a quiet harbour", { from: HOME })).status, 200);
});

Deno.test("lockout: nine failures and a success, again and again, lock nobody", async () => {
  await using h = await harness();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < limits.perPair - 1; i++) await logIn(h, "wrong", { from: HOME });
    assert.equal((await logIn(h, PASSWORD, { from: HOME })).status, 200);
  }
});

Deno.test("lockout: strangers who ask for links keep nobody from one, and send only so many", async () => {
  await using h = await harness();
  const ask = (from: string) =>
    h.ask("POST", "/api/auth/forgot-password", { from, body: { email: EMAIL } });
  for (let i = 0; i < 40; i++) assert.equal((await ask(`192.0.2.${i}`)).status, 200);
  assert.equal(h.mails.length, rateLimits.resetMail.perAccount);
  const reply = await ask(HOME);
  assert.equal(reply.status, 200, "the answer is the same");
  assert.equal(h.mails.length, rateLimits.resetMail.perAccount);
  const links = () => h.mails.filter(({ subject }) => subject === "Reset your password");

  // The last link is good whatever was asked for since, until a new one can be had.
  h.clock.advance(rateLimits.resetMail.window * 1000 - 1);
  await ask("192.0.2.99");
  const [, token] = /token=([\w-]+)/.exec(h.mails.at(-1)!.text)!;
  const body = { token, password: "a quiet harbour" };
  assert.equal((await h.ask("POST", "/api/auth/reset-password", { body })).status, 200);
  h.clock.advance(1);
  await ask("192.0.2.99");
  assert.equal(links().length, rateLimits.resetMail.perAccount + 1);
});

Deno.test("lockout: a device that is known asks for a link beside neighbours who ask for too many", async () => {
  await using h = await harness();
  const cookie = deviceCookie(await logIn(h, PASSWORD, { from: HOME }));
  const { limiter } = h.app.services;
  for (let i = 0; i < rateLimits.forgotPassword.perNetwork * OF_MANY; i++) {
    limiter.hit("forgotPassword", { address: HOME, account: `${i}@example.com` });
  }
  const ask = (headers?: Record<string, string>) =>
    h.ask("POST", "/api/auth/forgot-password", { from: HOME, headers, body: { email: EMAIL } });
  assert.equal((await ask()).status, 429);
  assert.equal((await ask({ cookie })).status, 200);
});

Deno.test("lockout: those who guess at links keep nobody from theirs", async () => {
  await using h = await harness();
  const guess = () =>
    h.ask("POST", "/api/auth/reset-password", {
      from: HOME,
      body: { token: "guessed", password: "a quiet harbour" },
    });
  for (let i = 0; i < rateLimits.resetPassword.perNetwork; i++) {
    assert.equal((await guess()).status, 400);
  }
  assert.equal((await guess()).status, 429);
  await recover(h, HOME);
});

Deno.test("lockout: those who guess at refresh tokens keep nobody from theirs", async () => {
  await using h = await harness();
  const { data } = await logIn(h, PASSWORD, { from: HOME });
  const refresh = (refreshToken: string) =>
    h.ask("POST", "/api/auth/refresh", { from: HOME, body: { refreshToken } });
  for (let i = 0; i < rateLimits.refresh.perNetwork; i++) {
    assert.equal((await refresh("x.y.z")).status, 401);
  }
  assert.equal((await refresh("x.y.z")).status, 429);
  assert.equal((await refresh(data.refreshToken)).status, 200);
});

Deno.test("lockout: a device is known to the accounts that signed in from it, and to no others", async () => {
  await using h = await harness();
  const cookie = deviceCookie(
    await logIn(h, PASSWORD, { from: HOME, email: "other@example.com" }),
  );
  fail(h, limits.perPair, HOME);
  const right = (value: string) =>
    logIn(h, PASSWORD, { from: HOME, headers: { cookie: value } }).then(({ status }) => status);
  assert.equal(await right(cookie), 429, "another account's");
  assert.equal(await right(`${cookie}x`), 429, "forged");
  assert.equal(await right("quarterdeck.device=x.y.z"), 429, "garbage");
  const both = deviceCookie(await logIn(h, PASSWORD, { from: STRANGER, headers: { cookie } }));
  assert.equal(await right(both), 200, "after a sign-in elsewhere, both");
  fail(h, limits.perPair, HOME, "other@example.com");
  const other = { from: HOME, email: "other@example.com", headers: { cookie: both } };
  assert.equal((await logIn(h, PASSWORD, other)).status, 200);
  const access = (await logIn(h, PASSWORD, { from: STRANGER })).data.accessToken;
  fail(h, limits.perPair, HOME);
  const byAccess = await logIn(h, PASSWORD, { from: HOME, refreshToken: access });
  assert.equal(byAccess.status, 429, "an access token is none");
});

Deno.test("lockout: a known device that guesses is a stranger after ten", async () => {
  await using h = await harness();
  const cookie = deviceCookie(await logIn(h, PASSWORD, { from: HOME }));
  const wrong = () => logIn(h, "wrong", { from: HOME, headers: { cookie } });
  for (let i = 0; i < 2 * limits.perPair; i++) assert.equal((await wrong()).status, 401);
  assert.equal((await wrong()).status, 429);
});

Deno.test("lockout: failures of strangers do not stop one from changing one's password", async () => {
  await using h = await harness();
  fail(h, limits.perNetwork * OF_MANY, "127.0.0.1");
  const changed = await h.ask("POST", "/api/auth/change-password", {
    as: "super",
    body: { currentPassword: PASSWORD, newPassword: "a quiet harbour" },
  });
  assert.equal(changed.status, 200);
});

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`lockout: ${variant} remembers the device`, async () => {
    await using h = await harness({ variant });
    const cookie = deviceCookie(await logIn(h, PASSWORD, { from: HOME }));
    fail(h, limits.perPair, STRANGER);
    assert.equal((await logIn(h, PASSWORD, { from: STRANGER })).status, 429);
    const reply = await logIn(h, PASSWORD, { from: STRANGER, headers: { cookie } });
    assert.equal(reply.status, 200);
  });
}
