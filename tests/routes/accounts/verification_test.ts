// Accounts that registered themselves: what they may not before their address is proven, and how it is.
import assert from "node:assert/strict";
import { apiKeys } from "../../../models/api_keys.ts";
import { secondFactors } from "../../../models/second_factors.ts";
import { emailLinks } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { fireDueReminders } from "../../../services/calendar/reminders.ts";
import { sweep } from "../../../services/sweep.ts";
import { type Harness, harness, type HarnessOptions } from "../../harness.ts";
import { assertHolds } from "../../scenario.ts";

const VICTIM = "colleague@example.com";
const CHOSEN = "a stranger's password";
const OWN = "the owner's password";
const HOUR = 3_600_000;

/** A stranger registers with someone's address. */
async function strangerRegisters(h: Harness) {
  const reply = await h.ask("POST", "/api/auth/register", {
    body: { name: "Win https://evil.example", email: VICTIM, password: CHOSEN },
  });
  assert.equal(reply.status, 201);
  return { token: reply.body.token as string, id: reply.body.user.id as string };
}

const verify = (h: Harness, body: unknown) => h.ask("POST", "/api/auth/verify-email", { body });

const logIn = (h: Harness, password: string, email = VICTIM) =>
  h.ask("POST", "/api/auth/login", { body: { email, password } });

Deno.test("verification: an account works before its address is proven, and the mailed link says nothing of the stranger", async () => {
  await using h = await harness();
  const { token } = await strangerRegisters(h);
  const me = await h.ask("GET", "/api/users/me", { token });
  assert.equal(me.data.emailVerified, false);
  assert.equal((await logIn(h, CHOSEN)).status, 200);
  assert.equal(h.mails.length, 1);
  assert.equal(h.mails[0]!.to, VICTIM);
  assert.match(h.mails[0]!.text, /^http:\/\/localhost:8000\/verify-email\?token=[\w-]{43}$/m);
  assert.doesNotMatch(JSON.stringify(h.mails[0]), /evil/);
  const stored = await h.store.from(emailLinks).list({});
  assert.doesNotMatch(JSON.stringify(stored.rows), new RegExp(h.mailedToken(VICTIM)));
});

Deno.test("verification: before it, no role above the default, no permission, and no way round by registering", async () => {
  await using h = await harness();
  const { id } = await strangerRegisters(h);
  const put = (body: unknown) => h.ask("PUT", `/api/users/${id}`, { as: "super", body });
  for (
    const body of [{ role: "admin" }, { role: "super_admin" }, { permissions: ["users:view"] }]
  ) {
    const reply = await put(body);
    assert.equal(reply.status, 409, JSON.stringify(body));
    assert.match(reply.body.message, /have not confirmed the address colleague@example\.com/);
  }
  assertHolds((await put({ role: "user", position: "Mate" })).body, { data: { role: "user" } });
  assert.equal((await put({ permissions: ["documents:view"] })).status, 200, "that is no more");

  assert.equal((await verify(h, { token: h.mailedToken(VICTIM), newPassword: OWN })).status, 200);
  assert.equal((await put({ role: "admin" })).status, 200);
});

Deno.test("verification: with a new password the stranger is out, with every session", async () => {
  await using h = await harness();
  const { token, id } = await strangerRegisters(h);
  const second = (await logIn(h, CHOSEN)).body.token;
  const link = h.mailedToken(VICTIM);
  const weak = await verify(h, { token: link, newPassword: "password" });
  assertHolds(weak.body, { error: { details: [{ field: "newPassword" }] } });
  const differ = await verify(h, { token: link, newPassword: OWN, confirmPassword: "x" });
  assert.equal(differ.status, 400, "a mistake does not use the link up");
  assert.equal((await verify(h, { token: link, newPassword: OWN })).status, 200);
  for (const old of [token, second]) {
    assert.equal((await h.ask("GET", "/api/users/me", { token: old })).status, 401);
  }
  assert.equal((await logIn(h, CHOSEN)).status, 401);
  assert.equal((await logIn(h, OWN)).body.user.emailVerified, true);
  assert.equal((await verify(h, { token: link, newPassword: CHOSEN })).status, 400, "once");
  assert.equal((await h.store.from(users).get(id))!.unverifiedSince, undefined);
});

