// What each role can make the store keep, route by route: every route that writes is asked again and again, until
// nothing more stays.
import assert from "node:assert/strict";
import { allCollections } from "../../models/all.ts";
import { attendees } from "../../models/calendar.ts";
import { tags } from "../../models/documents.ts";
import { notifications } from "../../models/notifications.ts";
import { teamMembers } from "../../models/teams.ts";
import { users } from "../../models/users.ts";
import { MAX_NOTIFICATIONS } from "../../services/messaging/notifications.ts";
import { sweep } from "../../services/sweep.ts";
import type { Store } from "../../storage/port.ts";
import { usedBytes } from "../../services/content/storage_usage.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { Buffer } from "node:buffer";
import { type Account, type Harness, harness, type Reply } from "../harness.ts";
import { form, png, upload } from "../uploads.ts";
import { sceneOf, writeTo, writingEndpointsOnce } from "../writes.ts";

const ACTIONS = ["view", "create", "update", "delete"];
const CONTENT = ["documents", "files", "messages", "calendar", "teams"].flatMap((resource) =>
  ACTIONS.map((action) => `${resource}:${action}`)
);

/** Who is held to quotas: everyone but those who may create users. */
const CALLERS: Readonly<Record<string, { role: string; permissions?: readonly string[] }>> = {
  "a user": { role: "user" },
  "a guest": { role: "guest" },
  "a user who may write all kinds of content": { role: "user", permissions: CONTENT },
};

/** Snippets have a quota of their own. */
const EXEMPT = new Set(["/share"]);

/** Small ones, so that they are met soon. */
const RECORDS = 6;
const BYTES = 2000;
const env = { RECORDS_QUOTA: String(RECORDS), STORAGE_QUOTA: String(BYTES), RATE_LIMIT: "false" };

const LONG = "€".repeat(10_000);

/** What any request may leave, and what is swept: it has limits of its own. */
const ELSEWHERE = new Set([
  "visits",
  "visitors",
  "documentViews",
  "auditLog",
  "sessions",
  "apiKeys",
  "passkeys",
  "usedChallenges",
  "identities",
  "notifications",
  "idempotentAnswers",
]);

/** Records, and their bytes as JSON. */
async function kept(store: Store): Promise<{ records: number; bytes: number }> {
  let [records, bytes] = [0, 0];
  for (const collection of allCollections.filter(({ name }) => !ELSEWHERE.has(name))) {
    for await (const record of store.from(collection).scan()) {
      records++;
      bytes += JSON.stringify(record).length;
    }
  }
  return { records, bytes };
}

/** More than the records that anyone may have. */
const TRIES = RECORDS + 4;
/** Records that hang on one that counts: participants, receipts, tags and their links, an attendee. */
const PER_RECORD = 6;

for (const variant of ["compact", "full"]) {
  for (const [who, caller] of Object.entries(CALLERS)) {
    Deno.test(`quotas: ${who} leaves so much and no more, by any route (${variant})`, async (t) => {
      await using h = await harness({ variant, env });
      for (const endpoint of writingEndpointsOnce(h)) {
        if (EXEMPT.has(endpoint.path)) continue;
        await t.step(`${endpoint.method} ${endpoint.path}`, async () => {
          const scene = await sceneOf(h, caller);
          const before = await kept(h.store);
          const attempt = async () => {
            // What the request needs may be refused as well.
            const request = await writeTo(endpoint, scene).catch(assertRefused);
            if (!request) return;
            const { token } = scene;
            const body = stretched(request.body);
            const method = endpoint.method.toUpperCase();
            const { status } = await h.ask(method, request.path, { token, body });
            assert.ok(status < 500);
          };
          for (let tries = 0; tries < TRIES; tries++) await attempt();
          const after = await kept(h.store);
          // The quotas of the caller and of the other user, who writes the messages that the caller reads.
          assert.ok(after.records - before.records <= 2 * RECORDS * PER_RECORD, "records");
          const most = 2 * RECORDS * PER_RECORD * 500 + 2 * BYTES;
          assert.ok(after.bytes - before.bytes <= most, `${after.bytes - before.bytes} bytes`);
          for (let tries = 0; tries < 3; tries++) await attempt();
          assert.equal((await kept(h.store)).records, after.records, "more and more stays");
        });
      }
    });
  }
}

