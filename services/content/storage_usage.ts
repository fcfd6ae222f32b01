// What a user stores, by kind of file, and how much that may be.
import type { z } from "zod";
import { documents } from "../../models/documents.ts";
import { files, fileType, storageInfo, storageUsage } from "../../models/files.ts";
import type { Store } from "../../storage/port.ts";
import { manages, permits, type Principal } from "../access/access.ts";

type StorageInfo = z.infer<typeof storageInfo>;

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
  const [usage, written, groups] = await Promise.all([
    store.from(storageUsage).get(userId),
    documentBytes(store, userId),
    store.from(files).aggregate({ by: "type", sum: ["totalSize"], where: { ownerId: userId } }),
  ]);
  const sums = new Map(groups.map((group) => [group.key, group.sums.totalSize ?? 0]));
  sums.set("document", (sums.get("document") ?? 0) + written);
  const breakdown = Object.entries(KINDS).map(([type, kind]) => [kind, sums.get(type) ?? 0]);
  return {
    used: (usage?.used ?? 0) + written,
    total: quota,
    fileCount: groups.reduce((count, group) => count + group.count, 0),
    breakdown: Object.fromEntries(breakdown),
  };
}

/** Bytes of the documents of a user. They count for the quota like those of files. */
export async function documentBytes(
  source: Pick<Store, "from">,
  ownerId: string,
): Promise<number> {
  const [sum] = await source.from(documents).aggregate({ sum: ["size"], where: { ownerId } });
  return sum?.sums.size ?? 0;
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
  resource: "documents" | "files",
  ownerId: string,
  quota: number,
): number {
  const own = ownerId === principal.user.id || manages(principal, resource);
  return own ? quota : Math.floor(quota * (1 - KEPT_FOR_OWNER));
}

/** The bytes of files that a caller may let an owner have: what the owner's documents leave of the quota. */
export async function fileQuotaFor(
  source: Pick<Store, "from">,
  principal: Principal,
  ownerId: string,
  quota: number,
): Promise<number> {
  const allowed = quotaFor(principal, "files", ownerId, quota);
  // Whoever may create users is not held to a quota of documents: see quotas.ts.
  if (permits(principal.permissions, "users:create")) return allowed;
  return allowed - await documentBytes(source, ownerId);
}
