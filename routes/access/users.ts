// Users, as those who administer them see and change them.
import { z } from "zod";
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import { assertMatch } from "../../http/conditional.ts";
import { type Answer, endpoint } from "../../http/endpoint.ts";
import { conflict, existing, forbidden, invalid, notFound } from "../../core/errors.ts";
import { deletions } from "../../models/deletions.ts";
import { flagFilter } from "../../models/list_query.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import { DEFAULT_ROLE, roles } from "../../models/roles.ts";
import {
  type PublicUser,
  publicUser,
  type User,
  userCreation,
  userListQuery,
  users,
  userUpdate,
} from "../../models/users.ts";
import type { Principal } from "../../services/access/access.ts";
import {
  endCredentials,
  hashNewPassword,
  INVITATION_LIFETIME,
  mailedLink,
  newPasswordProblems,
  planPasswordReset,
} from "../../services/accounts/accounts.ts";
import { planZoneMoves } from "../../services/calendar/reminders.ts";
import {
  finishDeletion,
  planUserDeletion,
  planUserErasure,
} from "../../services/content/deletions.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import { invitationMail } from "../../services/messaging/mails.ts";
import { holdPermissions, namedRights } from "../../services/access/roles.ts";
import { tellOfPassword } from "../../services/accounts/password_changes.ts";
import { endMailedLinks, endSessions } from "../../services/accounts/sessions.ts";
import { assertOwnSession } from "../../services/accounts/principals.ts";
import { assertProven, assertProvenForRights } from "../../services/accounts/step_up.ts";
import {
  assertDefaultRights,
  isUnverified,
  tellAddressBefore,
} from "../../services/accounts/verification.ts";
import {
  assertMayGive,
  assertMayManage,
  assignableRole,
  keepOneSuperAdmin,
  ownPermissions,
  roleOf,
  shownUser,
  userList,
  userVersion,
  type UserView,
  userView,
} from "../../services/access/users.ts";
import type { Store, Transaction, Where } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";

const tag = "Users";

/** A user, with the version of what is shown. */
export function shown(store: Pick<Store, "from">, user: User) {
  return andThen(roleOf(store, user), (role) => answerOf(userView(user, role)));
}

function answerOf({ json, version }: UserView) {
  return { data: json, etag: version, impersonal: true };
}

const list = endpoint({
  operationId: "listUsers",
  method: "get",
  path: "/users",
  tag,
  summary: "List users",
  access: "users:view",
  query: userListQuery,
  list: true,
  data: z.array(publicUser),
  handle: (call) => listUsers(call.store, call.query),
});

function listUsers(
  store: Store,
  query: z.output<typeof userListQuery>,
): Awaitable<Answer<PublicUser[]>> {
  const paging = listing<User>(query);
  const found = andThen(
    usersAsked(store, query),
    (where) => store.from(users).listRows({ ...paging, where }),
  );
  return andThen(
    found,
    (page) =>
      andThen(
        userList(store, page.rows),
        (shown) => listAnswer(paging, page, shown),
      ),
  );
}

/** The conditions of the query: a `roleId` becomes the name of that role, as users refer to their role by name. */
export function usersAsked(
  store: Pick<Store, "from">,
  { where, roleId }: Pick<z.output<typeof userListQuery>, "where" | "roleId">,
): Awaitable<Where<User>> {
  if (roleId === undefined) return where;
  return andThen(store.from(roles).getMany(roleId), (found) => {
    const named = found.flatMap((role) => role?.name ?? []);
    return { all: [where, { role: named }] };
  });
}

const details = endpoint({
  operationId: "getUser",
  method: "get",
  path: "/users/{id}",
  tag,
  summary: "User details",
  access: "users:view",
  data: publicUser,
  errors: ["NOT_FOUND"],
  handle(call) {
    return andThen(shownUser(call.store, call.params.id), (view) => {
      if (!view) throw notFound("user");
      return answerOf(view);
    });
  },
});