/** The body with the longest texts that it may have. */
function stretched(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  if (body instanceof FormData || body instanceof Blob) return body;
  if ("content" in body) return { ...body, content: LONG };
  return "start" in body ? { ...body, description: LONG } : body;
}

function assertRefused(error: unknown): null {
  assert.ok(error instanceof assert.AssertionError);
  return null;
}

const event = { title: "Event", start: "2026-12-01T09:00:00Z" };

Deno.test("quotas: the error says what to do, and deleting makes room at once", async () => {
  await using h = await harness({ variant: "full", env });
  const create = () => h.ask("POST", "/api/calendar/events", { as: "user", body: event });
  const made = [];
  for (let n = 0; n < RECORDS; n++) made.push((await create()).data.id);
  const refused = await create();
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body.error.message, /6 records, as many as one user may have: delete some/);
  await h.ask("DELETE", `/api/calendar/events/${made[0]}`, { as: "user" });
  assert.equal((await create()).status, 201);
  assert.equal((await create()).status, 409);
  // Each has their own.
  assert.equal(
    (await h.ask("POST", "/api/calendar/events", { as: "other", body: event })).status,
    201,
  );
});

Deno.test("quotas: all at once cannot pass together what one after the other cannot", async () => {
  await using h = await harness({ variant: "full", env });
  const create = () => h.ask("POST", "/api/calendar/events", { as: "user", body: event });
  const replies = await Promise.all(Array.from({ length: 40 }, create));
  const made = replies.filter(({ status }) => status === 201).length;
  assert.ok(made <= RECORDS, `${made}`);
  for (let n = made; n < RECORDS; n++) assert.equal((await create()).status, 201);
  assert.equal((await create()).status, 409);
});

Deno.test("quotas: a folder that is restored in several commits needs no room beside the trash", async () => {
  await using h = await harness({ variant: "full", env: { ...big, RECORDS_QUOTA: "180" } });
  await writer(h, "user");
  const post = (path: string, body?: unknown) => h.ask("POST", path, { as: "user", body });
  const { data: { id: folderId } } = await post("/api/files/folder", { name: "F" });
  const { id } = await upload(h, "user", { fields: { folderId } });
  // With the folder 171 records; the commit that begins to restore them has 71.
  for (let n = 1; n < 170; n++) {
    assert.equal((await post(`/api/files/${id}/copy`, { folderId })).status, 201);
  }
  const path = `/api/folders/${folderId}?recursive=true`;
  assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 200);
  const restored = await post(`/api/trash/${folderId}/restore`);
  assert.equal(restored.status, 200, restored.text);
  assert.equal((await h.ask("GET", "/api/files", { as: "user" })).body.pagination.total, 170);
  const events = Array.from({ length: 10 }, () => post("/api/calendar/events", event));
  const made = (await Promise.all(events)).filter(({ status }) => status === 201);
  assert.equal(made.length, 9);
});

Deno.test("quotas: versions that others brought keep nobody from restoring a file", async () => {
  await using h = await harness({ variant: "full", env: { ...big, RECORDS_QUOTA: "10" } });
  await writer(h, "user", "other");
  const { id } = await upload(h, "user");
  const share = { userId: h.accounts.other.id, permission: "edit" };
  const shared = await h.ask("POST", `/api/files/${id}/share`, { as: "user", body: share });
  assert.equal(shared.status, 201, shared.text);
  for (let n = 0; n < 5; n++) await upload(h, "other", { fields: { fileId: id } });
  const plan = () => h.ask("POST", "/api/calendar/events", { as: "user", body: event });
  for (let n = 2; n < 10; n++) assert.equal((await plan()).status, 201);
  assert.equal((await plan()).status, 409);
  await h.ask("DELETE", `/api/files/${id}`, { as: "user" });
  const restored = await h.ask("POST", `/api/trash/${id}/restore`, { as: "user" });
  assert.equal(restored.status, 200, restored.text);
  assert.equal((await plan()).status, 409);
});

