// Users: one's own profile, and administration.
import { z } from "zod";
import { andThen } from "../awaitable.ts";
import { assertMatch } from "../conditional.ts";
import { type Answer, type Endpoint, endpoint } from "../endpoint.ts";
import { conflict, forbidden, notFound } from "../errors.ts";
import { deleted, patchOf } from "../models/requests.ts";
import { roles } from "../models/roles.ts";
import {
  profileUpdate,
  type PublicUser,
  publicUser,
  type User,
  userCreation,
  userListQuery,
  users,
  userUpdate,
} from "../models/users.ts";
import { assertMayGrant, type Principal } from "../services/access.ts";
import {
  hashNewPassword,
  INVITATION_LIFETIME,
  planPasswordReset,
  resetLink,
} from "../services/accounts.ts";
import { planUserDeletion } from "../services/cascades.ts";
import { listAnswer, listing, rememberedPage } from "../services/lists.ts";
import { invitationMail } from "../services/mails.ts";
import { holdPermissions } from "../services/roles.ts";
import { endPasswordResets, endSessions } from "../services/sessions.ts";
import {
  assertMayManage,
  assignableRole,
  keepOneSuperAdmin,
  ownPermissions,
  roleOf,
  userVersion,
  userView,
  userViews,
} from "../services/users.ts";
import type { Awaitable, Store, Transaction } from "../store.ts";

const tag = "Users";

function shown(store: Pick<Store, "from">, user: User) {
  return andThen(roleOf(store, user), (role) => ({
    data: userView(user, role),
    etag: userVersion(user, role),
    impersonal: true,
  }));
}

/** Under both of its paths. */
const [me, authMe] = (["/users/me", "/auth/me"] as const).map((path) =>
  endpoint({
    method: "get",
    path,
    tag,
    summary: "The current user",
    access: "authenticated",
    data: publicUser,
    handle: ({ principal: { user, role } }) => ({
      data: userView(user, role),
      etag: userVersion(user, role),
    }),
  })
) as [Endpoint, Endpoint];

const updateMe = endpoint({
  method: "put",
  path: "/users/me",
  tag,
  summary: "Change one's own profile",
  description: "Never the role, the status or the permissions.",
  access: "authenticated",
  body: profileUpdate,
  data: publicUser,
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const user = await call.transact(async (tx) => {
      const user = await existing(tx, call.principal.user.id);
      assertMatch(call, userVersion(user, await roleOf(tx, user)));
      const updated = tx.update(users, user, patchOf(call.body));
      if (updated.email !== user.email) await endPasswordResets(tx, user.id);
      return updated;
    });
    return { ...await shown(call.store, user), message: "Your profile is saved" };
  },
});

const list = endpoint({
  method: "get",
  path: "/users",
  tag,
  summary: "List users",
  access: "users:view",
  query: userListQuery,
  list: true,
  data: z.array(publicUser),
  handle: ({ store, query }) => {
    const generations = [store.from(users).generation(), store.from(roles).generation()];
    return rememberedPage(query, generations, () => listUsers(store, query));
  },
});

function listUsers(
  store: Store,
  query: z.output<typeof userListQuery>,
): Awaitable<Answer<PublicUser[]>> {
  const { role, status, department } = query;
  const paging = listing<User>(query);
  const found = store.from(users).list({ ...paging, where: { role, status, department } });
  return andThen(
    found,
    (page) => andThen(userViews(store, page.rows), (rows) => listAnswer(paging, page, rows)),
  );
}

const details = endpoint({
  method: "get",
  path: "/users/{id}",
  tag,
  summary: "User details",
  access: "users:view",
  data: publicUser,
  errors: ["NOT_FOUND"],
  handle(call) {
    return andThen(call.store.from(users).get(call.params.id), (user) => {
      if (!user) throw notFound("user");
      return shown(call.store, user);
    });
  },
});