Deno.test("verification: with the password of the account, which has to be the right one", async () => {
  await using h = await harness();
  const { token } = await strangerRegisters(h);
  const link = h.mailedToken(VICTIM);
  const wrong = await verify(h, { token: link, password: "not the password" });
  assertHolds(wrong.body, {
    error: { code: "VALIDATION_ERROR", details: [{ field: "password" }] },
  });
  for (const body of [{ token: link }, { token: link, password: CHOSEN, newPassword: OWN }]) {
    assert.equal((await verify(h, body)).status, 400);
  }
  assert.equal((await verify(h, { token: "x".repeat(43), password: CHOSEN })).status, 400);
  assert.equal((await verify(h, { token: link, password: CHOSEN })).status, 200);
  assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 401, "sessions end");
  assert.equal((await logIn(h, CHOSEN)).body.user.emailVerified, true);
});

Deno.test("verification: a link ends after a day, when a new one is mailed, and is swept with the account", async () => {
  await using h = await harness();
  const { token } = await strangerRegisters(h);
  const first = h.mailedToken(VICTIM);
  const resend = () => h.ask("POST", "/api/auth/resend-verification", { token });
  assert.equal((await resend()).status, 200);
  const second = h.mailedToken(VICTIM);
  assert.equal((await verify(h, { token: first, password: CHOSEN })).status, 400);
  h.clock.advance(24 * HOUR + 1);
  assert.equal((await verify(h, { token: second, password: CHOSEN })).status, 400);
  h.clock.advance(30 * 24 * HOUR);
  await sweep(h.app.services, h.clock.now());
  assert.equal(await h.store.from(emailLinks).count(), 0);
});