Deno.test("quotas: who may create users is not held to a number of records", async () => {
  await using h = await harness({ variant: "full", env });
  for (let n = 0; n < RECORDS + 3; n++) {
    const reply = await h.ask("POST", "/api/calendar/events", { as: "super", body: event });
    assert.equal(reply.status, 201);
  }
});

async function writer(h: Harness, ...accounts: Account[]): Promise<void> {
  for (const account of accounts) await h.grant(account, ...CONTENT);
}

Deno.test("quotas: documents and files share the bytes", async () => {
  await using h = await harness({ variant: "full", env: { ...env, REVISIONS_KEPT: "0" } });
  await writer(h, "user");
  const write = (size: number) =>
    h.ask("POST", "/api/documents", {
      as: "user",
      body: { title: "T", content: "x".repeat(size) },
    });
  const upload = () =>
    h.ask("POST", "/api/files/upload", { as: "user", body: form({ bytes: png("y".repeat(900)) }) });
  const { data: document } = await write(1000);
  assert.equal((await write(1001)).status, 413);
  assert.equal((await upload()).status, 201);
  const used = async () => (await h.ask("GET", "/api/files/storage", { as: "user" })).data.used;
  assert.equal(await used(), 1000 + png("y".repeat(900)).length);
  assert.equal((await upload()).status, 413);
  assert.equal((await write(100)).status, 413);
  const path = `/api/documents/${document.id}`;
  const grow = { as: "user" as const, body: { content: "x".repeat(1100) } };
  assert.equal((await h.ask("PUT", path, grow)).status, 413);
  const shrink = { as: "user" as const, body: { content: "x" } };
  assert.equal((await h.ask("PUT", path, shrink)).status, 200);
  assert.equal((await upload()).status, 201);
});

Deno.test("quotas: who may edit a document cannot fill its owner's quota", async () => {
  await using h = await harness({ variant: "full", env: { ...env, REVISIONS_KEPT: "0" } });
  await writer(h, "user", "other");
  const { data } = await h.ask("POST", "/api/documents", { as: "user", body: { title: "T" } });
  const path = `/api/documents/${data.id}`;
  const share = { userId: h.accounts.other.id, permission: "edit" };
  assert.equal((await h.ask("POST", `${path}/share`, { as: "user", body: share })).status, 201);
  const save = (as: Account, size: number) =>
    h.ask("PUT", path, { as, body: { content: "x".repeat(size) } });
  assert.equal((await save("other", BYTES * 0.9 + 1)).status, 413);
  assert.equal((await save("other", BYTES * 0.9)).status, 200);
  assert.equal((await save("user", BYTES)).status, 200);
});

const big = { RECORDS_QUOTA: "1000", STORAGE_QUOTA: "100000", RATE_LIMIT: "false" };

Deno.test("quotas: messages and events count with their bytes, whoever may write no documents", async () => {
  await using h = await harness({ variant: "full", env: big });
  const recipientId = h.accounts.other.id;
  const send = (as: Account) =>
    h.ask("POST", "/api/messages", { as, body: { recipientId, content: LONG } });
  const plan = (as: Account, description = LONG) =>
    h.ask("POST", "/api/calendar/events", { as, body: { ...event, description } });
  const used = async (as: Account) => await usedBytes(h.store, h.accounts[as].id);
  const first = await send("guest");
  assert.equal(first.status, 201);
  const size = 30_000 + 2 * 512;
  assert.equal(await used("guest"), size);
  for (let n = 1; n < 3; n++) assert.equal((await send("guest")).status, 201);
  const refused = await send("guest");
  assert.equal(refused.status, 413);
  assert.match(
    refused.body.error.message,
    /31024 bytes: 6928 bytes are left of the storage quota of 100000/,
  );
  await h.ask("DELETE", `/api/messages/${first.data.id}`, { as: "guest" });
  assert.equal((await send("guest")).status, 201);

  const { data } = await plan("user");
  const text = Buffer.byteLength(event.title) + 30_000;
  assert.equal(await used("user"), text);
  for (let n = 1; n < 3; n++) assert.equal((await plan("user")).status, 201);
  assert.equal((await plan("user")).status, 413);
  const { data: storage } = await h.ask("GET", "/api/files/storage", { as: "user" });
  assert.deepEqual([storage.used, storage.breakdown.others], [3 * text, 3 * text]);
  const path = `/api/calendar/events/${data.id}`;
  const body = { description: null };
  assert.equal((await h.ask("PUT", path, { as: "user", body })).status, 200);
  assert.equal(await used("user"), 2 * text + event.title.length);
  assert.equal((await plan("user")).status, 201);
  const grow = { as: "user" as const, body: { description: LONG } };
  assert.equal((await h.ask("PUT", path, grow)).status, 413);
});

