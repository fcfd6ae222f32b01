// Every endpoint that the contract lists is served, with the permission it states; what is served beyond it is listed here.
import assert from "node:assert/strict";
import { endpointsOf } from "../app.ts";
import { variants } from "../config/variants.ts";
import { harness } from "./harness.ts";

const AUTH = `
POST /api/auth/login
POST /api/auth/register
POST /api/auth/refresh
POST /api/auth/logout
POST /api/auth/forgot-password
POST /api/auth/reset-password`;

const USERS = `
GET /api/users
GET /api/users/{id}
POST /api/users
PUT /api/users/{id}
DELETE /api/users/{id}
GET /api/users/me`;

const COMPACT = `
GET /api/documents
GET /api/documents/{id}
POST /api/documents
PUT /api/documents/{id}
DELETE /api/documents/{id}
GET /api/files
GET /api/files/{id}
POST /api/files/upload
PUT /api/files/{id}
DELETE /api/files/{id}
GET /api/messages
GET /api/messages/{id}
POST /api/messages
PUT /api/messages/{id}/read
DELETE /api/messages/{id}
GET /api/notifications
PUT /api/notifications/{id}/read
PUT /api/notifications/read-all
DELETE /api/notifications/{id}
GET /api/calendar/events
GET /api/calendar/events/{id}
POST /api/calendar/events
PUT /api/calendar/events/{id}
DELETE /api/calendar/events/{id}
GET /api/dashboard/stats
GET /api/dashboard/visits
GET /api/dashboard/sales
GET /api/dashboard/pie
GET /api/dashboard/tasks
GET /api/dashboard/calendar
GET /api/health`;

const FULL = `
GET /api/roles
GET /api/roles/{id}
POST /api/roles
PUT /api/roles/{id}
DELETE /api/roles/{id}
PUT /api/roles/{id}/permissions
GET /api/permissions
GET /api/permissions/{id}
POST /api/permissions
DELETE /api/permissions/{id}
GET /api/teams
GET /api/teams/{id}
POST /api/teams
PUT /api/teams/{id}
DELETE /api/teams/{id}
POST /api/teams/{id}/members
DELETE /api/teams/{id}/members/{userId}
GET /api/documents
GET /api/documents/{id}
POST /api/documents
PUT /api/documents/{id}
DELETE /api/documents/{id}
POST /api/documents/{id}/share
DELETE /api/documents/{id}/share/{shareId}
POST /api/documents/{id}/tags
DELETE /api/documents/{id}/tags/{tagId}
POST /api/documents/{id}/move
POST /api/documents/{id}/copy
GET /api/files
GET /api/files/{id}
POST /api/files/upload
GET /api/files/{id}/download
PUT /api/files/{id}
DELETE /api/files/{id}
POST /api/files/{id}/move
POST /api/files/{id}/copy
POST /api/files/{id}/share
GET /api/files/{id}/versions
GET /api/files/storage
POST /api/files/batch-delete
POST /api/files/batch-move
POST /api/files/search
GET /api/folders
POST /api/folders
PUT /api/folders/{id}
DELETE /api/folders/{id}
POST /api/folders/{id}/move
GET /api/calendar/events
GET /api/calendar/events/{id}
POST /api/calendar/events
PUT /api/calendar/events/{id}
DELETE /api/calendar/events/{id}
POST /api/calendar/events/{id}/attendees
DELETE /api/calendar/events/{id}/attendees/{userId}
POST /api/calendar/events/{id}/reminder
GET /api/calendar/events/upcoming
GET /api/notifications
GET /api/notifications/{id}
PUT /api/notifications/{id}/read
PUT /api/notifications/read-all
DELETE /api/notifications/{id}
GET /api/messages/conversations
GET /api/messages/conversations/{id}
POST /api/messages
PUT /api/messages/{id}/read
DELETE /api/messages/{id}
GET /api/dashboard/stats
GET /api/dashboard/visits
GET /api/dashboard/sales
GET /api/dashboard/pie
GET /api/dashboard/tasks
GET /api/dashboard/calendar
GET /api/dashboard/activities
GET /api/dashboard/notifications
GET /api/dashboard/users
GET /health
GET /metrics`;

const SNIPPETS = `
POST /api/share
POST /api/markdown
POST /api/checkin`;

/** Beyond the contract, where there are records to tell of. */
const EVENTS = `
GET /api/events
POST /api/events/ticket`;

