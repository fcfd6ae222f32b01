// Nothing secret is logged, however much is: passwords, hashes, tokens, cookies, links.
import assert from "node:assert/strict";
import { configure, getLogger, jsonLinesFormatter, resetSync } from "@logtape/logtape";
import { users } from "../../models/users.ts";
import { backgroundMailer, openMailer } from "../../services/messaging/mailer.ts";
import { type Harness, harness, PASSWORD } from "../harness.ts";

const NEW_PASSWORD = "a password nobody logs";

/** Collects every line of every logger while `run` runs. */
async function linesOf(run: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  await configure({
    sinks: { lines: (record) => void lines.push(jsonLinesFormatter(record)) },
    loggers: [
      { category: [], lowestLevel: "trace", sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["lines"] },
    ],
    reset: true,
  });
  try {
    await run();
  } finally {
    resetSync();
  }
  return lines.join("");
}

/** Signs in, out and about, rightly and wrongly; the secrets that were used. */
async function useSecrets(h: Harness): Promise<string[]> {
  const { data, headers } = await h.ask("POST", "/api/auth/login", {
    body: { email: "user@example.com", password: PASSWORD },
  });
  const cookie = /session-token=([^;]+)/.exec(headers.get("set-cookie") ?? "")![1]!;
  await h.ask("POST", "/api/auth/login", {
    body: { email: "user@example.com", password: "a wrong guess of it" },
  });
  await h.ask("POST", "/api/checkin", {
    headers: { cookie: `quarterdeck.session-token=${cookie}` },
  });
  const { refreshToken } = data;
  const refreshed = await h.ask("POST", "/api/auth/refresh", { body: { refreshToken } });
  await h.ask("GET", `/api/users/me?token=${data.accessToken}`, { token: data.accessToken });
  await h.ask("GET", `/nowhere?token=${data.accessToken}`, { token: "broken.token.here" });
  await h.ask("GET", "/api/avatars/the-key-of-a-picture");
  await h.ask("GET", "/reset-password/the-secret-of-a-mistyped-link");
  await h.ask("POST", "/api/auth/forgot-password", { body: { email: "other@example.com" } });
  const link = h.mailedToken("other@example.com");
  const reset = { token: link, password: NEW_PASSWORD };
  await h.ask("POST", "/api/auth/reset-password", { body: reset });
  await h.ask("POST", "/api/auth/reset-password", { body: reset });
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await h.ask("POST", "/api/auth/change-password", { as: "user", body });
  await h.ask("POST", "/api/users", { as: "super", body: { name: "Ada", email: "a@example.com" } });
  const invitation = h.mailedToken("a@example.com");
  const { passwordHash } = (await h.store.from(users).get(h.accounts.user.id))!;
  return [
    PASSWORD,
    NEW_PASSWORD,
    "a wrong guess of it",
    data.accessToken,
    refreshToken,
    refreshed.data.refreshToken,
    "broken.token.here",
    "the-key-of-a-picture",
    "the-secret-of-a-mistyped-link",
    cookie,
    link,
    invitation,
    passwordHash!,
    "$argon2id$",
    h.settings.secrets.access,
  ];
}

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`log: no secret is in it at level trace (${variant})`, async () => {
    let secrets: string[] = [];
    const logged = await linesOf(async () => {
      await using h = await harness({ variant, env: { LOG_LEVEL: "trace" } });
      if (variant !== "web") secrets = await useSecrets(h);
      else secrets = await usePages(h);
    });
    assert.match(logged, /"\/api\/|"\/login/, "nothing was logged");
    for (const secret of secrets) assert.ok(!logged.includes(secret), `${secret} is logged`);
  });
}

/** The same by a browser, which signs in with a cookie and opens pages. */
async function usePages(h: Harness): Promise<string[]> {
  const reply = await h.ask("POST", "/api/auth/login", {
    headers: { origin: "http://localhost" },
    body: { email: "user@example.com", password: PASSWORD },
  });
  const { token } = reply.body;
  assert.ok(token, reply.text);
  await h.ask("GET", "/dashboard", { headers: { cookie: `token=${token}` } });
  await h.ask("GET", "/reset-password?token=the-secret-of-a-link");
  return [PASSWORD, token, "the-secret-of-a-link"];
}

Deno.test("log: without SMTP a link is logged outside production alone", async () => {
  for (const production of [true, false]) {
    const logged = await linesOf(async () => {
      const log = getLogger(["quarterdeck", "mail"]);
      const mailer = openMailer({ smtpUrl: undefined, mailFrom: "x@example.com", production }, log);
      const background = backgroundMailer(mailer, log);
      const text = "Open http://localhost/reset-password?token=the-secret-of-a-link";
      background.inBackground(() => ({ to: "a@example.com", subject: "Reset", text }));
      await background.idle();
      await background.close();
    });
    assert.equal(logged.includes("the-secret-of-a-link"), !production);
  }
});
