// What a user stores, by kind of file.
import type { z } from "zod";
import { files, fileType, storageInfo, storageUsage } from "../models/files.ts";
import type { Store } from "../store.ts";

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
  const [usage, groups] = await Promise.all([
    store.from(storageUsage).get(userId),
    store.from(files).aggregate({ by: "type", sum: ["totalSize"], where: { ownerId: userId } }),
  ]);
  const sums = new Map(groups.map((group) => [group.key, group.sums.totalSize ?? 0]));
  const breakdown = Object.entries(KINDS).map(([type, kind]) => [kind, sums.get(type) ?? 0]);
  return {
    used: usage?.used ?? 0,
    total: quota,
    fileCount: groups.reduce((count, group) => count + group.count, 0),
    breakdown: Object.fromEntries(breakdown),
  };
}
