// Old entries of the audit log go, and the chain with them from its beginning; a signed cut says where it begins now.
import { DAY } from "../../core/units.ts";
import {
  type AuditCheckpoint,
  auditCheckpoints,
  type AuditLink,
  auditLinks,
  auditLog,
  CUT,
} from "../../models/audit.ts";
import { removeEach } from "../../storage/remove_each.ts";
import type { Store } from "../../storage/port.ts";
import { type Notary, type Place, START } from "./chain.ts";

/** Links read at a time. */
const PAGE = 20;

const server = { userId: null };

/**
 * Removes what is older than so many days. Each step is signed before it is done: whatever is missing when it is ended
 * midway was allowed to go.
 *
 * @param days 0: nothing is removed.
 */
export async function sweepAudit(
  { store, notary }: { readonly store: Store; readonly notary: Notary },
  days: number,
  now: Date,
): Promise<void> {
  if (days === 0) return;
  const before = new Date(now.getTime() - days * DAY).toISOString();
  const createdAt = { lt: before };
  const cut = await store.from(auditCheckpoints).get(CUT);
  if (await store.from(auditLog).count({ createdAt }) > 0) {
    await writeCut({ store, notary }, cut ?? START, before, now);
    await removeEach(store, auditLog, { createdAt }, () => true);
  }
  const newest = await lastOldLink(store, before);
  if (newest) {
    await writeCut({ store, notary }, newest, before, now);
    // What is kept of places that are cut off proves nothing any more.
    const seq = { lte: newest.seq };
    await removeEach(store, auditLinks, { seq }, () => true);
    await removeEach(store, auditCheckpoints, { kind: "kept", seq }, () => true);
  }
}

/** The last of the links from the first on that hold nothing newer. The newest link of all stays. */
async function lastOldLink(store: Store, before: string): Promise<Place | null> {
  let found: AuditLink | null = null;
  let candidate: AuditLink | null = null;
  let cursor: string | undefined;
  do {
    const page = await store.from(auditLinks).list({ sort: "seq", limit: PAGE, cursor });
    for (const link of page.rows) {
      if (candidate) found = candidate;
      if (!isOld(link, before)) return found;
      candidate = link;
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return found;
}

function isOld({ entries, createdAt }: AuditLink, before: string): boolean {
  return entries.every((line) => (line.split(" ")[1] ?? createdAt) < before);
}

async function writeCut(
  { store, notary }: { readonly store: Store; readonly notary: Notary },
  { seq, hash }: Place,
  before: string,
  now: Date,
): Promise<void> {
  await store.transact(server, async (tx) => {
    const old = await tx.from(auditCheckpoints).get(CUT);
    const cut = notary.signed({
      kind: CUT,
      seq,
      hash,
      at: now.toISOString(),
      before: latest(old, before),
    });
    if (old) tx.update(auditCheckpoints, old, cut);
    else tx.insert(auditCheckpoints, { id: CUT, ...cut });
  });
}

/** What was cut off stays cut off, also where AUDIT_DAYS has grown since. */
function latest(old: AuditCheckpoint | null, before: string): string {
  return old?.before !== undefined && old.before > before ? old.before : before;
}
