// Users as they are shown, and the rules for changing them.
import { conflict, invalid, lacking } from "../../core/errors.ts";
import { ByteBoundedMap } from "../../core/bounded_map.ts";
import { JsonText } from "../../core/json.ts";
import { DEFAULT_ROLE, type Role, roles, SUPER_ADMIN } from "../../models/roles.ts";
import {
  type PublicUser,
  publicUser,
  rightsInRow,
  shownInRow,
  type User,
  type UserParts,
  userParts,
  userRow,
  users,
} from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import {
  assertMayGrant,
  effectivePermissions,
  excessOf,
  joinedPermissions,
  permits,
  type Principal,
} from "./access.ts";
import { MIB } from "../../core/units.ts";
import { allOf, andThen, type Awaitable } from "../../core/awaitable.ts";

type Source = Pick<Store, "from">;

export function roleOf(source: Source, user: User): Awaitable<Role | null> {
  return source.from(roles).findBy("name", user.role);
}

/** What a role and permissions of one's own give. */
interface Rights {
  /** The name that the user refers to the role by. */
  readonly name: string;
  readonly role: Role | null;
  /** As JSON, with a comma in place of the brace at its beginning. */
  readonly json: string;
  /** The same with a comma at its end. */
  readonly jsonBetween: string;
}

/** By their text in the row of a user: many users have the same. */
const lastRights = new ByteBoundedMap<string, Rights>(4 * MIB);
const RIGHTS_BYTES = 400;

function rightsOf(source: Source, text: string): Awaitable<Rights> {
  const last = lastRights.get(text);
  const name = last?.name ?? JSON.parse(text)[0];
  const found = source.from(roles).findBy("name", name);
  return andThen(found, (role) => rightsWith(text, role, last));
}

function rightsWith(text: string, role: Role | null, last = lastRights.get(text)): Rights {
  if (last?.role === role) return last;
  const [name, ...own]: [string, ...string[]] = JSON.parse(text);
  const json = JSON.stringify({
    roles: publicUser.shape.roles.parse(role ? [role] : []),
    permissions: joinedPermissions(role, own),
  });
  // Joined each is one piece, where a template is as many as it has parts.
  const rest = [",", json.slice(1)].join("");
  const rights = { name, role, json: rest, jsonBetween: [rest, ","].join("") };
  lastRights.set(text, rights, RIGHTS_BYTES + 2 * (text.length + 2 * rest.length));
  return rights;
}

/** A user in public. */
export interface UserView {
  readonly json: JsonText;
  /** The version of what is shown: it changes with the role too. */
  readonly version: string;
}

function jsonOf(shown: string, { json }: Rights): JsonText {
  return new JsonText(shown + json);
}

/** A list of users in public, put together from their rows; each role is looked up once. */
export function userList(source: Source, rows: readonly string[]): Awaitable<JsonText> {
  /** Each once, and which of them each row has. */
  const texts: string[] = [], places: number[] = [];
  for (const row of rows) {
    let place = 0;
    while (place < texts.length && !row.startsWith(texts[place]!)) place++;
    if (place === texts.length) texts.push(rightsInRow(row));
    places.push(place);
  }
  return andThen(
    allOf(texts.map((text) => rightsOf(source, text))),
    (held) => {
      // Two pieces for each user, since V8 copies what is sent piece by piece.
      let json = "[";
      for (let n = 0; n < rows.length; n++) {
        const place = places[n]!;
        json += shownInRow(rows[n]!, texts[place]!);
        json += n === rows.length - 1 ? held[place]!.json : held[place]!.jsonBetween;
      }
      return new JsonText(json + "]");
    },
  );
}

function viewOf(parts: UserParts, rights: Rights): UserView {
  return { json: jsonOf(parts.shown, rights), version: versionOf(parts.rev, rights.role) };
}

/** A user in public, put together from their row; null where there is none. */
export function shownUser(source: Source, id: string): Awaitable<UserView | null> {
  const shown = (row: string) => {
    const parts = userParts(row);
    return andThen(rightsOf(source, parts.rights), (rights) => viewOf(parts, rights));
  };
  return andThen(source.from(users).rowsOf([id]), ([row]) => {
    if (row) return shown(row);
    // Rows may lack who was made a moment ago by another process.
    return andThen(source.from(users).get(id), (user) => user && shown(userRow(user)));
  });
}

