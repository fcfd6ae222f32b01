// The export of a person's data: all of it, in the form that they see it in, with no secret, for whom it is.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../../core/units.ts";
import { allCollections } from "../../../models/all.ts";
import { apiKeys } from "../../../models/api_keys.ts";
import { auditLog } from "../../../models/audit.ts";
import { documents } from "../../../models/documents.ts";
import { secondFactors } from "../../../models/second_factors.ts";
import { emailLinks, passwordResets, sessions } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { TOLD_APART } from "../../../services/accounts/personal_data.ts";
import { sections } from "../../../services/accounts/personal_sections.ts";
import { type Account, type Harness, harness, PASSWORD } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { FROM, leaveTraces } from "./person_scene.ts";

const dataOf = (id: string) => `/api/users/${id}/data`;

/** Collections that tell nothing of a person that another does not, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  roles: "of nobody",
  permissions: "of nobody",
  documentViews: "counts",
  tags: "of nobody; documents are shown with theirs",
  documentTags: "documents are shown with theirs",
  contents: "bytes, by their hash",
  hiddenMessages: "messages that are not in theirs",
  sales: "of nobody",
  visits: "counts",
  idempotentAnswers: "copies of answers to the person, for a day",
  deletions: "work under way",
  usedChallenges: "of nobody",
  webhookDeliveries: "what programs were told, by ids, for a month",
  webhookPositions: "of nobody",
  auditLinks: "hashes",
  auditCheckpoints: "hashes",
  auditPositions: "of nobody",
};

Deno.test("personal data: every collection is in the export, or is left out for a reason", () => {
  const told = new Set([...TOLD_APART, ...sections.flatMap((one) => one.of)]);
  for (const { name } of allCollections) {
    assert.notEqual(told.has(name), name in LEFT_OUT, name);
  }
  assert.equal(new Set(sections.map(({ name }) => name)).size, sections.length);
});

Deno.test("personal data: all that a person left is in it, as they see it", async () => {
  await using h = await harness({ variant: "full" });
  const person = await leaveTraces(h);
  await h.ask("POST", "/api/messages", {
    as: "user",
    body: { recipientId: person.id, content: "Hello to you" },
  });
  const { status, headers, body } = await h.ask("GET", dataOf(person.id), {
    token: person.token,
    from: FROM,
  });
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "application/json");
  assert.match(headers.get("content-disposition")!, /^attachment; filename="personal-data.json"/);
  assert.equal(headers.get("cache-control"), "no-store");

  assert.equal(body.profile.name, "Zeldamira Quixworth");
  assert.equal(body.profile.phone, "+1 555 0177");
  assert.ok(body.storage.used > 0);
  assert.equal(body.checkin.streak, 1);
  assert.deepEqual(body.withheld, []);
  assert.deepEqual(
    Object.fromEntries(sections.map(({ name }) => [name, body[name].length])),
    {
      sessions: 2,
      apiKeys: 1,
      avatar: 1,
      preferences: 1,
      passkeys: 1,
      webhooks: 1,
      identities: 1,
      secondFactors: 1,
      pendingSignIns: 0,
      passwordLinks: 0,
      addressLinks: 1,
      teams: 1,
      documents: 1,
      documentRevisions: 1,
      trash: 1,
      folders: 0,
      files: 1,
      fileVersions: 1,
      shares: 1,
      conversations: 2,
      messages: 3,
      notifications: 1,
      events: 1,
      invitations: 0,
      reminders: 1,
      tasks: 0,
      snippets: 1,
      visits: 1,
      activities: body.activities.length,
    },
  );
  assert.equal(body.sessions.filter((one: { current: boolean }) => one.current).length, 1);
  assert.equal(body.sessions.at(-1).ip, FROM);
  assert.deepEqual(body.secondFactors[0].totp, { enabled: false });
  assert.equal(body.addressLinks[0].email, "zeldamira@quixworth.example");
  assert.deepEqual([body.teams[0].name, body.teams[0].role], ["Crew", "owner"]);
  assert.deepEqual([body.documents[0].title, body.documents[0].content], ["Plan", "# A plan"]);
  const [{ content, changed }] = body.documentRevisions;
  assert.deepEqual([content, changed], ["# A draft", ["content"]]);
  assert.deepEqual([body.trash[0].name, body.trash[0].content], ["Rhyme", "Roses"]);
  assert.equal(body.files[0].url, `/api/files/${body.files[0].id}/download`);
  assert.deepEqual([body.shares[0].userId, body.shares[0].givenByThem], [
    h.accounts.user.id,
    true,
  ]);
  assert.deepEqual(
    body.messages.map((one: { content: string; sender: { name: string } }) => [
      one.content,
      one.sender.name,
    ]),
    [["See you", "Zeldamira Quixworth"], ["Burn this", "Zeldamira Quixworth"], [
      "Hello to you",
      "User Person",
    ]],
  );
  assert.equal(body.events[0].reminders.length, 1);
  assert.equal(body.reminders[0].eventId, person.eventId);
  assert.equal(body.snippets[0].content, "<p>x</p>");
});

Deno.test("personal data: of what others did to them, neither who they are nor where they were", async () => {
  await using h = await harness({ variant: "full" });
  const person = await leaveTraces(h);
  const changed = await h.ask("PUT", `/api/users/${person.id}`, {
    as: "super",
    from: "192.0.2.99",
    body: { department: "Stars" },
  });
  assert.equal(changed.status, 200);
  const { text, body } = await h.ask("GET", dataOf(person.id), { token: person.token });
  assert.ok(!text.includes("192.0.2.99"));
  const told = JSON.stringify(body.activities);
  for (const account of ["super", "admin"] as const) {
    assert.ok(!told.includes(h.accounts[account].id), account);
  }
  type Activity = { byThem: boolean; ip?: string; fields: string[] };
  const [foreign, own] = [false, true].map((byThem) =>
    body.activities.filter((one: Activity) => one.byThem === byThem)
  );
  assert.ok(foreign.some((one: Activity) => one.fields.includes("department")));
  assert.ok(foreign.every((one: Activity) => one.ip === undefined));
  assert.ok(own.filter((one: Activity) => one.ip === FROM).length > 5);
});

Deno.test("personal data: no secret and no hash is in it", async () => {
  await using h = await harness({ variant: "full" });
  const person = await leaveTraces(h);
  const confirmed = await h.ask("POST", "/api/auth/forgot-password", {
    body: { email: h.accounts.other.email },
  });
  assert.equal(confirmed.status, 200);
  const { text, body } = await h.ask("GET", dataOf(person.id), { token: person.token });
  assert.equal(body.passwordLinks.length, 1);
  const secrets: unknown[] = [(await h.store.from(users).get(person.id))!.passwordHash];
  const where = { userId: person.id };
  for (const { keyHash } of (await h.store.from(apiKeys).list({ where })).rows) {
    secrets.push(keyHash, person.key);
  }
  for (const one of (await h.store.from(sessions).list({ where })).rows) {
    secrets.push(one.refreshJti, one.cookieHash);
  }
  for (const { tokenHash } of (await h.store.from(emailLinks).list({ where })).rows) {
    secrets.push(tokenHash);
  }
  for (const { tokenHash } of (await h.store.from(passwordResets).list({ where })).rows) {
    secrets.push(tokenHash);
  }
  for (const one of (await h.store.from(secondFactors).list({ where })).rows) {
    secrets.push(one.pendingTotp);
  }
  assert.ok(secrets.length >= 10);
  for (const secret of secrets) {
    assert.ok(typeof secret === "string" && secret.length > 10);
    assert.ok(!text.includes(secret), secret);
  }
  assert.doesNotMatch(text, /"(passwordHash|rev|tokenHash|keyHash|cookieHash|totpStep)"/);
});

Deno.test("personal data: however much there is, it comes in pieces, and only a few are read at a time", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = h.accounts.user;
  const many = Array.from({ length: 120 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 0, 1) + n).toISOString();
    return {
      id: `document-${String(n).padStart(4, "0")}`,
      createdAt: at,
      updatedAt: at,
      title: `D${n}`,
      content: "x".repeat(20_000),
      type: "document" as const,
      size: 20_000,
      ownerId: id,
    };
  });
  await h.store.load(documents, many);
  const request = new Request(`http://localhost${dataOf(id)}`, {
    headers: { authorization: `Bearer ${h.tokens.user}` },
  });
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } };
  const response = await h.app.fetch(request, info);
  const sizes: number[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    sizes.push(chunk.length);
    text += decoder.decode(chunk, { stream: true });
  }
  assert.ok(text.length > 2_400_000);
  assert.ok(Math.max(...sizes) < 150_000, `pieces of ${Math.max(...sizes)} bytes`);
  assert.deepEqual(
    JSON.parse(text).documents.map((one: { title: string }) => one.title),
    many.map(({ title }) => title),
  );
});

Deno.test("personal data: an administrator is given what they see anyway, a super_admin all", async () => {
  await using h = await harness({ variant: "full" });
  const cases: [Account, string[]][] = [
    ["super", []],
    ["admin", [
      "webhooks",
      "conversations",
      "messages",
      "notifications",
      "events",
      "invitations",
      "reminders",
    ]],
  ];
  for (const [as, withheld] of cases) {
    const { status, body } = await h.ask("GET", dataOf(h.accounts.user.id), { as });
    assert.equal(status, 200);
    assert.deepEqual(body.withheld, withheld);
    for (const { name } of sections) assert.equal(name in body, !withheld.includes(name), name);
  }
  const { rows } = await h.store.from(auditLog).list({
    where: { action: "export" },
    sort: "createdAt",
  });
  assert.deepEqual(
    rows.map(({ actorId, targetId }) => [actorId, targetId]),
    cases.map(([as]) => [h.accounts[as].id, h.accounts.user.id]),
  );
  await h.grant("guest", "users:*");
  const { body } = await h.ask("GET", dataOf(h.accounts.guest.id), { as: "admin" });
  assert.equal(body.profile.id, h.accounts.guest.id);
  const few = await h.ask("GET", dataOf(h.accounts.guest.id), { as: "guest" });
  assert.deepEqual(few.body.withheld, [], "one's own is never withheld");
});

const nobodyElse = { error: { details: [{ field: "permission", message: "users:*" }] } };

scenarios("personal data", {
  variant: "full",
  arrange: (h) => h.accounts,
  rows: [
    { name: "not signed in", method: "GET", path: ({ user }) => dataOf(user.id), status: 401 },
    {
      name: "another's",
      method: "GET",
      path: ({ other }) => dataOf(other.id),
      as: "user",
      status: 403,
      holds: nobodyElse,
    },
    {
      name: "nobody's, told as another's is",
      method: "GET",
      path: dataOf("nobody"),
      as: "user",
      status: 403,
      holds: nobodyElse,
    },
    {
      name: "of somebody who may do more",
      method: "GET",
      path: (accounts) => dataOf(accounts.super.id),
      as: "admin",
      status: 403,
    },
    { name: "nobody's", method: "GET", path: dataOf("nobody"), as: "admin", status: 404 },
    {
      name: "a method that there is none of",
      method: "POST",
      path: ({ user }) => dataOf(user.id),
      as: "user",
      status: 405,
    },
  ],
});

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`personal data (${variant}): needs a proof of the last minutes, which a program cannot give`, async () => {
    await using h = await harness({ variant });
    const path = dataOf(h.accounts.super.id);
    const { data } = await h.ask("POST", "/api/auth/keys", {
      as: "super",
      body: { name: "k", scopes: ["*"] },
    });
    const acting = await h.ask("POST", `/api/users/${h.accounts.user.id}/impersonate`, {
      as: "super",
    });
    assert.equal((await h.ask("GET", path, { token: data.key })).status, 403);
    const asUser = { token: acting.data.accessToken };
    assert.equal((await h.ask("GET", dataOf(h.accounts.user.id), asUser)).status, 403);
    assert.equal((await h.ask("GET", path, { as: "super" })).status, 200);
    h.clock.advance(11 * MINUTE);
    const late = await h.ask("GET", path, { as: "super" });
    assert.equal(late.status, 403);
    const proof = { as: "super" as const, body: { currentPassword: PASSWORD } };
    assert.equal((await h.ask("POST", "/api/auth/step-up", proof)).status, 200);
    assert.equal((await h.ask("GET", path, { as: "super" })).status, 200);
  });
}

Deno.test("personal data: so often an hour, by whoever asks", async () => {
  await using h = await harness();
  const ask = (as: Account) => h.ask("GET", dataOf(h.accounts.user.id), { as });
  for (let n = 0; n < rateLimits.personalData.perAccount; n++) {
    assert.equal((await ask("user")).status, 200);
  }
  const { status, headers } = await ask("user");
  assert.equal(status, 429);
  assert.equal(headers.get("retry-after"), String(HOUR / 1000));
  assert.equal((await ask("super")).status, 200);
  assert.equal(await exportsOf(h), rateLimits.personalData.perAccount + 1);
});

async function exportsOf({ store }: Harness): Promise<number> {
  return await store.from(auditLog).count({ action: "export" });
}
