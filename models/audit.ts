// The audit log: one record per audited change, written in the commit of the change, and the chain that proves it.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { csvOptions } from "./csv.ts";
import { listQuery } from "./list_query.ts";

/** `createdAt` is when it happened. */
export const auditLog = collection("auditLog", {
  /** Absent for the server itself. Not a reference: the log outlives the user. */
  actorId: z.string().optional(),
  /** `insert`, `update`, `remove`, or a named act such as `impersonate`. */
  action: z.string(),
  /** Name of the collection. */
  target: z.string(),
  targetId: z.string(),
  /** What the record was called at that time. */
  targetName: z.string(),
  /** Names of the changed fields. */
  fields: z.array(z.string()),
  /** What an update changed, as JSON of `auditChange`s; of fields that the collection declares as `audited` alone. */
  changes: z.string().optional(),
  /** The super_admin who acted as `actorId`. */
  impersonatorId: z.string().optional(),
  /** The API key that `actorId` came with. */
  apiKeyId: z.string().optional(),
  ip: z.string().optional(),
  requestId: z.string().optional(),
  /** What stands in the chain for the values that an erasure takes away: see services/audit/entries.ts. */
  seals: z.array(z.string()).optional(),
}, {
  filter: ["actorId", "action", "target", "targetId", "impersonatorId", "ip"],
  readSeldom: true,
});

export type AuditRecord = RecordOf<typeof auditLog>;

/** The act of an entry that tells of a session which was opened; by which way stands in `changes`. */
export const SIGN_IN = "signIn";

/** A link of the chain: what was written to the log within about a second, with the hash of the link before. */
export const auditLinks = collection("auditLinks", {
  /** From 1, without a gap. */
  seq: z.number().int(),
  /** Hash of the link before; empty in the first. */
  previous: z.string(),
  /** For each entry its id, its `createdAt` and its digest, parted by spaces. */
  entries: z.array(z.string()),
  /**
   * `late`: the entries were found in the log, not in the journal. `break`: the link before is not the one that this
   * server has signed last.
   */
  note: z.enum(["late", "break"]).optional(),
  /** SHA-256 over all of that, in base64url. */
  hash: z.string(),
}, {
  unique: { seq: ["seq"] },
  sort: ["seq"],
  readSeldom: true,
});

export type AuditLink = RecordOf<typeof auditLinks>;

/** Signed words on the chain. The ids of two of them are `HEAD` and `CUT`; the others are kept, one an hour. */
export const auditCheckpoints = collection("auditCheckpoints", {
  kind: z.enum(["head", "kept", "cut"]),
  /** The newest link; of the cut, the newest that was removed. */
  seq: z.number().int(),
  hash: z.string(),
  at: timestamp,
  /** Of the cut: entries from before then are removed. */
  before: timestamp.optional(),
  /** Ed25519 (RFC 8032), in base64url. */
  signature: z.string(),
}, {
  filter: ["kind"],
  sort: ["seq"],
});

export type AuditCheckpoint = RecordOf<typeof auditCheckpoints>;

export const HEAD = "head";
export const CUT = "cut";

/** How far the journal is in the chain, and which process puts it there. One record, whose id is `CHAIN`. */
export const auditPositions = collection("auditPositions", {
  position: z.string(),
  holder: z.string().optional(),
  heldUntil: timestamp.optional(),
});

export type AuditPosition = RecordOf<typeof auditPositions>;

export const CHAIN = "chain";

/** What stands for a text or a list that is not told: how long it is, and the hash of it. */
const measured = z.object({ length: z.int(), sha256: z.string() });

const auditValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.string()),
  measured,
]);

export type AuditValue = z.output<typeof auditValue>;

export const auditChange = z.object({
  field: z.string(),
  before: auditValue.optional().meta({
    description: "Absent: it had no value. What is long is told by its length and its SHA-256",
  }),
  after: auditValue.optional(),
}).meta({ id: "AuditChange" });

export type AuditChange = z.output<typeof auditChange>;

export const auditListQuery = listQuery(auditLog, { hidden: ["updatedAt"] });

export const auditExportQuery = listQuery(auditLog, {
  hidden: ["updatedAt"],
  own: csvOptions,
  paged: false,
});

const actor = z.object({ id: z.string(), name: z.string() }).meta({ id: "AuditActor" });

export const publicAuditEntry = z.object({
  id: z.string(),
  time: timestamp,
  action: z.string(),
  target: z.string().meta({ description: "Name of the collection" }),
  targetId: z.string(),
  targetName: z.string().meta({ description: "What the record was called at that time" }),
  actor: actor.nullable().meta({ description: "Null: the server itself" }),
  impersonator: actor.nullable().meta({ description: "The super_admin who acted as the actor" }),
  apiKeyId: z.string().nullable(),
  ip: z.string().nullable(),
  requestId: z.string().nullable(),
  fields: z.array(z.string()).meta({ description: "All fields that were changed" }),
  changes: z.array(auditChange).meta({
    description: "Their values before and after, of those fields that are no secret",
  }),
}).meta({ id: "AuditEntry" });

export type PublicAuditEntry = z.output<typeof publicAuditEntry>;

export const publicCheckpoint = z.object({
  seq: z.int().meta({
    description: "The number of the newest link of the chain; 0: there is none",
  }),
  hash: z.string(),
  at: timestamp.nullable(),
  signature: z.string(),
  publicKey: z.string().meta({ description: "Ed25519, in base64url" }),
}).meta({ id: "AuditCheckpoint" });