/** A user in the role that they have. */
export function userView(user: User, role: Role | null): UserView {
  const parts = userParts(userRow(user));
  return viewOf(parts, rightsWith(parts.rights, role));
}

/** A user in public, to be put into another answer. */
export async function publicUserOf(source: Source, user: User): Promise<PublicUser> {
  return JSON.parse(userView(user, await roleOf(source, user)).json.text);
}

/** For `ETag` and `If-Match`. */
export function userVersion(user: User, role: Role | null): string {
  return versionOf(user.rev, role);
}

function versionOf(rev: string, role: Role | null): string {
  return role ? `${rev}.${role.rev}` : rev;
}

/**
 * Looks up the role that a user is to have. It bumps the version of one that can be deleted: a deletion at the same
 * time, which found the role unused, then fails and looks again.
 *
 * @throws {ApiError} VALIDATION_ERROR when there is none; FORBIDDEN when the caller may not give it.
 */
export async function assignableRole(
  tx: Transaction,
  principal: Principal,
  name: string,
): Promise<Role> {
  const role = await tx.from(roles).findBy("name", name);
  if (!role) throw invalid("role", `there is no role '${name}'`);
  assertMayGive(principal, role, []);
  if (!role.builtIn) tx.update(roles, role, {});
  return role;
}

/**
 * Nobody makes of a user what exceeds themselves. The default role may be given by whoever may create users: anyone
 * who registers gets it.
 *
 * @param own The user's own permissions, beside those of the role.
 * @param before The user as they are: keeping a role is not giving it. @default a new one
 * @throws {ApiError} FORBIDDEN
 */
export function assertMayGive(
  principal: Principal,
  role: Role | null,
  own: readonly string[],
  before?: User,
): void {
  const mayGive = before?.role === role?.name || permits(principal.permissions, "users:create");
  const given = mayGive ? defaultPermissions(role) : [];
  assertMayGrant(principal, [...role?.permissions ?? [], ...own], given);
}

/** What a role holds, where it is the one that anyone who registers gets; else nothing. */
function defaultPermissions(role: Role | null): readonly string[] {
  return role?.name === DEFAULT_ROLE ? role.permissions : [];
}

/** The user's own permissions: what is asked for beyond the role, so that saving a shown user changes nothing. */
export function ownPermissions(asked: readonly string[], role: Role): string[] {
  return [...new Set(asked)].filter((permission) => !role.permissions.includes(permission));
}

/**
 * Nobody changes, looks over or takes over the account of a user who may do more than they, and than anyone who
 * registers.
 *
 * @throws {ApiError} FORBIDDEN, naming the first permission that the caller lacks.
 */
export function assertMayManage(principal: Principal, target: User, role: Role | null): void {
  const may = effectivePermissions(target, role);
  const excess = excessOf(principal.permissions, may, defaultPermissions(role));
  if (excess === undefined) return;
  const { name } = target;
  throw lacking([excess], `You cannot manage ${name}: they hold '${excess}', which you do not`);
}

/**
 * Call before a plan takes the role, the active status or the existence of a user. Two such plans at once cannot both
 * pass: each bumps the version of the role record.
 *
 * @param going Others whom the same plan takes the same.
 * @throws {ApiError} CONFLICT for the last active super_admin.
 */
export async function keepOneSuperAdmin(
  tx: Transaction,
  target: User,
  going: readonly User[] = [],
): Promise<void> {
  if (target.role !== SUPER_ADMIN || target.status !== "active") return;
  const present = await tx.from(users).count({ role: SUPER_ADMIN, status: "active" });
  const leaving = going.filter(({ role, status }) => role === SUPER_ADMIN && status === "active");
  if (present - leaving.length <= 1) {
    throw conflict("The last active super_admin cannot be removed or demoted");
  }
  const role = await tx.from(roles).findBy("name", SUPER_ADMIN);
  if (role) tx.update(roles, role, {});
}