Deno.test("quotas: a message to many counts with what each of them gets", async () => {
  await using h = await harness({ variant: "full", env: big });
  const { other, admin, guest } = h.accounts;
  const participantIds = [other.id, admin.id, guest.id];
  await h.ask("POST", "/api/messages", { as: "user", body: { participantIds, content: "x" } });
  assert.equal(await usedBytes(h.store, h.accounts.user.id), 1 + 4 * 512);
});

Deno.test("quotas: answers kept for Idempotency-Keys count until they expire", async () => {
  await using h = await harness({ variant: "full", env: { ...big, STORAGE_QUOTA: "20000" } });
  const userId = h.accounts.user.id;
  const create = (key: string) =>
    h.ask("POST", "/api/calendar/events", {
      as: "user",
      headers: { "idempotency-key": key },
      body: event,
    });
  const replies: Reply[] = [];
  do replies.push(await create(`key ${replies.length}`)); while (
    replies.at(-1)!.status === 201 && replies.length < 100
  );
  assert.equal(replies.at(-1)!.status, 413);
  const answers = (await h.store.from(idempotentAnswers).list({ limit: 100 })).rows;
  assert.equal(answers.length, replies.length - 1);
  assert.ok(answers.length > 10 && answers.length < 40, `${answers.length}`);
  const bytes = (one: typeof answers[number]) => Buffer.byteLength(JSON.stringify(one));
  for (const one of answers) {
    assert.equal(one.userId, userId);
    assert.ok(Math.abs(one.size! - bytes(one)) < 400, `${one.size} for ${bytes(one)}`);
  }
  assert.ok(await usedBytes(h.store, userId) <= 20_000);
  // What was answered is repeated as before, be it kept or not.
  for (const n of [0, replies.length - 2]) {
    const again = await create(`key ${n}`);
    assert.equal(again.status, 201);
    assert.equal(again.data.id, replies[n]!.data.id);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
  }
  h.clock.advance(25 * 60 * 60_000);
  await sweep(h.app.services, h.clock.now());
  assert.equal(await usedBytes(h.store, userId), answers.length * event.title.length);
  assert.equal((await create("another")).status, 201);
});

Deno.test("quotas: a user makes as many changes in a day as they may have records", async () => {
  await using h = await harness({ variant: "full", env: { RECORDS_QUOTA: "50" } });
  const { data } = await h.ask("POST", "/api/calendar/events", { as: "user", body: event });
  const save = (as: Account) =>
    h.ask("PUT", `/api/calendar/events/${data.id}`, { as, body: { title: "Again" } });
  let saved = 0;
  let reply = await save("user");
  for (; reply.status === 200 && saved < 100; reply = await save("user")) saved++;
  assert.equal(reply.status, 429);
  assert.equal(saved, 49);
  const wait = Number(reply.headers.get("retry-after"));
  assert.ok(wait > 86_000 && wait <= 86_400, `${wait}`);
  assert.equal(reply.headers.get("ratelimit-policy"), '"changes";q=50;w=86400');
  assert.equal(reply.headers.get("ratelimit"), `"changes";r=0;t=${wait}`);
  // Reading goes on, and so do administrators.
  assert.equal((await h.ask("GET", "/api/calendar/events", { as: "user" })).status, 200);
  assert.equal((await save("super")).status, 200);
  h.clock.advance(wait * 1000);
  assert.equal((await save("user")).status, 200);
});

