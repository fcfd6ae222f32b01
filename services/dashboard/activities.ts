// The audit log as people read it: who did what, when.
import type { z } from "zod";
import { type AuditRecord, SIGN_IN } from "../../models/audit.ts";
import type { activity } from "../../models/dashboard.ts";
import type { Store, Where } from "../../storage/port.ts";
import { manages, permits, type Principal } from "../access/access.ts";
import { DELETED_USER, personsById } from "../access/persons.ts";

type Activity = z.input<typeof activity>;

const WORDS: Readonly<Record<string, string>> = {
  insert: "created",
  update: "updated",
  remove: "deleted",
  impersonate: "acted as",
  prove: "proved to be",
  erase: "erased",
  export: "exported the data of",
  download: "downloaded",
};

/** How to call a record whose name the caller may not know, and what they must hold to know it. */
const TARGETS: Readonly<Record<string, { kind: string; named: (by: Principal) => boolean }>> = {
  users: { kind: "a user", named: views("users") },
  roles: { kind: "a role", named: views("roles") },
  permissions: { kind: "a permission", named: views("permissions") },
  teams: { kind: "a team", named: views("teams") },
  documents: { kind: "a document", named: (principal) => manages(principal, "documents") },
  files: { kind: "a file", named: (principal) => manages(principal, "files") },
  folders: { kind: "a folder", named: (principal) => manages(principal, "files") },
  events: { kind: "an event", named: (principal) => manages(principal, "calendar") },
  tasks: { kind: "a task", named: () => true },
  apiKeys: { kind: "an API key", named: () => false },
  secondFactors: { kind: "a second factor", named: () => false },
  passkeys: { kind: "a passkey", named: () => false },
  backups: { kind: "a backup", named: views("backups") },
};

function views(resource: string): (principal: Principal) => boolean {
  return (principal) => permits(principal.permissions, `${resource}:view`);
}

/** Whose activities the caller sees: with `users:view` those of all people, else their own; never the server's. */
export function visibleActivities(principal: Principal): Where<AuditRecord> {
  const all = permits(principal.permissions, "users:view");
  // Of sign-ins there are so many that they would hide what was done.
  return { actorId: all ? { gt: "" } : principal.user.id, action: { ne: SIGN_IN } };
}

export async function toActivities(
  source: Pick<Store, "from">,
  principal: Principal,
  records: readonly AuditRecord[],
): Promise<Activity[]> {
  const persons = await personsById(source, records.flatMap(({ actorId }) => actorId ?? []));
  return records.map((record) => ({
    id: record.id,
    user: persons.get(record.actorId ?? "") ?? DELETED_USER,
    action: WORDS[record.action] ?? record.action,
    target: targetFor(principal, record),
    time: record.createdAt,
  }));
}

/** What to call the record of an entry: by its name where the caller may know it, else by its kind. */
export function targetFor(principal: Principal, record: AuditRecord): string {
  const { kind, named } = TARGETS[record.target] ?? { kind: "a record", named: () => false };
  const own = record.actorId === principal.user.id;
  return own || named(principal) ? record.targetName : kind;
}
