// Backups as the API shows them. They are files in a folder and objects in a bucket, no records of the store.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { listQuery } from "./list_query.ts";

/** `failed`: it was not made, or what is there cannot be used; `problem` says why. */
export const backupState = z.enum(["running", "done", "failed"]);

/** What is being done of one that is running. */
export const backupStep = z.enum(["copy", "seal", "upload"]);

export const backupPlace = z.enum(["folder", "bucket"]);

/** What lists of them may be asked for. No store has this collection. */
export const backups = collection("backups", {
  state: backupState,
  /** Bytes. */
  size: z.int(),
  /** What was backed up, for people. */
  source: z.string().optional(),
}, {
  filter: ["state"],
  sort: ["size"],
  // The moment as it is in the id, and as timestamps are written.
  search: ["id", "createdAt", "source"],
});

export type BackupRecord = RecordOf<typeof backups>;

export const publicBackup = z.object({
  id: z.string().meta({ description: "The moment it was made, in UTC: 20261122T171000123Z" }),
  createdAt: timestamp,
  state: backupState,
  size: z.int().meta({ description: "Bytes; of one that is running, those so far" }),
  places: z.array(backupPlace).meta({ description: "Where it is" }),
  step: backupStep.optional(),
  problem: z.string().optional().meta({
    description: "Why it failed, or why it is not in the bucket",
  }),
  source: z.string().optional().meta({ description: "What was backed up, for people" }),
  engine: z.enum(["kv", "sqlite"]).optional().meta({ description: "What its data is a file of" }),
  layout: z.string().optional(),
  position: z.string().optional().meta({
    description: "In the journal: everything up to there is in it, and nothing after",
  }),
  counts: z.record(z.string(), z.int()).optional().meta({ description: "Records by collection" }),
}).meta({ id: "Backup" });

export type PublicBackup = z.input<typeof publicBackup>;

/** How backups are made here. */
export const backupStatus = z.object({
  possible: z.boolean().meta({ description: "Whether this server can make any" }),
  reason: z.string().optional().meta({ description: "Why it cannot" }),
  every: z.int().meta({
    description: "Seconds between those that are made by themselves; 0: none",
  }),
  keep: z.int().meta({ description: "How many are kept in each place" }),
  bucket: z.string().optional().meta({
    description: "The address of the bucket, where there is one",
  }),
  bucketProblem: z.string().optional().meta({
    description: "Why the bucket was not asked: what is there alone is not in the list",
  }),
}).meta({ id: "BackupStatus" });

export type BackupStatus = z.input<typeof backupStatus>;

export const backupListQuery = listQuery(backups, { hidden: ["updatedAt"] });