Deno.test("quotas: a user keeps the newest notifications, and tags that are on nothing go", async () => {
  await using h = await harness({ variant: "full" });
  await writer(h, "user");
  const { id: userId } = h.accounts.user;
  const more = 130;
  await h.store.load(
    notifications,
    Array.from({ length: MAX_NOTIFICATIONS + more }, (_, n) => {
      const at = new Date(h.clock.now().getTime() + n).toISOString();
      const told = { userId, type: "system" as const, title: `${n}`, content: "", read: false };
      return { ...stamped(0, n, at), ...told };
    }),
  );
  const body = { title: "Log", tags: ["kept", "left"] };
  const { data } = await h.ask("POST", "/api/documents", { as: "user", body });
  const put = { as: "user" as const, body: { tags: ["kept"] } };
  await h.ask("PUT", `/api/documents/${data.id}`, put);
  h.clock.advance(30 * 60_000);
  await sweep(h.app.services, h.clock.now());
  assert.equal(await h.store.from(tags).count(), 2, "it may just be taken up again");
  assert.equal(await h.store.from(notifications).count({ userId }), MAX_NOTIFICATIONS);
  const { rows } = await h.store.from(notifications).list({ sort: "createdAt", limit: 1 });
  assert.equal(rows[0]!.title, String(more));
  h.clock.advance(31 * 60_000);
  await sweep(h.app.services, h.clock.now());
  assert.deepEqual((await h.store.from(tags).list()).rows.map(({ name }) => name), ["kept"]);
});

/** What every record has. @param kind Makes ids of different kinds different. */
function stamped(kind: number, n: number, at: string) {
  const id = `0193000${kind}-0000-7000-8000-${String(n).padStart(12, "0")}`;
  return { id, createdAt: at, updatedAt: at };
}

Deno.test("quotas: an event, a team and a document have so many attendees, members and tags", async () => {
  await using h = await harness({ variant: "full" });
  await writer(h, "user");
  const { data } = await h.ask("POST", "/api/documents", { as: "user", body: { title: "Log" } });
  const add = (from: number) => {
    const names = Array.from({ length: 30 }, (_, n) => `tag ${from + n}`);
    return h.ask("POST", `/api/documents/${data.id}/tags`, { as: "user", body: { tags: names } });
  };
  assert.equal((await add(0)).status, 201);
  assert.equal((await add(30)).status, 409);

  const as = "user";
  const { data: meeting } = await h.ask("POST", "/api/calendar/events", { as, body: event });
  const { data: team } = await h.ask("POST", "/api/teams", { as, body: { name: "Crew" } });
  const at = h.clock.now().toISOString();
  const people = Array.from({ length: 999 }, (_, n) => ({
    ...stamped(0, n, at),
    ...{ name: `Person ${n}`, email: `person${n}@example.com`, role: "user" },
    ...{ permissions: [], status: "active" as const },
  }));
  await h.store.load(users, people);
  const status = "pending" as const;
  const attending = people.slice(0, 500).map(({ id }, n) => ({
    ...stamped(1, n, at),
    ...{ eventId: meeting.id, userId: id, status },
  }));
  await h.store.load(attendees, attending);
  const role = "member" as const;
  const joined = people.slice(0, 999).map(({ id }, n) => ({
    ...stamped(2, n, at),
    ...{ teamId: team.id, userId: id, role },
  }));
  await h.store.load(teamMembers, joined);
  const body = { userId: h.accounts.other.id };
  const join = await h.ask("POST", `/api/teams/${team.id}/members`, { as, body });
  assert.match(join.body.error.message, /at most 1000 members/);
  const path = `/api/calendar/events/${meeting.id}/attendees`;
  const attend = await h.ask("POST", path, { as, body });
  assert.match(attend.body.error.message, /at most 500 attendees/);
  assert.deepEqual([join.status, attend.status], [409, 409]);
});
