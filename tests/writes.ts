// One request for every declared route that writes, each of which succeeds: for what has to hold for all of them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { endpointsOf } from "../app.ts";
import { variants } from "../config/variants.ts";
import { fullPath } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { apiKeys } from "../models/api_keys.ts";
import { files } from "../models/files.ts";
import { identities } from "../models/identities.ts";
import { messages } from "../models/messages.ts";
import { notifications } from "../models/notifications.ts";
import { passkeys } from "../models/passkeys.ts";
import { secondFactors } from "../models/second_factors.ts";
import { type User, users } from "../models/users.ts";
import { webhookDeliveries } from "../models/webhooks.ts";
import { newApiKey } from "../services/accounts/api_keys.ts";
import { sealCode } from "../services/accounts/provider_codes.ts";
import { Ledger } from "../services/content/contents.ts";
import { planFile } from "../services/content/file_plans.ts";
import { signIn } from "../services/accounts/sessions.ts";
import { Authenticator } from "./authenticator.ts";
import { doneBackup, readyToBackUp } from "./backup_place.ts";
import { type Harness, PASSWORD, PROVIDER, type Reply } from "./harness.ts";
import { form, png } from "./uploads.ts";

/** Who sends the request, and means to make what it needs. */
export interface Scene {
  readonly h: Harness;
  readonly caller: User;
  readonly token: string;
  /** Another user, active. */
  readonly other: User;
  /** A POST below the API's base path in the caller's name, which must succeed. */
  make(path: string, body: unknown): Promise<Reply["data"]>;
}

export interface WriteRequest {
  /** Below the API's base path. */
  readonly path: string;
  readonly body?: unknown;
}

let count = 0;

/** A fresh user, signed in, who may do everything unless told otherwise; and another one. */
export async function sceneOf(
  h: Harness,
  { role = "super_admin", permissions = [] }: {
    readonly role?: string;
    readonly permissions?: readonly string[];
  } = {},
): Promise<Scene> {
  const { store } = h;
  const hash = h.accounts.super.passwordHash;
  const person = (role: string, permissions: readonly string[]) => ({
    name: `Person ${++count}`,
    email: `person${count}@example.com`,
    passwordHash: hash,
    role,
    permissions: [...permissions],
    status: "active" as const,
  });
  const [caller, other] = await store.transact({ userId: null }, (tx) => [
    tx.insert(users, person(role, permissions)),
    tx.insert(users, person("user", [])),
  ]);
  const { accessToken: token } = await signIn(store, h.app.services.tokens, caller!, {});
  const current = await store.from(users).get(caller!.id);
  return {
    h,
    caller: current!,
    token,
    other: other!,
    async make(path, body) {
      const reply = await h.ask("POST", `/api${path}`, { token, body });
      assert.ok(reply.status < 300, `${path}: ${reply.text}`);
      return reply.data;
    },
  };
}

/** A text that no other call has given. */
function fresh(word: string): string {
  return `${word} ${++count}`;
}

function csv(...lines: readonly string[]): Blob {
  return new Blob([`${lines.join("\n")}\n`], { type: "text/csv" });
}