const create = endpoint({
  operationId: "createUser",
  method: "post",
  path: "/users",
  tag,
  summary: "Create a user",
  description: "Without a password the user is sent an invitation with a link that sets one.",
  access: "users:create",
  created: true,
  makes: "users",
  body: userCreation,
  bodyLimit: 64 * KIB,
  problems: (body) => newPasswordProblems(body),
  data: publicUser,
  errors: ["CONFLICT", "STEP_UP_REQUIRED"],
  async handle(call) {
    const { password, role: byName, roleId, permissions, permissionIds, ...fields } = call.body;
    if (password === undefined && isUnverified(call.services.settings, call.principal.user)) {
      throw forbidden("Confirm your own e-mail address before you invite others");
    }
    if (password !== undefined) assertOwnSession(call.principal);
    const passwordHash = password === undefined ? undefined : await hashNewPassword(password);
    const { user, token } = await call.transact(async (tx) => {
      const given = { role: byName, roleId, permissions, permissionIds };
      const asked = await namedRights(tx, given);
      const role = await assignableRole(tx, call.principal, asked.role ?? DEFAULT_ROLE);
      const own = ownPermissions(asked.permissions ?? [], role);
      assertMayGive(call.principal, role, own);
      if (role.name !== DEFAULT_ROLE || own.length > 0) {
        assertProvenForRights(call.services, call.principal);
      }
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
      const link = mailedLink(call.services.settings, "accept-invitation", token);
      const sending = { urgent: true, sender: call.principal.user.id };
      call.services.mailer.inBackground(() => invitationMail(user, link), sending);
    }
    return { ...await shown(call.store, user), message: "The user is created" };
  },
});

export const updateUser = endpoint({
  operationId: "updateUser",
  method: "put",
  path: "/users/{id}",
  tag,
  summary: "Change a user",
  description:
    "Takes only the changed fields. A new password, or a status other than active, ends the user's sessions. One's " +
    "own password changes by change-password, and one's own e-mail by `PUT /users/me`.",
  access: "users:update",
  body: userUpdate,
  bodyLimit: 64 * KIB,
  problems: (body) => newPasswordProblems(body),
  data: publicUser,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "STEP_UP_REQUIRED"],
  async handle(call) {
    const { password, role: byName, roleId, permissions, permissionIds, ...fields } = call.body;
    const own = call.params.id === call.principal.user.id;
    if (password !== undefined) assertOwnSession(call.principal);
    const passwordHash = password === undefined ? undefined : await hashNewPassword(password);
    const { before, user } = await call.transact(async (tx) => {
      const user = existing(await tx.from(users).get(call.params.id), "user");
      const role = await roleOf(tx, user);
      if (await tx.from(deletions).get(user.id)) throw conflict("The account is being deleted");
      assertMatch(call, userVersion(user, role));
      if (own) assertNoCredentials(user, call.body);
      assertMayManage(call.principal, user, role);
      const given = { role: byName, roleId, permissions, permissionIds };
      const changes = { ...fields, ...await namedRights(tx, given) };
      const rights = await planRights(tx, call.principal, user, changes);
      // Whoever sets the password of an account vouches for its address. Its sessions and mailed links end below.
      const vouched = passwordHash ? { passwordHash, unverifiedSince: undefined } : {};
      const updated = tx.update(users, user, { ...patchOf(changes), ...rights, ...vouched });
      const entitled = updated.role === user.role && rights.permissions === undefined;
      if (!entitled) assertProvenForRights(call.services, call.principal);
      if (!entitled && isUnverified(call.services.settings, updated)) {
        await assertDefaultRights(tx, updated);
      }
      if (updated.timeZone !== user.timeZone) await planZoneMoves(tx, [updated]);
      if (passwordHash || updated.status !== "active") await endSessions(tx, user.id);
      if (passwordHash || updated.email !== user.email) await endMailedLinks(tx, user.id);
      if (passwordHash && user.unverifiedSince !== undefined) await endCredentials(tx, user.id);
      return { before: user, user: updated };
    });
    if (user.email !== before.email) tellAddressBefore(call.services, before, user.email);
    if (passwordHash) {
      tellOfPassword(call.services, before, "An administrator set it.", call.principal.user.id);
    }
    return { ...await shown(call.store, user), message: "The user is saved" };
  },
});

/**
 * Refuses to change one's own password or e-mail here: that needs the current password, which this request lacks.
 *
 * @throws {ApiError} VALIDATION_ERROR
 */
function assertNoCredentials(
  user: User,
  { password, email }: Pick<z.output<typeof userUpdate>, "password" | "email">,
): void {
  if (password !== undefined) {
    throw invalid(
      "password",
      "Cannot set your own password here: POST /auth/change-password takes the current one too",
    );
  }
  if (email !== undefined && email !== user.email) {
    throw invalid(
      "email",
      "Cannot change your own e-mail here: PUT /users/me takes the current password too",
    );
  }
}

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
  const newRole = changes.role !== undefined && changes.role !== user.role;
  if (newRole || added.length > 0) {
    assertMayGive(principal, next, own ?? user.permissions, user);
  }
  await holdPermissions(tx, added);

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
  operationId: "deleteUser",
  method: "delete",
  path: "/users/{id}",
  tag,
  summary: "Delete a user",
  description:
    "Ends the user's sessions and memberships. What the user owned passes to you, where you manage all of its kind " +
    "(`documents:*`, `files:*`, `calendar:*` with `users:view`, `teams:*`), else to the first super_admin. " +
    "erase=true erases their data too: name, addresses, and where they came from, in the audit log as well. That needs " +
    "a proof of the last minutes of who you are (`POST /auth/step-up`).",
  access: "users:delete",
  query: z.object({ erase: flagFilter }),
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "STEP_UP_REQUIRED"],
  commits: "apart",
  async handle(call) {
    const { id } = call.params;
    const { erase } = call.query;
    await call.transact(async (tx) => {
      if (erase) assertProven(call.principal, tx.now);
      const user = existing(await tx.from(users).get(id), "user");
      const role = await roleOf(tx, user);
      assertMatch(call, userVersion(user, role));
      if (id === call.principal.user.id) throw conflict("You cannot delete yourself");
      assertMayManage(call.principal, user, role);
      await keepOneSuperAdmin(tx, user);
      if (erase) return await planUserErasure(tx, user, call);
      return await planUserDeletion(tx, user, call.principal);
    });
    await finishDeletion(call.store, id);
    return { data: { id }, message: erase ? "The user is erased" : "The user is deleted" };
  },
});

export const userRoutes = [list, details, create, updateUser, remove];