Deno.test("verification: links are mailed again five times an hour, and not to whom is verified", async () => {
  await using h = await harness();
  const { token } = await strangerRegisters(h);
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    statuses.push((await h.ask("POST", "/api/auth/resend-verification", { token })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  assert.equal(h.mails.length, 6);
  const reply = await h.ask("POST", "/api/auth/resend-verification", { as: "user" });
  assert.match(reply.body.message, /confirmed already/);
  assert.equal((await h.ask("POST", "/api/auth/resend-verification")).status, 401);
  assert.equal(h.mails.length, 6);
});

Deno.test("verification: a password reset proves the address, a changed password does not", async () => {
  await using h = await harness();
  const { token } = await strangerRegisters(h);
  const changed = await h.ask("POST", "/api/auth/change-password", {
    token,
    body: { currentPassword: CHOSEN, newPassword: "another password of theirs" },
  });
  assert.equal(changed.status, 200);
  assert.equal((await h.ask("GET", "/api/users/me", { token })).data.emailVerified, false);
  await h.ask("POST", "/api/auth/forgot-password", { body: { email: VICTIM } });
  assert.doesNotMatch(JSON.stringify(h.mails), /evil/);
  const body = { token: h.mailedToken(VICTIM), password: OWN };
  assert.equal((await h.ask("POST", "/api/auth/reset-password", { body })).status, 200);
  assert.equal((await logIn(h, OWN)).body.user.emailVerified, true);
  assert.equal(await h.store.from(emailLinks).count(), 0);
});

Deno.test("verification: an administrator vouches by setting the password; invited and created accounts are proven", async () => {
  await using h = await harness();
  const { token, id } = await strangerRegisters(h);
  const body = { password: OWN, role: "admin" };
  const reply = await h.ask("PUT", `/api/users/${id}`, { as: "super", body });
  assertHolds(reply.body, { data: { emailVerified: true, role: "admin" } });
  assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 401);
  const invited = await h.ask("POST", "/api/users", {
    as: "super",
    body: { name: "Invited", email: "invited@example.com" },
  });
  assertHolds(invited.body, { data: { emailVerified: true } });
  const move = { email: "elsewhere@example.com" };
  const other = await strangerRegistersAs(h, "second@example.com");
  const moved = await h.ask("PUT", `/api/users/${other}`, { as: "super", body: move });
  assert.equal(moved.data.emailVerified, false, "another address alone is no proof");
  const late = await verify(h, { token: h.mailedToken("second@example.com"), newPassword: OWN });
  assert.equal(late.status, 400, "the link to the address before is worth nothing");
});

Deno.test("verification: where an administrator vouches, what else the stranger signs in by ends", async () => {
  await using h = await harness();
  const { token, id } = await strangerRegisters(h);
  const made = await h.ask("POST", "/api/auth/keys", {
    token,
    body: { name: "Mine", scopes: ["documents:view"] },
  });
  assert.equal(made.status, 201, made.text);
  assert.equal((await h.ask("POST", "/api/auth/mfa/totp", { token })).status, 201);
  const used = () => h.ask("GET", "/api/documents", { token: made.data.key });
  assert.equal((await used()).status, 200);
  const body = { password: OWN };
  assert.equal((await h.ask("PUT", `/api/users/${id}`, { as: "super", body })).status, 200);
  assert.equal((await used()).status, 401);
  assert.equal(await h.store.from(apiKeys).count({ userId: id }), 0);
  assert.equal(await h.store.from(secondFactors).count({ userId: id }), 0);
});

async function strangerRegistersAs(h: Harness, email: string): Promise<string> {
  const body = { name: "Stranger", email, password: CHOSEN };
  return (await h.ask("POST", "/api/auth/register", { body })).body.user.id;
}

/** Invites everyone to events of the caller, one each. */
async function inviteOften(h: Harness, token: string, times: number) {
  for (let i = 0; i < times; i++) {
    const reply = await h.ask("POST", "/api/calendar/events", {
      token,
      body: {
        title: "BUY NOW https://evil.example",
        start: "2026-12-01T09:00:00Z",
        attendeeIds: [h.accounts.user.id],
      },
    });
    assert.equal(reply.status, 201);
  }
}

const full: HarnessOptions = { variant: "full" };

Deno.test("mail: nothing goes out in the name of an unverified account, nor to one; notifications do", async () => {
  await using h = await harness(full);
  const { token, id } = await strangerRegisters(h);
  h.mails.length = 0;
  await inviteOften(h, token, 3);
  const event = await h.ask("POST", "/api/calendar/events", {
    token,
    body: { title: "BUY NOW", start: "2026-11-21T12:00:00Z" },
  });
  const reminder = { remindAt: "2026-11-21T11:00:00Z", method: "email" };
  const path = `/api/calendar/events/${event.data.id}/reminder`;
  assert.ok((await h.ask("POST", path, { token, body: reminder })).status < 300);
  h.clock.advance(90 * 60_000);
  await fireDueReminders(h.app.services);
  const toStranger = await h.ask("POST", "/api/calendar/events", {
    as: "user",
    body: { title: "Lunch", start: "2026-12-01T09:00:00Z", attendeeIds: [id] },
  });
  assert.equal(toStranger.status, 201);
  assert.deepEqual(h.mails, []);
  assert.equal((await h.ask("GET", "/api/notifications", { as: "user" })).body.pagination.total, 3);
});

Deno.test("mail: a sender has a hundred notices an hour; their words are quoted, never in the subject", async () => {
  await using h = await harness(full);
  await inviteOften(h, h.tokens.other, 120);
  assert.equal(h.mails.length, 100);
  for (const { subject, text } of h.mails) {
    assert.equal(subject, "Invitation to an event");
    assert.match(text, /^> BUY NOW https:\/\/evil\.example$/m);
  }
  const told = await h.ask("GET", "/api/notifications", { as: "user" });
  assert.equal(told.body.pagination.total, 120);
  h.clock.advance(HOUR);
  const { data } = await h.ask("POST", "/api/auth/login", {
    body: { email: "other@example.com", password: "correct horse battery" },
  });
  await inviteOften(h, data.accessToken, 1);
  assert.equal(h.mails.length, 101);
});

Deno.test("verification off: nobody waits, no link is mailed, and earlier accounts may what they may", async () => {
  await using h = await harness({ env: { EMAIL_VERIFICATION: "off" } });
  const { id } = await strangerRegisters(h);
  assert.deepEqual(h.mails, []);
  const put = (of: string) =>
    h.ask("PUT", `/api/users/${of}`, { as: "super", body: { role: "admin" } });
  assertHolds((await put(id)).body, { data: { role: "admin", emailVerified: true } });
  await h.store.transact({ userId: null }, async (tx) => {
    const earlier = await tx.from(users).get(h.accounts.user.id);
    tx.update(users, earlier!, { unverifiedSince: tx.now });
  });
  assert.equal((await put(h.accounts.user.id)).status, 200);
});

Deno.test("verification: of two at once with one link, one wins", async () => {
  await using h = await harness();
  await strangerRegisters(h);
  const token = h.mailedToken(VICTIM);
  const replies = await Promise.all([
    verify(h, { token, newPassword: OWN }),
    verify(h, { token, password: CHOSEN }),
  ]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
});

Deno.test("verification: a deleted account takes its links along", async () => {
  await using h = await harness();
  const { id } = await strangerRegisters(h);
  const token = h.mailedToken(VICTIM);
  assert.equal((await h.ask("DELETE", `/api/users/${id}`, { as: "super" })).status, 200);
  assert.equal(await h.store.from(emailLinks).count(), 0);
  assert.equal((await verify(h, { token, newPassword: OWN })).status, 400);
});