const document = ({ make }: Scene) => make("/documents", { title: fresh("Log"), content: "text" });
export async function changedDocument(scene: Scene): Promise<{ id: string }> {
  const made = await document(scene);
  const ask = { token: scene.token, body: { title: fresh("Changed") } };
  assert.equal((await scene.h.ask("PUT", `/api/documents/${made.id}`, ask)).status, 200);
  return made;
}
async function deletedDocument(scene: Scene): Promise<{ id: string }> {
  const made = await document(scene);
  const { token } = scene;
  assert.equal((await scene.h.ask("DELETE", `/api/documents/${made.id}`, { token })).status, 200);
  return made;
}
export const folder = ({ make }: Scene) => make("/folders", { name: fresh("Folder") });
const team = ({ make }: Scene) => make("/teams", { name: fresh("Team") });
const task = ({ make }: Scene) => make("/dashboard/tasks", { title: fresh("Task") });
const file = ({ make }: Scene) => make("/files/upload", form({ bytes: png(fresh("bytes")) }));
/** The first file of the caller, put there if need be: of whoever may not upload, too. */
const ownFile = async ({ h: { store }, caller: { id } }: Scene) => {
  const [first] = (await store.from(files).list({ where: { ownerId: id }, limit: 1 })).rows;
  if (first) return first;
  const blob = await store.blobs.put(new Blob([png(fresh("bytes"))]).stream(), { maxBytes: 1000 });
  return await store.transact({ userId: id }, async (tx) => {
    const ledger = new Ledger();
    const bytes = { ...blob, mimeType: "image/png" };
    const made = planFile(tx, ledger, bytes, { name: "a.png", ownerId: id, createdBy: id });
    await ledger.write(tx, Infinity, blob);
    return made;
  });
};
const span = { start: "2026-12-01T09:00:00Z", end: "2026-12-01T10:00:00Z" };
const event = ({ make }: Scene, attendeeIds: readonly string[] = []) =>
  make("/calendar/events", { title: fresh("Event"), ...span, attendeeIds });
const person = ({ make }: Scene) =>
  make("/users", { name: fresh("User"), email: `user${++count}@example.com`, password: PASSWORD });
const role = ({ make }: Scene) =>
  make("/roles", { name: `role-${++count}`, permissions: ["documents:view"] });

export async function notification({ h, caller }: Scene): Promise<string> {
  const { id } = await h.store.transact({ userId: null }, (tx) =>
    tx.insert(notifications, {
      userId: caller.id,
      type: "system",
      title: "News",
      content: "text",
      read: false,
    }));
  return id;
}

