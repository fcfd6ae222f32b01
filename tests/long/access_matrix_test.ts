// Every route that writes × every built-in role, in compact and full: the outcome follows from the permission sets of the
// contract and the rules of ownership. Neither is read from the code: a route that forgets its check fails here.
import assert from "node:assert/strict";
import { type Harness, harness } from "../harness.ts";
import { sceneOf, type WriteRequest, writeTo, writingEndpoints } from "../writes.ts";

const ROLES = ["guest", "user", "admin", "super_admin"] as const;
type Role = typeof ROLES[number];

/** The permission sets that the contract gives. */
const HELD: Readonly<Record<string, Readonly<Record<Role, readonly string[]>>>> = {
  compact: {
    super_admin: ["*"],
    admin: ["users:*", "documents:*", "files:*", "messages:*", "calendar:*"],
    user: ["documents:view", "files:view", "messages:view", "calendar:view"],
    guest: ["dashboard:view"],
  },
  full: {
    super_admin: ["*"],
    admin: ["users:*", "documents:*", "files:*", "teams:*"],
    user: ["documents:view", "files:view", "calendar:*"],
    guest: ["dashboard:view"],
  },
};

/** Open to everyone signed in, for what is their own. */
const OWN = new Set(["auth", "events", "batch", "notifications", "share", "markdown"]);

/** Open to those who are not signed in, too. */
const OPTIONAL = new Set(["/share", "/markdown"]);

/** What follows the record, or the collection, in the path of a route, and the action it counts as. */
const ACTIONS: Readonly<Record<string, string>> = {
  "post upload": "create",
  "post import": "create",
  "post {id}/copy": "create",
  "post {id}/move": "update",
  "post {id}/share": "update",
  "delete {id}/share/{shareId}": "update",
  "post {id}/tags": "update",
  "delete {id}/tags/{tagId}": "update",
  "post {id}/members": "update",
  "put {id}/members/{userId}": "update",
  "delete {id}/members/{userId}": "update",
  "post {id}/attendees": "update",
  "delete {id}/attendees/{userId}": "update",
  "post {id}/reminder": "update",
  "delete {id}/reminder": "update",
  "put {id}/permissions": "update",
  "delete {id}/sessions/{sessionId}": "update",
  "delete {id}/mfa": "update",
  "delete {id}/keys/{keyId}": "update",
  "post {id}/versions/{version}/restore": "update",
  "post {id}/revisions/{revision}/restore": "update",
  "delete {id}/revisions/{revision}": "delete",
  "delete {id}/versions/{version}": "delete",
  "put {id}/status": "update",
  "put {id}/rename": "update",
  "put {id}/reschedule": "update",
  "post {id}/favorite": "update",
  "post {id}/unshare": "update",
  "post {id}/permissions": "update",
  "post folder": "create",
  "post batch-move": "update",
  "post batch-delete": "delete",
  "post {id}/rotate": "update",
  "post {id}/test": "update",
  "post {id}/replay": "update",
  "post {id}/deliveries/{deliveryId}/replay": "update",
  "post search": "view",
  "post {id}/link": "view",
  "post ": "create",
  "put {id}": "update",
  "delete {id}": "delete",
};

/** The resource of a route: calendar, documents, files, … */
function resourceOf(path: string): string {
  const [, first = ""] = path.split("/");
  return first === "folders" ? "files" : first;
}

/** The permissions of which one is needed; none: everyone signed in may. */
function neededFor(variant: string, method: string, path: string): readonly string[] {
  const resource = resourceOf(path);
  if (OWN.has(resource) || path.startsWith("/users/me")) return [];
  // What was deleted is restored, and ended, by whoever may delete it.
  if (resource === "trash") return ["documents:delete", "files:delete"];
  if (resource === "dashboard") return ["dashboard:update"];
  // Whoever reads messages writes, marks and deletes them; full names no permission for them.
  if (resource === "messages") return variant === "full" ? [] : ["messages:view"];
  const rest = path.split("/").slice(resource === "calendar" ? 3 : 2).join("/");
  const action = ACTIONS[`${method} ${rest}`];
  assert.ok(action, `the matrix knows no action for ${method} ${path}`);
  return [`${resource}:${action}`];
}

function matches(held: string, needed: string): boolean {
  return held === "*" || held === needed ||
    held.endsWith(":*") && needed.startsWith(held.slice(0, -1));
}

