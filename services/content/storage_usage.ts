// What a user stores, by kind, and how much that may be.
import type { z } from "zod";
import { ApiError } from "../../core/errors.ts";
import { events } from "../../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { documents } from "../../models/documents.ts";
import {
  files,
  fileType,
  storageInfo,
  type StorageUsage,
  storageUsage,
} from "../../models/files.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { messages } from "../../models/messages.ts";
import { documentRevisions } from "../../models/revisions.ts";
import { trash } from "../../models/trash.ts";
import type { Store, Where } from "../../storage/port.ts";
import { manages, permits, type Principal } from "../access/access.ts";

type StorageInfo = z.infer<typeof storageInfo>;

/** A kind of record that counts with its bytes for a user. */
interface Measured {
  readonly name: string;
  /** Bytes of all of a user's records. */
  total(source: Pick<Store, "from">, userId: string): Promise<number>;
  /** Who a record counts for, and with how many bytes; a user who is deleted counts for nothing. */
  of(record: Entity): { readonly userId: string | undefined; readonly bytes: number };
}

/** The records that count with their bytes for a user, beside files: documents first, then what was documents. */
const measured: readonly Measured[] = [
  measuring(documents, "ownerId"),
  measuring(documentRevisions, "ownerId"),
  measuring(trash, "ownerId", "written"),
  measuring(messages, "senderId"),
  measuring(events, "ownerId"),
  measuring(idempotentAnswers, "userId"),
];

/** @param bytes The field that holds how many bytes a record counts with. @default "size" */
function measuring<F extends string, T extends Entity & { [K in F]?: string }>(
  collection: CollectionDeclaration<T>,
  field: F & keyof T & string,
  bytes = "size" as keyof T & string,
): Measured {
  return {
    name: collection.name,
    async total(source, userId) {
      const where = { [field]: userId } as Where<T>;
      const [sum] = await source.from(collection).aggregate({ sum: [bytes], where });
      return sum?.sums[bytes] ?? 0;
    },
    of: (record) => {
      const { [field]: userId, [bytes]: count = 0 } = record as T;
      return { userId, bytes: count as number };
    },
  };
}

/** Files count by what is kept of all of a user's files together. */
const stored: Pick<Measured, "of"> = {
  of: (record) => ({ userId: record.id, bytes: (record as StorageUsage).used }),
};

/** How the records of a collection count with their bytes; undefined for those that do not. */
export const measureOf: ReadonlyMap<string, Pick<Measured, "of">> = new Map([
  [storageUsage.name, stored],
  ...measured.map((one) => [one.name, one] as const),
]);

/** Kinds of files as the breakdown calls them. */
const KINDS: Readonly<Record<z.infer<typeof fileType>, keyof StorageInfo["breakdown"]>> = {
  image: "images",
  video: "videos",
  audio: "audio",
  document: "documents",
  archive: "archives",
  other: "others",
};

/** @param quota Bytes. */
export async function storageOf(
  store: Pick<Store, "from">,
  userId: string,
  quota: number,
): Promise<StorageInfo> {
  const [usage, written, groups, [inTrash]] = await Promise.all([
    store.from(storageUsage).get(userId),
    Promise.all(measured.map((one) => one.total(store, userId))),
    store.from(files).aggregate({ by: "type", sum: ["totalSize"], where: { ownerId: userId } }),
    store.from(trash).aggregate({ sum: ["size", "written"], where: { ownerId: userId } }),
  ]);
  const sums = new Map(groups.map((group) => [group.key, group.sums.totalSize ?? 0]));
  const [inDocuments = 0, inRevisions = 0, ...elsewhere] = written;
  const { size: thrownAway = 0, written: ofDocuments = 0 } = inTrash?.sums ?? {};
  const texts = inDocuments + inRevisions;
  const rest = elsewhere.reduce((sum, bytes) => sum + bytes, 0);
  sums.set("document", (sums.get("document") ?? 0) + texts);
  sums.set("other", (sums.get("other") ?? 0) + rest + thrownAway - ofDocuments);
  const breakdown = Object.entries(KINDS).map(([type, kind]) => [kind, sums.get(type) ?? 0]);
  return {
    used: (usage?.used ?? 0) + texts + rest,
    total: quota,
    trash: thrownAway,
    fileCount: groups.reduce((count, group) => count + group.count, 0),
    breakdown: Object.fromEntries(breakdown),
  };
}

/** Bytes of what a user has written: documents and what they were, messages, events, kept answers. They count as files do. */
export async function writtenBytes(
  source: Pick<Store, "from">,
  userId: string,
): Promise<number> {
  const totals = await Promise.all(measured.map((one) => one.total(source, userId)));
  return totals.reduce((sum, bytes) => sum + bytes, 0);
}

/** Bytes of all that a user stores. */
export async function usedBytes(source: Pick<Store, "from">, userId: string): Promise<number> {
  const usage = await source.from(storageUsage).get(userId);
  return (usage?.used ?? 0) + await writtenBytes(source, userId);
}

/** @param left Bytes; negative: over the quota already. */
export function overQuota(bytes: number, left: number, quota: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `Cannot store ${bytes} bytes: ${
      Math.max(0, left)
    } bytes are left of the storage quota of ${quota}`,
  );
}

/** The part of a quota that those with whom something is shared cannot fill. */
const KEPT_FOR_OWNER = 0.1;

/**
 * The quota that holds for what a caller adds to what another owns: it counts for the owner, who keeps a part of the
 * quota that guests cannot fill.
 *
 * @param quota Bytes.
 */
export function quotaFor(
  principal: Principal,
  resources: readonly ("documents" | "files")[],
  ownerId: string,
  quota: number,
): number {
  const own = ownerId === principal.user.id ||
    resources.some((resource) => manages(principal, resource));
  return own ? quota : Math.floor(quota * (1 - KEPT_FOR_OWNER));
}

/** The bytes of files that a caller may let an owner have: what the owner has written leaves so much of the quota. */
export async function fileQuotaFor(
  source: Pick<Store, "from">,
  principal: Principal,
  ownerId: string,
  quota: number,
): Promise<number> {
  const allowed = quotaFor(principal, ["files"], ownerId, quota);
  // Whoever may create users is held to a quota of files alone: see services/quotas.
  if (permits(principal.permissions, "users:create")) return allowed;
  return allowed - await writtenBytes(source, ownerId);
}
