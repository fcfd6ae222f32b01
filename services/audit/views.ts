// Entries of the audit log as the API shows them: with the names of those who acted, where they are there still.
import { auditChange, type AuditRecord, type PublicAuditEntry } from "../../models/audit.ts";
import type { Store } from "../../storage/port.ts";
import { DELETED_USER, personsById } from "../access/persons.ts";

export async function auditViews(
  source: Pick<Store, "from">,
  entries: readonly AuditRecord[],
): Promise<PublicAuditEntry[]> {
  const ids = entries.flatMap(({ actorId, impersonatorId }) => [actorId, impersonatorId]);
  const persons = await personsById(source, ids.filter((id) => id !== undefined));
  const personFor = (id: string | undefined) =>
    id === undefined ? null : { id, name: persons.get(id)?.name ?? DELETED_USER.name };
  return entries.map((entry) => ({
    id: entry.id,
    time: entry.createdAt,
    action: entry.action,
    target: entry.target,
    targetId: entry.targetId,
    targetName: entry.targetName,
    actor: personFor(entry.actorId),
    impersonator: personFor(entry.impersonatorId),
    apiKeyId: entry.apiKeyId ?? null,
    ip: entry.ip ?? null,
    requestId: entry.requestId ?? null,
    fields: [...entry.fields],
    changes: changesIn(entry),
  }));
}

/** What somebody has put there by another way may be no list of changes. */
function changesIn({ changes }: AuditRecord): PublicAuditEntry["changes"] {
  if (changes === undefined) return [];
  try {
    return auditChange.array().parse(JSON.parse(changes));
  } catch {
    return [];
  }
}