const create = endpoint({
  method: "post",
  path: "/users",
  tag,
  summary: "Create a user",
  description: "Without a password the user is sent an invitation with a link that sets one.",
  access: "users:create",
  created: true,
  body: userCreation,
  data: publicUser,
  errors: ["CONFLICT"],
  async handle(call) {
    const { password, role: roleName, permissions, ...fields } = call.body;
    const passwordHash = password === undefined ? undefined : await hashNewPassword(password);
    const { user, token } = await call.transact(async (tx) => {
      const role = await assignableRole(tx, call.principal, roleName);
      const own = ownPermissions(permissions, role);
      assertMayGrant(call.principal, own);
      await holdPermissions(tx, own);
      const user = tx.insert(users, {
        ...patchOf(fields),
        name: fields.name,
        email: fields.email,
        status: fields.status,
        role: role.name,
        permissions: own,
        passwordHash,
      });
      const invited = passwordHash === undefined && user.status === "active";
      return {
        user,
        token: invited ? await planPasswordReset(tx, user, INVITATION_LIFETIME) : null,
      };
    });
    if (token !== null) {
      const link = resetLink(call.services.config, token);
      call.services.mailer.inBackground(() => invitationMail(user, link));
    }
    return { ...await shown(call.store, user), message: "The user is created" };
  },
});

const update = endpoint({
  method: "put",
  path: "/users/{id}",
  tag,
  summary: "Change a user",
  description:
    "Takes only the changed fields. A new password, or a status other than active, ends the user's sessions.",
  access: "users:update",
  body: userUpdate,
  data: publicUser,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { password, ...changes } = call.body;
    const passwordHash = password === undefined ? undefined : await hashNewPassword(password);
    const user = await call.transact(async (tx) => {
      const user = await existing(tx, call.params.id);
      const role = await roleOf(tx, user);
      assertMatch(call, userVersion(user, role));
      assertMayManage(call.principal, user, role);
      const patch = { ...patchOf(changes), ...await planRights(tx, call.principal, user, changes) };
      const updated = tx.update(users, user, passwordHash ? { ...patch, passwordHash } : patch);
      if (passwordHash || updated.status !== "active") await endSessions(tx, user.id);
      if (passwordHash || updated.email !== user.email) await endPasswordResets(tx, user.id);
      return updated;
    });
    return { ...await shown(call.store, user), message: "The user is saved" };
  },
});

/** What changes of a user's role, permissions and status, held to the rules against escalation. */
async function planRights(
  tx: Transaction,
  principal: Principal,
  user: User,
  changes: Pick<z.output<typeof userUpdate>, "role" | "permissions" | "status">,
): Promise<Partial<Pick<User, "permissions">>> {
  const role = await roleOf(tx, user);
  const next = changes.role === undefined || changes.role === user.role
    ? role
    : await assignableRole(tx, principal, changes.role);
  const own = changes.permissions && next
    ? ownPermissions(changes.permissions, next)
    : changes.permissions;
  const added = own?.filter((permission) => !user.permissions.includes(permission)) ?? [];
  assertMayGrant(principal, added);
  await holdPermissions(tx, added);

  const newRole = changes.role !== undefined && changes.role !== user.role;
  const newStatus = changes.status !== undefined && changes.status !== user.status;
  const newPermissions = own !== undefined &&
    (added.length > 0 || own.length !== user.permissions.length);
  if (user.id === principal.user.id && (newRole || newStatus || newPermissions)) {
    throw forbidden("You cannot change your own role, status or permissions");
  }
  if (newRole || newStatus) await keepOneSuperAdmin(tx, user);
  return own === undefined ? {} : { permissions: own };
}

const remove = endpoint({
  method: "delete",
  path: "/users/{id}",
  tag,
  summary: "Delete a user",
  description: "Ends the user's sessions and memberships; what the user owned passes to you.",
  access: "users:delete",
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    const heir = call.principal.user.id;
    await call.transact(async (tx) => {
      const user = await existing(tx, id);
      const role = await roleOf(tx, user);
      assertMatch(call, userVersion(user, role));
      if (id === heir) throw conflict("You cannot delete yourself");
      assertMayManage(call.principal, user, role);
      await keepOneSuperAdmin(tx, user);
      await planUserDeletion(tx, id, heir);
      tx.remove(users, user);
    });
    return { data: { id }, message: "The user is deleted" };
  },
});

async function existing(tx: Transaction, id: string): Promise<User> {
  const user = await tx.from(users).get(id);
  if (!user) throw notFound("user");
  return user;
}

export const userRoutes = [me, authMe, updateMe, list, details, create, update, remove];
