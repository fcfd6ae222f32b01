// Users from CSV.
import { z } from "zod";
import {
  importCsv,
  type ImportedRow,
  inTurns,
  type RowErrors,
  textColumns,
} from "../../http/csv_import.ts";
import { endpoint } from "../../http/endpoint.ts";
import { chunks } from "../../core/chunks.ts";
import { delay } from "../../core/delay.ts";
import { forbidden, lacking } from "../../core/errors.ts";
import { MIB } from "../../core/units.ts";
import { csvBody, importOptions, importOutcome } from "../../models/csv.ts";
import { deletions } from "../../models/deletions.ts";
import { enumFilter, flagFilter } from "../../models/list_query.ts";
import { patchOf } from "../../models/requests.ts";
import { DEFAULT_ROLE, type Role } from "../../models/roles.ts";
import { type User, type UserImport, userImport, users } from "../../models/users.ts";
import { permits, type Principal } from "../../services/access/access.ts";
import { assertMayManage, assignableRole, roleOf } from "../../services/access/users.ts";
import {
  INVITATION_LIFETIME,
  mailedLink,
  planPasswordReset,
} from "../../services/accounts/accounts.ts";
import { assertProvenForRights } from "../../services/accounts/step_up.ts";
import { planZoneMoves } from "../../services/calendar/reminders.ts";
import { isUnverified } from "../../services/accounts/verification.ts";
import { invitationMail } from "../../services/messaging/mails.ts";
import type { Services } from "../../services/services.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Transaction } from "../../storage/port.ts";

/** Invitations that one import mails, at most. */
const MAX_INVITED = 500;

const columns = textColumns(...Object.keys(userImport.shape));

const importUsers = endpoint({
  operationId: "importUsers",
  method: "post",
  path: "/users/import",
  tag: "Users",
  summary: "Users from CSV",
  description:
    "The first row names the columns, of which `name` and `email` are needed; an export can be imported again. Without " +
    "`dryRun=false` nothing is written: the answer tells what would be, and what is wrong with which row. With it all " +
    "rows are written in one commit, or none. With `upsert=email` a row whose address is there changes that user, empty " +
    "cells nothing; roles and states of users do not change so. Accounts have no password: who is imported sets one by " +
    "`POST /auth/forgot-password`, or with `invite=true` gets a mail that leads there (500 at most). At most 10,000 rows.",
  access: "users:create",
  query: z.object({
    ...importOptions,
    upsert: enumFilter(z.enum(["email"])),
    invite: flagFilter,
  }),
  csv: true,
  body: csvBody,
  bodyLimit: 8 * MIB,
  data: importOutcome,
  errors: ["CONFLICT", "RATE_LIMITED", "STEP_UP_REQUIRED"],
  commits: "apart",
  async handle(call) {
    const { services, query, body: text } = call;
    const upsert = query.upsert === "email";
    const invite = query.invite === true;
    if (invite && isUnverified(services.settings, call.principal.user)) {
      throw forbidden("Confirm your own e-mail address before you invite others");
    }
    const { outcome, written } = await importCsv(call, { text, dryRun: query.dryRun !== false }, {
      columns,
      schema: userImport,
      plan: (tx, rows, errors) =>
        planUsers({ tx, principal: call.principal, services, errors }, rows, { upsert, invite }),
    });
    for (const { user, token } of written?.invited ?? []) {
      const link = mailedLink(services.settings, "accept-invitation", token);
      const sending = { urgent: false, sender: call.principal.user.id };
      services.mailer.inBackground(() => invitationMail(user, link), sending);
    }
    return { data: outcome };
  },
});

interface Planning {
  readonly tx: Transaction;
  readonly principal: Principal;
  readonly services: Services;
  readonly errors: RowErrors;
}

type Row = ImportedRow<UserImport>;

