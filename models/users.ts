// Users: who may sign in, and what they may do beyond their role.
import { z } from "zod";
import { batchIdsOf } from "./batches.ts";
import { anyText, listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { password } from "./passwords.ts";
import { csvOptions } from "./csv.ts";
import { eitherCase, emailAddress, label, person, removable, timeZone } from "./requests.ts";
import { endOfPart, fieldsOf, firstPartOf, jsonOf, rowOf } from "./rows.ts";
import { namedOnce, permissionIds } from "./permissions.ts";

/** Only an active account signs in. */
export const userStatus = z.enum(["active", "inactive", "suspended"]);

export const users = collection("users", {
  name: z.string(),
  /** Lower case: e-mail addresses are compared without case. */
  email: z.string(),
  username: z.string().optional(),
  phone: z.string().optional(),
  avatar: z.string().optional(),
  department: z.string().optional(),
  position: z.string().optional(),
  bio: z.string().optional(),
  /** IANA name of the zone that the user's times of day are in. Absent: UTC. */
  timeZone: z.string().optional(),
  /** Name of the role. */
  role: z.string(),
  /** Permissions beyond those of the role. */
  permissions: z.array(z.string()),
  status: userStatus,
  /** PHC string; absent until a first password is set. */
  passwordHash: z.string().optional(),
  lastLoginAt: timestamp.optional(),
  /**
   * When the account registered itself; kept until its address is proven. Absent: it is proven, or an administrator
   * vouches for it. See services/accounts/verification.ts.
   */
  unverifiedSince: timestamp.optional(),
}, {
  unique: { email: ["email"], username: ["username"] },
  filter: ["role", "status", "department"],
  sort: ["name", "email", "role", "status", "lastLoginAt"],
  search: ["name", "email"],
  row: (user): string => userRow(user),
  notInRow: ["passwordHash"],
  whole: {
    rest: (user): string => besideRow(user),
    of: (row, rest): object => userInRow(row, rest),
  },
  audit: (user) => user.name,
  audited: [
    "name",
    "email",
    "username",
    "phone",
    "department",
    "position",
    "bio",
    "timeZone",
    "role",
    "permissions",
    "status",
    "unverifiedSince",
  ],
});

export type User = RecordOf<typeof users>;

/** A user as anyone may see one; the password hash is not in it. */
export const publicUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  username: z.string().optional(),
  phone: z.string().optional(),
  avatar: z.string().optional(),
  department: z.string().optional(),
  position: z.string().optional(),
  bio: z.string().optional(),
  /** IANA name. */
  timeZone: z.string().optional(),
  role: z.string(),
  roles: z.array(z.object({
    id: z.string(),
    name: z.string(),
    label: z.string(),
    permissions: z.array(z.string()),
  })),
  /** Effective: those of the role and the user's own. */
  permissions: z.array(z.string()),
  status: userStatus,
  createdAt: timestamp,
  updatedAt: timestamp,
  lastLoginAt: timestamp.optional(),
  /** False: the account registered itself, and its address is not confirmed yet. */
  emailVerified: z.boolean(),
}).meta({ id: "User" });

export type PublicUser = z.input<typeof publicUser>;

const PERSON = fieldsOf(person);
const SHOWN = fieldsOf(publicUser, [...PERSON, "roles", "permissions"]);
const IN_ROW = new Set([...PERSON, ...SHOWN, "permissions", "rev"]);

/** What a user is shown as, but for what the role gives. */
export interface UserParts {
  /** The name of the role, and the user's own permissions: a JSON array of both. */
  readonly rights: string;
  readonly rev: string;
  /** As JSON, without the brace at its end. */
  readonly shown: string;
}

/** The fields of the person stand first among those that are shown; where they end is told ahead. */
export function userRow(user: User): string {
  const emailVerified = user.unverifiedSince === undefined;
  const person = `{${jsonOf(user, PERSON)}`;
  return rowOf(
    JSON.stringify([user.role, ...user.permissions]),
    user.rev,
    String(person.length),
    `${person},${jsonOf({ ...user, emailVerified }, SHOWN)}`,
  );
}

/** The rights in a row, as in `UserParts`. */
export function rightsInRow(row: string): string {
  return firstPartOf(row);
}

/** What is shown of the user of a row, as in `UserParts`. */
export function shownInRow(row: string, rights: string): string {
  return row.slice(endOfPart(row, endOfPart(row, rights.length + 1) + 1) + 1);
}

/** The user as a person (`person`), as JSON. */
export function personInRow(row: string): string {
  const length = endOfPart(row, endOfPart(row, 0) + 1) + 1, shown = endOfPart(row, length) + 1;
  return row.slice(shown, shown + Number(row.slice(length, shown - 1))) + "}";
}