/** A message that the other user has written to the caller. */
async function message({ h, caller, other }: Scene): Promise<string> {
  const { accessToken: token } = await signIn(h.store, h.app.services.tokens, other, {});
  await h.store.transact({ userId: null }, async (tx) => {
    const writer = await tx.from(users).get(other.id);
    tx.update(users, writer!, { permissions: ["messages:create"] });
  });
  const body = { recipientId: caller.id, content: "Hello" };
  const reply = await h.ask("POST", "/api/messages", { token, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data.id;
}

/** A conversation in which the other user has written to the caller, and that message. */
export async function conversation(scene: Scene): Promise<{ id: string; messageId: string }> {
  const messageId = await message(scene);
  const held = await scene.h.store.from(messages).get(messageId);
  return { id: held!.conversationId, messageId };
}

/** The user has an authenticator. */
async function secondFactor({ h }: Scene, { id: userId }: User): Promise<void> {
  await h.store.transact({ userId: null }, async (tx) => {
    if (await tx.from(secondFactors).findBy("user", userId)) return;
    tx.insert(secondFactors, { userId, totp: "sealed", totpSince: tx.now, recoveryCodes: [] });
  });
}

/** What an authenticator shows that is being set up. */
export async function totpCode({ h, make }: Scene): Promise<string> {
  const { secret } = await make("/auth/mfa/totp", undefined);
  const timestamp = h.clock.now().getTime();
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** The caller has a passkey. @returns Its id, and the authenticator that holds it. */
async function passkey({ h, caller: { id: userId }, make }: Scene) {
  const authenticator = new Authenticator();
  const options = await make("/auth/passkeys/options", undefined);
  const { credentialId, publicKey } = authenticator.keys(options);
  const made = await h.store.transact({ userId: null }, async (tx) => {
    const factor = await tx.from(secondFactors).findBy("user", userId);
    if (factor) tx.update(secondFactors, factor, { passkeys: (factor.passkeys ?? 0) + 1 });
    else tx.insert(secondFactors, { userId, recoveryCodes: [], passkeys: 1 });
    const fixed = { signCount: 0, transports: [], synced: false };
    return tx.insert(passkeys, { userId, name: fresh("Key"), credentialId, publicKey, ...fixed });
  });
  return { id: made.id, authenticator };
}

async function sessionOf({ h }: Scene, user: User): Promise<string> {
  const current = await h.store.from(users).get(user.id);
  return (await signIn(h.store, h.app.services.tokens, current!, {})).session.id;
}

async function apiKey({ h }: Scene, { id }: User): Promise<string> {
  const { keyHash, start } = newApiKey();
  const key = await h.store.transact({ userId: null }, (tx) =>
    tx.insert(apiKeys, {
      userId: id,
      name: fresh("Key"),
      keyHash,
      start,
      scopes: ["documents:view"],
      addresses: [],
    }));
  return key.id;
}

/** What a provider has proven of a person whom no other call has named; the verifier is what it was begun with. */
export function providerCode({ h }: Scene, subject = fresh("person")) {
  const codeVerifier = "v".repeat(43);
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const claims = {
    issuer: PROVIDER.issuer,
    subject,
    emailVerified: false,
    secondFactor: false,
  };
  const proven = { provider: PROVIDER.name, state: fresh("state"), challenge, claims };
  return { code: sealCode(h.settings, proven, h.clock.now()), codeVerifier };
}

async function identity({ h }: Scene, { id: userId }: User): Promise<string> {
  const linked = await h.store.transact(
    { userId: null },
    (tx) => tx.insert(identities, { userId, issuer: PROVIDER.issuer, subject: fresh("person") }),
  );
  return linked.id;
}

const hook = ({ make }: Scene) =>
  make("/webhooks", { url: "https://hooks.example.com/in", events: ["*"] });

/** A test that is to be sent to a webhook of the caller. */
export async function delivery(scene: Scene): Promise<string> {
  const { id } = await hook(scene);
  const { id: deliveryId } = await scene.make(`/webhooks/${id}/test`, undefined);
  return `/webhooks/${id}/deliveries/${deliveryId}`;
}

/** By method and path as declared. */
const writes: Readonly<Record<string, (scene: Scene) => Promise<WriteRequest> | WriteRequest>> = {
  "post /auth/logout": () => ({ path: "/auth/logout" }),
  "post /auth/change-password": () => ({
    path: "/auth/change-password",
    body: { currentPassword: PASSWORD, newPassword: "another fine password" },
  }),
  "post /auth/resend-verification": async ({ h, caller }) => {
    await h.store.transact({ userId: null }, async (tx) => {
      const user = await tx.from(users).get(caller.id);
      tx.update(users, user!, { unverifiedSince: tx.now });
    });
    return { path: "/auth/resend-verification" };
  },
  "delete /auth/sessions/{id}": async (scene) => ({
    path: `/auth/sessions/${await sessionOf(scene, scene.caller)}`,
  }),
  "post /auth/mfa/totp": () => ({ path: "/auth/mfa/totp" }),
  "post /auth/mfa/totp/confirm": async (scene) => ({
    path: "/auth/mfa/totp/confirm",
    body: { code: await totpCode(scene) },
  }),
  "post /auth/mfa/recovery-codes": async (scene) => {
    await secondFactor(scene, scene.caller);
    return { path: "/auth/mfa/recovery-codes" };
  },
  "delete /auth/mfa/totp": async (scene) => {
    await secondFactor(scene, scene.caller);
    return { path: "/auth/mfa/totp" };
  },
  "post /auth/passkeys/options": () => ({ path: "/auth/passkeys/options" }),
  "post /auth/passkeys": async ({ h, make }) => {
    const options = await make("/auth/passkeys/options", undefined);
    const credential = new Authenticator().make(options, { origin: h.settings.publicUrl });
    return { path: "/auth/passkeys", body: { credential } };
  },
  "put /auth/passkeys/{id}": async (scene) => ({
    path: `/auth/passkeys/${(await passkey(scene)).id}`,
    body: { name: fresh("Key") },
  }),
  "delete /auth/passkeys/{id}": async (scene) => ({
    path: `/auth/passkeys/${(await passkey(scene)).id}`,
  }),
  "post /auth/step-up/passkey/options": async (scene) => {
    await passkey(scene);
    return { path: "/auth/step-up/passkey/options" };
  },
  "post /auth/step-up/passkey": async (scene) => {
    const { authenticator } = await passkey(scene);
    const options = await scene.make("/auth/step-up/passkey/options", undefined);
    const credential = authenticator.use(options, { origin: scene.h.settings.publicUrl });
    return { path: "/auth/step-up/passkey", body: { credential } };
  },
  "post /auth/step-up": () => ({ path: "/auth/step-up", body: { currentPassword: PASSWORD } }),

  "put /users/me": () => ({ path: "/users/me", body: { name: fresh("Name") } }),
  "put /users/me/preferences": () => ({
    path: "/users/me/preferences",
    body: { theme: fresh("Theme") },
  }),
  "put /users/me/avatar": () => ({ path: "/users/me/avatar", body: form({ bytes: png() }) }),
  "delete /users/me/avatar": async ({ h, token }) => {
    const body = form({ bytes: png() });
    const { status, text } = await h.ask("PUT", "/api/users/me/avatar", { token, body });
    assert.equal(status, 200, text);
    return { path: "/users/me/avatar" };
  },
  "post /users": () => ({
    path: "/users",
    body: { name: fresh("User"), email: `invited${++count}@example.com` },
  }),
  "post /users/import": () => ({
    path: "/users/import?dryRun=false",
    body: csv("name,email", `Imported,imported${++count}@example.com`),
  }),
  "put /users/{id}": async (scene) => ({
    path: `/users/${(await person(scene)).id}`,
    body: { name: fresh("Name") },
  }),
  "put /users/{id}/status": async (scene) => ({
    path: `/users/${(await person(scene)).id}/status`,
    body: { status: "suspended" },
  }),
  "post /users/batch-delete": async (scene) => ({
    path: "/users/batch-delete",
    body: { ids: [(await person(scene)).id] },
  }),
  "delete /users/{id}": async (scene) => ({ path: `/users/${(await person(scene)).id}` }),
  "post /auth/keys": () => ({
    path: "/auth/keys",
    body: { name: fresh("Key"), scopes: ["dashboard:view"] },
  }),
  "put /auth/keys/{id}": async (scene) => ({
    path: `/auth/keys/${await apiKey(scene, scene.caller)}`,
    body: { name: fresh("Key") },
  }),
  "post /auth/oidc/link": (scene) => ({ path: "/auth/oidc/link", body: providerCode(scene) }),
  "delete /auth/identities/{id}": async (scene) => ({
    path: `/auth/identities/${await identity(scene, scene.caller)}`,
  }),
  "delete /auth/keys/{id}": async (scene) => ({
    path: `/auth/keys/${await apiKey(scene, scene.caller)}`,
  }),
  "delete /users/{id}/keys/{keyId}": async (scene) => ({
    path: `/users/${scene.other.id}/keys/${await apiKey(scene, scene.other)}`,
  }),
  "post /users/{id}/impersonate": ({ other }) => ({ path: `/users/${other.id}/impersonate` }),
  "delete /users/{id}/mfa": async (scene) => {
    await secondFactor(scene, scene.other);
    return { path: `/users/${scene.other.id}/mfa` };
  },
  "delete /users/{id}/sessions/{sessionId}": async (scene) => ({
    path: `/users/${scene.other.id}/sessions/${await sessionOf(scene, scene.other)}`,
  }),
  "post /roles": () => ({ path: "/roles", body: { name: `role-${++count}` } }),
  "put /roles/{id}": async (scene) => ({
    path: `/roles/${(await role(scene)).id}`,
    body: { label: fresh("Label") },
  }),
  "put /roles/{id}/permissions": async (scene) => ({
    path: `/roles/${(await role(scene)).id}/permissions`,
    body: { permissions: ["files:view"] },
  }),
  "post /roles/{id}/permissions": async (scene) => ({
    path: `/roles/${(await role(scene)).id}/permissions`,
    body: { permissions: ["files:view"] },
  }),
  "delete /roles/{id}": async (scene) => ({ path: `/roles/${(await role(scene)).id}` }),
  "post /permissions": () => ({ path: "/permissions", body: { name: `reports:view${++count}` } }),
  "delete /permissions/{id}": async ({ make }) => ({
    path: `/permissions/${(await make("/permissions", { name: `reports:view${++count}` })).id}`,
  }),
  "post /teams": () => ({ path: "/teams", body: { name: fresh("Team") } }),
  "put /teams/{id}": async (scene) => ({
    path: `/teams/${(await team(scene)).id}`,
    body: { name: fresh("Team") },
  }),
  "delete /teams/{id}": async (scene) => ({ path: `/teams/${(await team(scene)).id}` }),
  "post /teams/{id}/members": async (scene) => ({
    path: `/teams/${(await team(scene)).id}/members`,
    body: { userId: scene.other.id },
  }),
  "put /teams/{id}/members/{userId}": async (scene) => {
    const { id } = await team(scene);
    await scene.make(`/teams/${id}/members`, { userId: scene.other.id });
    return { path: `/teams/${id}/members/${scene.other.id}`, body: { role: "admin" } };
  },
  "delete /teams/{id}/members/{userId}": async (scene) => {
    const { id } = await team(scene);
    await scene.make(`/teams/${id}/members`, { userId: scene.other.id });
    return { path: `/teams/${id}/members/${scene.other.id}` };
  },

  "post /documents": () => ({
    path: "/documents",
    body: { title: fresh("Log"), content: "# Day one", tags: [fresh("tag")] },
  }),
  "post /documents/import": () => ({
    path: "/documents/import?dryRun=false",
    body: csv("title,content,tags", `${fresh("Log")},# Day one,${fresh("tag")}; log`),
  }),
  "put /documents/{id}": async (scene) => ({
    path: `/documents/${(await document(scene)).id}`,
    body: { title: fresh("Log") },
  }),
  "delete /documents/{id}": async (scene) => ({ path: `/documents/${(await document(scene)).id}` }),
  "post /documents/{id}/share": async (scene) => ({
    path: `/documents/${(await document(scene)).id}/share`,
    body: { userId: scene.other.id, permission: "edit" },
  }),
  "delete /documents/{id}/share/{shareId}": async (scene) => {
    const { id } = await document(scene);
    const share = await scene.make(`/documents/${id}/share`, { userId: scene.other.id });
    return { path: `/documents/${id}/share/${share.id}` };
  },
  "post /documents/{id}/tags": async (scene) => ({
    path: `/documents/${(await document(scene)).id}/tags`,
    body: { tags: [fresh("tag")] },
  }),
  "delete /documents/{id}/tags/{tagId}": async (scene) => {
    const { id } = await document(scene);
    const tagged = await scene.make(`/documents/${id}/tags`, { name: fresh("tag") });
    return { path: `/documents/${id}/tags/${tagged.tags[0].id}` };
  },
  "post /documents/{id}/move": async (scene) => ({
    path: `/documents/${(await document(scene)).id}/move`,
    body: { folder: "/Logs" },
  }),
  "put /documents/{id}/rename": async (scene) => ({
    path: `/documents/${(await document(scene)).id}/rename`,
    body: { title: fresh("Log") },
  }),
  "post /documents/batch-delete": async (scene) => ({
    path: "/documents/batch-delete",
    body: { ids: [(await document(scene)).id] },
  }),
  "post /documents/{id}/unshare": async (scene) => {
    const { id } = await document(scene);
    await scene.make(`/documents/${id}/share`, { userId: scene.other.id });
    return { path: `/documents/${id}/unshare`, body: { userId: scene.other.id } };
  },
  "post /documents/{id}/copy": async (scene) => ({
    path: `/documents/${(await document(scene)).id}/copy`,
    body: {},
  }),
  "post /documents/{id}/revisions/{revision}/restore": async (scene) => ({
    path: `/documents/${(await changedDocument(scene)).id}/revisions/1/restore`,
  }),
  "delete /documents/{id}/revisions/{revision}": async (scene) => ({
    path: `/documents/${(await changedDocument(scene)).id}/revisions/1`,
  }),
  "post /trash/{id}/restore": async (scene) => ({
    path: `/trash/${(await deletedDocument(scene)).id}/restore`,
  }),
  "delete /trash/{id}": async (scene) => ({ path: `/trash/${(await deletedDocument(scene)).id}` }),
  "delete /trash": async (scene) => {
    await deletedDocument(scene);
    return { path: "/trash" };
  },

  "post /files/upload": () => ({
    path: "/files/upload",
    body: form({ bytes: png(fresh("bytes")) }),
  }),
  "post /files": () => ({
    path: "/files",
    body: { name: "picture.png", content: png(fresh("bytes")).toBase64() },
  }),
  "post /files/folder": () => ({ path: "/files/folder", body: { name: fresh("Folder") } }),
  "put /files/{id}/rename": async (scene) => ({
    path: `/files/${(await file(scene)).id}/rename`,
    body: { name: `${fresh("picture")}.png` },
  }),
  "post /files/{id}/favorite": async (scene) => ({
    path: `/files/${(await file(scene)).id}/favorite`,
    body: { isFavorite: true },
  }),
  "post /files/search": () => ({ path: "/files/search", body: { query: "picture" } }),
  "put /files/{id}": async (scene) => ({
    path: `/files/${(await file(scene)).id}`,
    body: { isFavorite: true },
  }),
  "post /files/{id}/link": async (scene) => ({
    path: `/files/${(await ownFile(scene)).id}/link`,
    body: { expiresIn: 600 },
  }),
  "delete /files/{id}": async (scene) => ({ path: `/files/${(await file(scene)).id}` }),
  "post /files/{id}/move": async (scene) => ({
    path: `/files/${(await file(scene)).id}/move`,
    body: { folderId: (await folder(scene)).id },
  }),
  "post /files/{id}/copy": async (scene) => ({
    path: `/files/${(await file(scene)).id}/copy`,
    body: {},
  }),
  "post /files/batch-delete": async (scene) => ({
    path: "/files/batch-delete",
    body: { ids: [(await file(scene)).id] },
  }),
  "post /files/batch-move": async (scene) => ({
    path: "/files/batch-move",
    body: { ids: [(await file(scene)).id], folderId: (await folder(scene)).id },
  }),
  "post /files/{id}/versions/{version}/restore": async (scene) => ({
    path: `/files/${(await file(scene)).id}/versions/1/restore`,
  }),
  "delete /files/{id}/versions/{version}": async (scene) => {
    const { id } = await file(scene);
    await scene.make(`/files/${id}/versions/1/restore`, {});
    return { path: `/files/${id}/versions/1` };
  },
  "post /files/{id}/share": async (scene) => ({
    path: `/files/${(await file(scene)).id}/share`,
    body: { userId: scene.other.id },
  }),
  "delete /files/{id}/share/{shareId}": async (scene) => {
    const { id } = await file(scene);
    const share = await scene.make(`/files/${id}/share`, { userId: scene.other.id });
    return { path: `/files/${id}/share/${share.id}` };
  },
  "post /folders": () => ({ path: "/folders", body: { name: fresh("Folder") } }),
  "put /folders/{id}": async (scene) => ({
    path: `/folders/${(await folder(scene)).id}`,
    body: { name: fresh("Folder") },
  }),
  "put /folders/{id}/rename": async (scene) => ({
    path: `/folders/${(await folder(scene)).id}/rename`,
    body: { name: fresh("Folder") },
  }),
  "post /folders/{id}/move": async (scene) => ({
    path: `/folders/${(await folder(scene)).id}/move`,
    body: { parentId: (await folder(scene)).id },
  }),
  "delete /folders/{id}": async (scene) => ({ path: `/folders/${(await folder(scene)).id}` }),

  "post /messages": ({ other }) => ({
    path: "/messages",
    body: { recipientId: other.id, content: "Welcome aboard" },
  }),
  "put /messages/{id}/read": async (scene) => ({ path: `/messages/${await message(scene)}/read` }),
  "delete /messages/{id}": async (scene) => ({ path: `/messages/${await message(scene)}` }),
  "post /messages/conversations/{id}/messages": async (scene) => ({
    path: `/messages/conversations/${(await conversation(scene)).id}/messages`,
    body: { content: "Welcome aboard" },
  }),
  "put /messages/conversations/{id}/read": async (scene) => ({
    path: `/messages/conversations/${(await conversation(scene)).id}/read`,
  }),
  "delete /messages/conversations/{id}/messages/{messageId}": async (scene) => {
    const { id, messageId } = await conversation(scene);
    return { path: `/messages/conversations/${id}/messages/${messageId}` };
  },
  "put /notifications/{id}/read": async (scene) => ({
    path: `/notifications/${await notification(scene)}/read`,
  }),
  "put /notifications/read-all": async (scene) => {
    await notification(scene);
    return { path: "/notifications/read-all" };
  },
  "delete /notifications/{id}": async (scene) => ({
    path: `/notifications/${await notification(scene)}`,
  }),

  "post /calendar/events": ({ other }) => ({
    path: "/calendar/events",
    body: { title: fresh("Event"), ...span, attendeeIds: [other.id] },
  }),
  "post /calendar/events/import": () => ({
    path: "/calendar/events/import?dryRun=false",
    body: csv("title,start,end", `${fresh("Event")},${span.start},${span.end}`),
  }),
  "put /calendar/events/{id}": async (scene) => ({
    path: `/calendar/events/${(await event(scene)).id}`,
    body: { title: fresh("Event") },
  }),
  "put /calendar/events/{id}/reschedule": async (scene) => ({
    path: `/calendar/events/${(await event(scene)).id}/reschedule`,
    body: { start: "2026-12-02T09:00:00Z" },
  }),
  "post /calendar/events/batch-delete": async (scene) => ({
    path: "/calendar/events/batch-delete",
    body: { ids: [(await event(scene)).id] },
  }),
  "delete /calendar/events/{id}": async (scene) => ({
    path: `/calendar/events/${(await event(scene)).id}`,
  }),
  "post /calendar/events/{id}/attendees": async (scene) => ({
    path: `/calendar/events/${(await event(scene)).id}/attendees`,
    body: { userId: scene.other.id },
  }),
  "delete /calendar/events/{id}/attendees/{userId}": async (scene) => ({
    path: `/calendar/events/${
      (await event(scene, [scene.other.id])).id
    }/attendees/${scene.other.id}`,
  }),
  "post /calendar/events/{id}/reminder": async (scene) => ({
    path: `/calendar/events/${(await event(scene)).id}/reminder`,
    body: { minutesBefore: 10 },
  }),
  "delete /calendar/events/{id}/reminder": async (scene) => {
    const { id } = await event(scene);
    await scene.make(`/calendar/events/${id}/reminder`, { minutesBefore: 10 });
    return { path: `/calendar/events/${id}/reminder` };
  },

  "post /dashboard/sales": () => ({
    path: "/dashboard/sales",
    body: { date: "2026-11-20", amount: 12.5 },
  }),
  "post /dashboard/tasks": () => ({ path: "/dashboard/tasks", body: { title: fresh("Task") } }),
  "put /dashboard/tasks/{id}": async (scene) => ({
    path: `/dashboard/tasks/${(await task(scene)).id}`,
    body: { title: fresh("Task") },
  }),
  "delete /dashboard/tasks/{id}": async (scene) => ({
    path: `/dashboard/tasks/${(await task(scene)).id}`,
  }),

  "post /batch": async (scene) => ({
    path: "/batch",
    body: {
      operations: [{ method: "PUT", path: `/api/notifications/${await notification(scene)}/read` }],
    },
  }),
  "post /webhooks": () => ({
    path: "/webhooks",
    body: { url: "https://hooks.example.com/in", events: ["documents.*"] },
  }),
  "put /webhooks/{id}": async (scene) => ({
    path: `/webhooks/${(await hook(scene)).id}`,
    body: { active: false },
  }),
  "post /webhooks/{id}/rotate": async (scene) => ({
    path: `/webhooks/${(await hook(scene)).id}/rotate`,
  }),
  "delete /webhooks/{id}": async (scene) => ({ path: `/webhooks/${(await hook(scene)).id}` }),
  "post /webhooks/{id}/test": async (scene) => ({
    path: `/webhooks/${(await hook(scene)).id}/test`,
  }),
  "post /webhooks/{id}/deliveries/{deliveryId}/replay": async (scene) => ({
    path: `${await delivery(scene)}/replay`,
  }),
  "post /webhooks/{id}/replay": async (scene) => {
    const path = await delivery(scene);
    const [, , id = "", , deliveryId = ""] = path.split("/");
    await scene.h.store.transact({ userId: null }, async (tx) => {
      const sent = await tx.from(webhookDeliveries).get(deliveryId);
      tx.update(webhookDeliveries, sent!, { status: "failed", dueAt: undefined });
    });
    return { path: `/webhooks/${id}/replay`, body: { from: "2026-01-01T00:00:00Z" } };
  },

  "post /backups": async ({ h }) => {
    await readyToBackUp(h);
    return { path: "/backups" };
  },
  "delete /backups/{id}": async ({ h }) => ({ path: `/backups/${await doneBackup(h)}` }),

  "post /share": () => ({ path: "/share", body: { content: fresh("text"), language: "html" } }),
  "delete /share/{id}": async (scene) => ({
    path: `/share/${
      (await scene.make("/share", { content: "text", language: "html", userId: scene.caller.id }))
        .id
    }`,
  }),
  "post /events/ticket": () => ({ path: "/events/ticket" }),
  "post /markdown": () => ({ path: "/markdown", body: { markdown: "# Title" } }),
};

/** The declared routes that take a caller and are not read with GET. */
export function writingEndpoints(h: Harness): Endpoint[] {
  return h.app.endpoints.filter(({ method, access }) => method !== "get" && access !== "public");
}

/** The routes that write, each in one variant: full has nearly all; of the others, what full lacks. */
export function writingEndpointsOnce(h: Harness): Endpoint[] {
  const { variant } = h.settings;
  const all = writingEndpoints(h);
  if (variant.name === "full") return all;
  const inFull = new Set(endpointsOf(variants.full!).map(routeOf));
  return all.filter((endpoint) => !inFull.has(routeOf(endpoint)));
}

const routeOf = ({ method, path, access }: Endpoint) => `${method} ${path} ${access}`;

/** A request to the endpoint that succeeds; what it needs is made first. */
export async function writeTo(endpoint: Endpoint, scene: Scene): Promise<WriteRequest> {
  const name = `${endpoint.method} ${endpoint.path}`;
  const write = writes[name];
  assert.ok(write, `tests/writes.ts has no request for ${name}: add one`);
  const { path, body } = await write(scene);
  const { basePath } = scene.h.settings;
  assert.ok(fullPath(endpoint, basePath).startsWith(basePath));
  return { path: basePath + path, body };
}
