// kill -9 in the middle of large deletions: after the restart they go on to their end, and nobody sees a half meanwhile.
import assert from "node:assert/strict";
import { variants } from "../../../config/variants.ts";
import { newId } from "../../../core/ids.ts";
import { deletions } from "../../../models/deletions.ts";
import { contents, files, fileVersions, storageUsage } from "../../../models/files.ts";
import { folders, slotOf } from "../../../models/folders.ts";
import { conversations, messages, participants, receipts } from "../../../models/messages.ts";
import { notifications } from "../../../models/notifications.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { users } from "../../../models/users.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { hashPassword } from "../../../services/accounts/passwords.ts";
import { openStore } from "../../../storage/open.ts";
import type { Store } from "../../../storage/port.ts";
import { type Server, startServer } from "../../server.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { until } from "../../until.ts";

const PASSWORD = "survives a crash";
const MESSAGES = 8000;
const FILES = 1000;
const NOTICES = 1000;
const START = Date.UTC(2026, 0, 1);

function stamp(n = 0) {
  const at = new Date(START + n).toISOString();
  return { id: newId(START + n), createdAt: at, updatedAt: at };
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function person(name: string, role: string, passwordHash?: string) {
  const email = `${name.toLowerCase()}@example.com`;
  const rights = { role, permissions: [], status: "active" as const };
  return { ...stamp(), name, email, passwordHash, ...rights };
}

/** What is to be deleted. */
interface Doomed {
  readonly user: string;
  readonly team: string;
  readonly folder: string;
}

async function fill(store: Store): Promise<Doomed> {
  await seedRoles(store, variants.full!);
  const admin = person("Admin", "super_admin", await hashPassword(PASSWORD));
  const leaver = person("Leaver", "user");
  const mate = person("Mate", "user");
  await store.load(users, [admin, leaver, mate]);
  await fillMailbox(store, leaver.id, mate.id);
  return {
    user: leaver.id,
    team: await fillTeam(store, mate.id),
    folder: await fillFolder(store, mate.id),
  };
}

async function fillMailbox(store: Store, senderId: string, recipientId: string): Promise<void> {
  const conversation = { ...stamp(), type: "private" as const, createdBy: senderId };
  const conversationId = conversation.id;
  await store.load(conversations, [{ ...conversation, lastMessageAt: conversation.createdAt }]);
  const both = [senderId, recipientId];
  await store.load(participants, both.map((userId) => ({ ...stamp(), conversationId, userId })));
  const type = "text" as const;
  const sent = range(MESSAGES).map((n) => ({ ...stamp(n), content: `Message ${n}`, type }));
  const from = { conversationId, senderId, recipientId };
  await store.load(messages, sent.map((message) => ({ ...message, ...from })));
  const receipt = { conversationId, userId: senderId, sent: true, type };
  await store.load(
    receipts,
    sent.map(({ id: messageId }, n) => ({ ...stamp(n), ...receipt, messageId })),
  );
}

async function fillTeam(store: Store, ownerId: string): Promise<string> {
  const team = { ...stamp(), name: "Crew", ownerId };
  await store.load(teams, [team]);
  const teamId = team.id;
  await store.load(teamMembers, [{ ...stamp(), teamId, userId: ownerId, role: "owner" as const }]);
  const told = { type: "user" as const, title: "T", content: "C", read: false };
  await store.load(
    notifications,
    range(NOTICES).map((n) => ({ ...stamp(n), ...told, userId: ownerId, subjectId: teamId })),
  );
  return teamId;
}

async function fillFolder(store: Store, ownerId: string): Promise<string> {
  const folder = { ...stamp(), name: "Pictures", ownerId, slot: slotOf(null, "Pictures") };
  await store.load(folders, [folder]);
  const blob = await store.blobs.put(new Blob(["hello"]).stream(), { maxBytes: 9 });
  const { id: blobId, sha256, size } = blob;
  await store.load(contents, [{ ...stamp(), id: sha256, blobId, size, references: FILES }]);
  const bytes = { mimeType: "text/plain", size, sha256, version: 1 };
  const place = { type: "document" as const, folderId: folder.id, ownerId, isFavorite: false };
  const kept = range(FILES).map((n) => ({ ...stamp(n), name: `F${n}` }));
  await store.load(files, kept.map((file) => ({ ...file, ...bytes, ...place, totalSize: size })));
  await store.load(
    fileVersions,
    kept.map(({ id: fileId }, n) => ({ ...stamp(n), ...bytes, fileId, createdBy: ownerId })),
  );
  await store.load(storageUsage, [{ ...stamp(), id: ownerId, used: FILES * size }]);
  return folder.id;
}

type Ask = (method: string, path: string) => Promise<{ status: number; body: Answer }>;

interface Answer {
  readonly data?: { readonly status?: string; readonly accessToken?: string };
  readonly pagination?: { readonly total: number };
}

function asking({ origin }: Server, token: string): Ask {
  return async (method, path) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${origin}/api${path}`, { method, headers });
    return { status: response.status, body: await response.json() };
  };
}

async function signIn({ origin }: Server): Promise<string> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
  });
  return (await response.json()).data.accessToken;
}

/** Nothing of the team and the folder is seen. */
async function assertHidden(ask: Ask, { team, folder }: Doomed): Promise<void> {
  assert.equal((await ask("GET", `/teams/${team}`)).status, 404);
  assert.equal((await ask("GET", "/teams")).body.pagination!.total, 0);
  assert.equal((await ask("GET", "/files")).body.pagination!.total, 0);
  assert.equal(
    (await ask("DELETE", `/folders/${folder}?recursive=true&permanent=true`)).status,
    404,
  );
}

/** Begins all deletions, and kills the server beneath them. */
async function begin(server: Server, ask: Ask, { user, team, folder }: Doomed): Promise<void> {
  const remove = (path: string) => ask("DELETE", path).then(() => {}, () => {});
  const removals = [remove(`/users/${user}`)];
  const status = async () => (await ask("GET", `/users/${user}`)).body.data?.status;
  await until(async () => await status() === "inactive", "the end of the account");
  removals.push(
    remove(`/teams/${team}`),
    remove(`/folders/${folder}?recursive=true&permanent=true`),
  );
  const isHidden = async (path: string) => (await ask("GET", path)).body.pagination!.total === 0;
  await until(async () => await isHidden("/teams") && await isHidden("/files"), "their end");
  await server.stop("SIGKILL");
  await Promise.all(removals);
}

/** @returns False when a deletion was through before the server was killed: then nothing was tested. */
async function crash(url: string, home: string): Promise<boolean> {
  const env = { VARIANT: "full", DATABASE_URL: url };
  let store = await openStore({ url });
  const doomed = await fill(store);
  await store.close();

  const first = await startServer(env, home);
  const token = await signIn(first);
  await begin(first, asking(first, token), doomed);
  store = await openStore({ url });
  const under = await store.from(deletions).count();
  const left = await store.from(receipts).count({ userId: doomed.user });
  const cut = under === 3 && left > 0 && await store.from(files).count() > 0;
  await store.close();
  if (!cut) return false;

  const second = await startServer(env, home);
  try {
    const ask = asking(second, token);
    await assertHidden(ask, doomed);
    const gone = async () => (await ask("GET", `/users/${doomed.user}`)).status === 404;
    await until(gone, "the end of the user");
    await assertHidden(ask, doomed);
  } finally {
    await second.stop();
  }
  store = await openStore({ url });
  await assertFinished(store, doomed);
  await store.close();
  return true;
}

/** Tries again where the machine kept the test from killing the server in time. */
async function crashInTheMiddle(engine: string): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const home = await Deno.makeTempDir({ prefix: "quarterdeck-" });
    const database = engine === "postgres" ? await postgresDatabase() : null;
    try {
      if (await crash(database?.url ?? `${engine}:${home}/store`, home)) return;
    } finally {
      await database?.drop();
      await Deno.remove(home, { recursive: true });
    }
  }
  assert.fail("every deletion was through before the server was killed");
}

async function assertFinished(store: Store, { user }: Doomed): Promise<void> {
  const emptied = [deletions, teams, teamMembers, notifications, folders, files, fileVersions];
  for (const collection of [...emptied, contents]) {
    // deno-lint-ignore no-explicit-any -- collections of different records
    assert.equal(await store.from<any>(collection).count(), 0, collection.name);
  }
  assert.equal((await Array.fromAsync(store.blobs.list())).length, 0);
  assert.equal(await store.from(users).count(), 2);
  assert.equal(await store.from(messages).count({ senderId: user }), 0);
  assert.equal(await store.from(messages).count(), MESSAGES);
  assert.equal(await store.from(receipts).count(), 0);
  const [usage] = (await store.from(storageUsage).list()).rows;
  assert.equal(usage!.used, 0);
}

Deno.test("deletions: killed in the middle, they are finished after the restart, and hidden until then", async (t) => {
  // Side by side: most of the time they wait until a deletion counts as left behind.
  const step = (engine: string) => ({
    name: engine,
    fn: () => crashInTheMiddle(engine),
    sanitizeOps: false,
    sanitizeResources: false,
    sanitizeExit: false,
  });
  await Promise.all(["kv", "sqlite", "postgres"].map((engine) => t.step(step(engine))));
});