export function userParts(row: string): UserParts {
  const rights = rightsInRow(row), from = rights.length + 1;
  return { rights, rev: row.slice(from, endOfPart(row, from)), shown: shownInRow(row, rights) };
}

/**
 * How nearly all password hashes begin (services/accounts/passwords.ts); a character that no JSON has stands for it. Of what
 * is kept of a user beside the row that is two fifths.
 */
const USUAL_HASH = '"passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$';
const FOR_USUAL_HASH = "\u0001";

/** What a row does not tell of its user, as JSON without its braces: fields too that this version knows nothing of. */
export function besideRow(user: User): string {
  const others = Object.entries(user).filter(([field]) => !IN_ROW.has(field));
  const json = JSON.stringify(Object.fromEntries(others)).slice(1, -1);
  return json.replace(USUAL_HASH, () => FOR_USUAL_HASH);
}

/** The user that a row and `besideRow` tell of. */
export function userInRow(row: string, rest: string): User {
  const { rights, rev, shown } = userParts(row);
  const beside = rest.replace(FOR_USUAL_HASH, () => USUAL_HASH);
  const { emailVerified: _, ...user } = JSON.parse(`${shown}${beside && `,${beside}`}}`);
  const [, ...permissions] = JSON.parse(rights);
  return { ...user, permissions, rev };
}

const text = (max: number) => z.string().trim().max(max);
const username = text(50).regex(
  /^[\w.-]{2,}$/,
  "must be letters, digits, dots, dashes or underscores",
);
/** RFC 3986 URLs and local paths; data URLs would bloat every list that shows the person. */
const avatar = text(2000).regex(/^(https?:\/\/|\/)/, "must be a URL or a path");
const permissionList = z.array(
  text(100).regex(/^(\*|[\w-]+:(\*|[\w-]+))$/, "must have the form resource:action"),
).max(200);

/** A role and permissions, each given by name or by id. */
const rights = {
  /** @default user */
  role: text(50).optional(),
  roleId: text(128).optional(),
  permissions: permissionList.optional(),
  permissionIds: permissionIds.optional(),
};

/** Names have at least 2 characters (variant web; the same everywhere). */
const personName = label.min(2, "must have at least 2 characters");

/** What a user may set of their own. */
const profile = {
  username: removable(username),
  phone: removable(text(50)),
  avatar: removable(avatar),
  department: removable(text(100)),
  position: removable(text(100)),
  bio: removable(text(2000)),
  timeZone: removable(timeZone),
};

export const registration = z.object({
  name: personName,
  email: emailAddress,
  password,
  confirmPassword: z.string().optional(),
});

/** The first administrator. OWASP ASVS 5.0, 6.2.1: at least 8 characters; the contract lets users have fewer. */
export const setupRequest = registration.extend({
  password: password.min(8, "must have at least 8 characters"),
});

export const userCreation = z.object({
  name: personName,
  email: emailAddress,
  password: password.optional(),
  ...rights,
  status: eitherCase(userStatus).default("active"),
  ...profile,
}).superRefine(namedOnce);

/** A row of an import: without a password, and without permissions beyond those of the role. */
export const userImport = z.object({
  name: personName,
  email: emailAddress,
  username: username.optional(),
  phone: text(50).optional(),
  avatar: avatar.optional(),
  department: text(100).optional(),
  position: text(100).optional(),
  bio: text(2000).optional(),
  timeZone: timeZone.optional(),
  role: text(50).optional(),
  status: eitherCase(userStatus).optional(),
});

export type UserImport = z.output<typeof userImport>;

export const profileUpdate = z.object({
  name: personName.optional(),
  email: emailAddress.optional(),
  ...profile,
});

/** What a user changes of their own. */
export const ownUpdate = profileUpdate.extend({
  /** Needed to change the e-mail address. Not held to the rules for new passwords. */
  currentPassword: z.string().max(1024).optional(),
});

export const userUpdate = profileUpdate.extend({
  password: password.optional(),
  ...rights,
  status: eitherCase(userStatus).optional(),
}).superRefine(namedOnce);

export const userStatusUpdate = z.object({ status: eitherCase(userStatus) });

export const userBatch = batchIdsOf("users");

/** `roleId` filters by the id of a role, as `role` does by its name; an e-mail address is found in either case. */
const listed = {
  values: { email: z.string().trim().toLowerCase().max(254) },
  own: { roleId: anyText },
};

export const userListQuery = listQuery(users, listed);

export const userExportQuery = listQuery(users, {
  ...listed,
  own: { ...listed.own, ...csvOptions },
  paged: false,
});