/** Beyond the contract, in every variant. */
const EVERYWHERE = `
GET /livez
GET /readyz
GET /api/health
POST /api/batch
GET /api/setup
POST /api/setup
POST /api/auth/change-password
POST /api/auth/verify-email
POST /api/auth/resend-verification
POST /api/auth/confirm-email
GET /api/auth/sessions
DELETE /api/auth/sessions/{id}
POST /api/auth/mfa
GET /api/auth/mfa
POST /api/auth/mfa/totp
POST /api/auth/mfa/totp/confirm
DELETE /api/auth/mfa/totp
POST /api/auth/mfa/recovery-codes
POST /api/auth/step-up
POST /api/auth/passkeys/options
GET /api/auth/passkeys
POST /api/auth/passkeys
PUT /api/auth/passkeys/{id}
DELETE /api/auth/passkeys/{id}
POST /api/auth/passkeys/sign-in/options
POST /api/auth/passkeys/sign-in
POST /api/auth/mfa/passkey/options
POST /api/auth/mfa/passkey
POST /api/auth/step-up/passkey/options
POST /api/auth/step-up/passkey
GET /api/auth/providers
GET /api/auth/oidc/{provider}
GET /api/auth/oidc/{provider}/callback
POST /api/auth/oidc/exchange
POST /api/auth/oidc/link
GET /api/auth/identities
DELETE /api/auth/identities/{id}
GET /api/auth/keys
POST /api/auth/keys
GET /api/auth/keys/{id}
PUT /api/auth/keys/{id}
DELETE /api/auth/keys/{id}
GET /api/share
GET /api/share/{id}
DELETE /api/share/{id}
GET /s/{id}`;

/** Beyond the contract, where there are users. */
const USERS_TOO = `
GET /api/auth/me
PUT /api/users/me
PUT /api/users/{id}/status
GET /api/users/me/preferences
PUT /api/users/me/preferences
PUT /api/users/me/avatar
DELETE /api/users/me/avatar
GET /api/avatars/{key}
POST /api/users/batch-delete
GET /api/users/{id}/sessions
DELETE /api/users/{id}/sessions/{sessionId}
DELETE /api/users/{id}/mfa
GET /api/users/{id}/keys
DELETE /api/users/{id}/keys/{keyId}
POST /api/users/{id}/impersonate
GET /api/users/{id}/data
GET /api/users/export
POST /api/users/import
GET /api/access/explain
GET /api/system/settings
GET /api/system/health
GET /api/system/requests
GET /api/system/requests/recent
GET /api/audit
GET /api/audit/checkpoint
GET /api/audit/export
GET /api/audit/{id}
GET /api/backups
POST /api/backups
GET /api/backups/{id}
GET /api/backups/{id}/download
DELETE /api/backups/{id}
GET /api/webhooks
POST /api/webhooks
GET /api/webhooks/{id}
PUT /api/webhooks/{id}
DELETE /api/webhooks/{id}
POST /api/webhooks/{id}/rotate
POST /api/webhooks/{id}/test
POST /api/webhooks/{id}/replay
GET /api/webhooks/{id}/deliveries
GET /api/webhooks/{id}/deliveries/{deliveryId}
POST /api/webhooks/{id}/deliveries/{deliveryId}/replay`;

/** Beyond the contract, with the dashboard: sales and tasks have no resource of their own. */
const DASHBOARD_TOO = `
GET /api/dashboard/overview
POST /api/dashboard/sales
POST /api/dashboard/tasks
GET /api/dashboard/tasks/{id}
PUT /api/dashboard/tasks/{id}
DELETE /api/dashboard/tasks/{id}`;

/** Beyond the contract's variant A: what the console's overview shows is the dashboard of the others. */
const WEB_TOO = FULL.match(/^GET \/api\/dashboard\/.*$/gm)!.map((line) => `\n${line}`).join("");

/** Beyond the contract, with documents and files: what was deleted or changed is not lost, and comes out as CSV. */
const NOTHING_LOST = `
GET /api/documents/export
POST /api/documents/import
GET /api/files/export
GET /api/calendar/events/export
POST /api/calendar/events/import
GET /api/documents/{id}/revisions
GET /api/documents/{id}/revisions/{revision}
POST /api/documents/{id}/revisions/{revision}/restore
DELETE /api/documents/{id}/revisions/{revision}
GET /api/trash
POST /api/trash/{id}/restore
DELETE /api/trash/{id}
DELETE /api/trash`;

const DOWNLOAD = `
GET /api/files/{id}/download`;

/** Beyond the contract, where there are files: clients that send JSON alone make them, and links open them. */
const FILES_TOO = `
POST /api/files
PUT /api/files/{id}/rename
POST /api/files/{id}/favorite
GET /api/files/{id}/download-url
GET /api/files/{id}/signed
GET /api/files/{id}/thumbnail
POST /api/files/{id}/link`;

/** Beyond the contract, what front ends of its family call, where there are documents, events and notifications. */
const CONTENT_TOO = `
POST /api/documents/batch-delete
PUT /api/documents/{id}/rename
POST /api/calendar/events/batch-delete
PUT /api/calendar/events/{id}/reschedule
GET /api/notifications/unread-count`;

