// What a request leaves behind: its entries in the journal, and the audit records that belong to them.
import assert from "node:assert/strict";
import { allCollections } from "../models/all.ts";
import { auditLog } from "../models/audit.ts";
import { tags } from "../models/documents.ts";
import type { JournalEntry, Store } from "../storage/port.ts";

const AUDITED = new Set(allCollections.filter(({ audit }) => audit).map(({ name }) => name));

/** The journal's entries of a request. */
export async function entriesOf(store: Store, requestId: string): Promise<JournalEntry[]> {
  const { id } = await store.transact(
    { userId: null },
    (tx) => tx.insert(tags, { name: `until ${crypto.randomUUID()}` }),
  );
  const entries: JournalEntry[] = [];
  for await (const entry of store.changes({ after: "" })) {
    if (entry.actor.requestId === requestId) entries.push(entry);
    if (entry.changes.some((change) => change.id === id)) break;
  }
  return entries;
}

/**
 * Each entry names who did it, and each record that was made or removed in it stands in the audit log under that name,
 * by the same commit. (Of updates, those that change nothing people see are not audited.)
 */
export async function assertAudited(
  store: Store,
  entries: readonly JournalEntry[],
  by: string | null,
): Promise<void> {
  for (const { actor, changes } of entries) {
    assert.equal(actor.userId, by, "the journal names another actor");
    const logged = changes.filter(({ collection }) => collection === auditLog.name);
    const records = await store.from(auditLog).getMany(logged.map(({ id }) => id));
    const told = records.map((record) => {
      assert.ok(record, "the journal tells of an audit record that is not there");
      assert.equal(record.actorId ?? null, by);
      assert.equal(record.requestId, actor.requestId);
      return `${record.action} ${record.target} ${record.targetId}`;
    });
    for (const { collection, id, op } of changes) {
      if (!AUDITED.has(collection) || op === "update") continue;
      assert.ok(told.includes(`${op} ${collection} ${id}`), `no audit of ${op} ${collection}`);
    }
  }
}