/** What nobody but its owner reaches, whatever their role. */
const PERSONAL =
  /^\w+ \/(auth\/sessions|auth\/keys|auth\/passkeys|auth\/identities|notifications|messages|messages\/conversations)\/\{id\}|^delete .*\/reminder$/;
/** What is done to one's own second factor: that another has one leaves nothing to confirm, replace or remove. */
const OWN_FACTOR =
  /^post \/auth\/(mfa\/(totp\/confirm|recovery-codes)|step-up\/passkey\/options)$|^delete \/auth\/mfa\/totp$/;
/** What an authenticator answers to one session is no answer to another. */
const ANSWERS = /^post \/auth\/(passkeys|step-up\/passkey)$/;
/** What a role opens, and no permission: see tests/routes/accounts/impersonation_test.ts. */
const BY_ROLE = /\/impersonate$/;
/** Snippets are seen by everybody; whoever manages documents moderates them. */
const MODERATED = "delete /share/{id}";

/** Whoever manages webhooks sees and stops those of others, but learns no secret of theirs. */
const SECRET = "post /webhooks/{id}/rotate";

/** What someone else's record answers to a caller who holds the permission of the route. */
function foreignStatus(method: string, path: string, held: readonly string[]): number {
  const holds = (permission: string) => held.some((one) => matches(one, permission));
  const route = `${method} ${path}`;
  if (OWN_FACTOR.test(route)) return 409;
  if (ANSWERS.test(route)) return 400;
  // It holds what someone else is told.
  if (route === "post /batch") return 404;
  if (!path.includes("{")) return 200;
  if (PERSONAL.test(route)) return 404;
  if (route === SECRET) return 403;
  if (route === MODERATED) return holds("documents:*") ? 200 : 403;
  const resource = resourceOf(path);
  // Records without an owner: the permission is all that counts.
  if (["users", "roles", "permissions", "dashboard", "backups"].includes(resource)) return 200;
  if (resource === "trash") return holds("documents:*") ? 200 : 404;
  const manages = holds(`${resource}:*`) && (resource !== "calendar" || holds("users:view"));
  return manages ? 200 : 404;
}

interface Sent {
  readonly h: Harness;
  readonly method: string;
  readonly token: string;
}

async function send({ h, method, token }: Sent, { path, body }: { path: string; body?: unknown }) {
  const reply = await h.ask(method.toUpperCase(), path, { token, body });
  return reply.status < 300 ? { ...reply, status: 200 } : reply;
}

for (const variant of ["compact", "full"]) {
  Deno.test(`access: every route that writes, as every role (${variant})`, async (t) => {
    await using h = await harness({ variant, env: { RATE_LIMIT: "false" } });
    const endpoints = writingEndpoints(h).filter(({ path }) => !BY_ROLE.test(path));
    assert.ok(endpoints.length >= (variant === "full" ? 60 : 25), `${endpoints.length}`);
    for (const endpoint of endpoints) {
      const { method, path } = endpoint;
      const needed = neededFor(variant, method, path);
      await t.step(`${method} ${path}`, async () => {
        // What somebody was refused is there for the next to try.
        let foreign: WriteRequest | undefined;
        for (const role of ROLES) {
          const held = HELD[variant]![role];
          const caller = await sceneOf(h, { role });
          const sent = { h, method, token: caller.token };
          foreign ??= await writeTo(endpoint, await sceneOf(h));
          const reply = await send(sent, foreign);
          const holds = needed.length === 0 ||
            needed.some((one) => held.some((permission) => matches(permission, one)));
          if (!holds) {
            assert.equal(reply.status, 403, `${role}: ${reply.text}`);
            const missing: { field: string; message: string }[] = reply.body.error.details;
            assert.ok(missing.every(({ field }) => field === "permission"));
            assert.ok(missing.some(({ message }) => message === needed[0]), reply.text);
            continue;
          }
          const wanted = foreignStatus(method, path, held);
          assert.equal(reply.status, wanted, `${role}, another's: ${reply.text}`);
          if (reply.status === 200) foreign = undefined;
          const again = await sceneOf(h, { role });
          const own = await send({ ...sent, token: again.token }, await writeTo(endpoint, again));
          assert.equal(own.status, 200, `${role}, their own: ${own.text}`);
        }
        const { path: asked, body } = foreign ?? await writeTo(endpoint, await sceneOf(h));
        const nobody = await h.ask(method.toUpperCase(), asked, { body });
        if (method === "post" && OPTIONAL.has(path)) assert.ok(nobody.status < 300, nobody.text);
        else assert.equal(nobody.status, 401);
      });
    }
  });
}