/** Beyond the contract, in full: what sharing, versions and reminders are incomplete without. */
const FULL_TOO = `
PUT /api/teams/{id}/members/{userId}
GET /api/documents/{id}/share
GET /api/files/{id}/share
DELETE /api/files/{id}/share/{shareId}
GET /api/files/{id}/versions/{version}/download
POST /api/files/{id}/versions/{version}/restore
DELETE /api/files/{id}/versions/{version}
DELETE /api/calendar/events/{id}/reminder
POST /api/documents/{id}/unshare
GET /api/files/storage-info
POST /api/files/folder
GET /api/folders/{id}
PUT /api/folders/{id}/rename
POST /api/roles/{id}/permissions
GET /api/messages/conversations/{id}/messages
POST /api/messages/conversations/{id}/messages
PUT /api/messages/conversations/{id}/read
DELETE /api/messages/conversations/{id}/messages/{messageId}`;

const CASES: Readonly<Record<string, { contract: string; count: number; beyond: string }>> = {
  compact: {
    contract: AUTH + USERS + COMPACT,
    count: 43,
    beyond: EVERYWHERE + EVENTS + USERS_TOO + DASHBOARD_TOO + FILES_TOO + CONTENT_TOO +
      NOTHING_LOST + DOWNLOAD +
      SNIPPETS,
  },
  full: {
    contract: AUTH + USERS + FULL,
    count: 89,
    beyond: EVERYWHERE + EVENTS + USERS_TOO + DASHBOARD_TOO + FILES_TOO + CONTENT_TOO +
      NOTHING_LOST + FULL_TOO +
      SNIPPETS,
  },
  web: {
    contract: AUTH + USERS,
    count: 12,
    beyond: EVERYWHERE + EVENTS + USERS_TOO + DASHBOARD_TOO + WEB_TOO + SNIPPETS,
  },
  snippets: { contract: SNIPPETS, count: 3, beyond: EVERYWHERE + AUTH },
};

function lines(text: string): string[] {
  return text.trim().split("\n").filter(Boolean).sort();
}

for (const [variant, { contract, count, beyond }] of Object.entries(CASES)) {
  Deno.test(`contract: ${variant} serves its ${count} endpoints, and what is listed beyond them`, async () => {
    await using h = await harness({ variant });
    const { body } = await h.ask("GET", "/api/openapi.json");
    const served = Object.entries(body.paths as Record<string, object>).flatMap((
      [path, operations],
    ) =>
      // PATCH is another name of PUT.
      Object.keys(operations).filter((method) => method !== "patch").map((method) =>
        `${method.toUpperCase()} ${path}`
      )
    );
    const listed = lines(contract);
    assert.equal(listed.length, count);
    assert.deepEqual(listed.filter((endpoint) => !served.includes(endpoint)), []);
    assert.deepEqual(served.sort(), [...new Set([...listed, ...lines(beyond)])].sort());
  });
}

Deno.test("contract: each resource's endpoints take the permission of its action", () => {
  const stated: Record<string, string> = {
    "get /users": "users:view",
    "get /users/{id}": "users:view",
    "post /users": "users:create",
    "put /users/{id}": "users:update",
    "delete /users/{id}": "users:delete",
    "get /users/me": "authenticated",
    "get /documents": "documents:view",
    "post /documents": "documents:create",
    "put /documents/{id}": "documents:update",
    "delete /documents/{id}": "documents:delete",
    "get /calendar/events": "calendar:view",
    "post /files/batch-delete": "files:delete",
    "post /documents/{id}/copy": "documents:create",
    "post /documents/{id}/share": "documents:update",
    "put /roles/{id}/permissions": "roles:update",
  };
  const endpoints = endpointsOf(variants.full!);
  for (const [key, access] of Object.entries(stated)) {
    const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === key);
    assert.equal(endpoint?.access, access, key);
  }
});

Deno.test("contract: what is public is public on purpose", () => {
  const open = endpointsOf(variants.full!).filter(({ access }) =>
    access === "public" || access === "optional"
  );
  assert.deepEqual(open.map(({ method, path }) => `${method} ${path}`).sort(), [
    "get /auth/oidc/{provider}",
    "get /auth/oidc/{provider}/callback",
    "get /auth/providers",
    "get /avatars/{key}",
    "get /files/{id}/signed",
    "get /health",
    "get /health",
    "get /livez",
    "get /metrics",
    "get /readyz",
    "get /s/{id}",
    "get /setup",
    "get /share/{id}",
    "post /auth/confirm-email",
    "post /auth/forgot-password",
    "post /auth/login",
    "post /auth/mfa",
    "post /auth/mfa/passkey",
    "post /auth/mfa/passkey/options",
    "post /auth/oidc/exchange",
    "post /auth/passkeys/sign-in",
    "post /auth/passkeys/sign-in/options",
    "post /auth/refresh",
    "post /auth/register",
    "post /auth/reset-password",
    "post /auth/verify-email",
    "post /checkin",
    "post /markdown",
    "post /setup",
    "post /share",
  ]);
});