async function planUsers(
  planning: Planning,
  rows: readonly Row[],
  { upsert, invite }: { upsert: boolean; invite: boolean },
) {
  const { tx, principal, errors } = planning;
  if (upsert && !permits(principal.permissions, "users:update")) throw lacking(["users:update"]);
  const byEmail = await usersBy(tx, "email", rows);
  const byUsername = await usersBy(tx, "username", rows);
  const rolesByName = await rolesFor(
    planning,
    rows.filter(({ value }) => !byEmail.has(value.email)),
  );
  const going = new Set((await everyMatch(tx, deletions, {})).map(({ id }) => id));
  const seen = { email: new Map<string, number>(), username: new Map<string, number>() };
  const invited: { user: User; token: string }[] = [];
  const moved: User[] = [];
  let created = 0;
  let updated = 0;
  for await (const one of inTurns(rows)) {
    const { row, value } = one;
    if (isTwice(one, "email", seen.email, errors)) continue;
    if (isTwice(one, "username", seen.username, errors)) continue;
    const before = byEmail.get(value.email);
    const namesake = byUsername.get(value.username ?? "");
    if (namesake && namesake.id !== before?.id) errors.add(row, "username", "is taken");
    else if (!before) {
      const role = rolesByName.get(value.role ?? DEFAULT_ROLE);
      if (!role) continue;
      const user = plannedUser(tx, value, role);
      created++;
      if (!invite || user.status !== "active") continue;
      const token = await planPasswordReset(tx, user, INVITATION_LIFETIME);
      if (token !== null) invited.push({ user, token });
    } else if (!upsert) errors.add(row, "email", "is taken: upsert=email changes who has it");
    else if (going.has(before.id)) errors.add(row, "email", "the account is being deleted");
    else {
      const after = await planUpdate(planning, one, before);
      if (after) updated++;
      if (after && after.timeZone !== before.timeZone) moved.push(after);
    }
  }
  await planZoneMoves(tx, moved);
  if (invited.length > MAX_INVITED) {
    errors.add(1, "invite", `one import invites at most ${MAX_INVITED} people`);
  }
  return { created, updated, invited };
}

/** Users who have the addresses, or the user names, of the rows. */
async function usersBy(
  tx: Transaction,
  field: "email" | "username",
  rows: readonly Row[],
): Promise<ReadonlyMap<string, User>> {
  const values = [...new Set(rows.flatMap(({ value }) => value[field] ?? []))];
  const found = new Map<string, User>();
  // By their unique keys: a list would look at every user for each part of the values.
  for (const some of chunks(values)) {
    await delay();
    const named = some.map((value) => tx.from(users).findBy(field, value));
    for (const user of await Promise.all(named)) if (user) found.set(user[field]!, user);
  }
  return found;
}

/** The roles that the rows give, each looked up once; a row with one that may not be given is an error. */
async function rolesFor(
  { tx, principal, services, errors }: Planning,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Role>> {
  const found = new Map<string, Role>();
  for (const [name, named] of Map.groupBy(rows, ({ value }) => value.role ?? DEFAULT_ROLE)) {
    try {
      found.set(name, await assignableRole(tx, principal, name));
    } catch (thrown) {
      for (const { row } of named) errors.addThrown(row, "role", thrown);
    }
  }
  if ([...found.keys()].some((name) => name !== DEFAULT_ROLE)) {
    assertProvenForRights(services, principal);
  }
  return found;
}

function isTwice(
  { row, value }: Row,
  field: "email" | "username",
  seen: Map<string, number>,
  errors: RowErrors,
): boolean {
  const text = value[field];
  if (text === undefined) return false;
  const first = seen.get(text);
  if (first === undefined) seen.set(text, row);
  else errors.add(row, field, `is that of row ${first} too`);
  return first !== undefined;
}

function plannedUser(tx: Transaction, value: UserImport, role: Role): User {
  const { name, email, status = "active", ...fields } = value;
  return tx.insert(users, { ...fields, name, email, status, role: role.name, permissions: [] });
}

/** @returns The user as the row changes them; null where it may not. */
async function planUpdate(
  { tx, principal, errors }: Planning,
  { row, value }: Row,
  before: User,
): Promise<User | null> {
  const { role, status, email: _, ...fields } = value;
  if (role !== undefined && role !== before.role) {
    errors.add(row, "role", "an import does not change the role of a user");
  } else if (status !== undefined && status !== before.status) {
    errors.add(row, "status", "an import does not change the status of a user");
  } else {
    try {
      assertMayManage(principal, before, await roleOf(tx, before));
      return tx.update(users, before, patchOf(fields));
    } catch (thrown) {
      errors.addThrown(row, "email", thrown);
    }
  }
  return null;
}

export const userImportRoutes = [importUsers];
