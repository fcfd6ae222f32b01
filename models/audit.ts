// The audit log: one record per audited change, written in the commit of the change.
import { z } from "zod";
import { collection, type RecordOf } from "./collection.ts";

/** `createdAt` is when it happened. */
export const auditLog = collection("auditLog", {
  /** Absent for the server itself. Not a reference: the log outlives the user. */
  actorId: z.string().optional(),
  /** `insert`, `update`, `remove`, or a named act such as `login`. */
  action: z.string(),
  /** Name of the collection. */
  target: z.string(),
  targetId: z.string(),
  /** What the record was called at that time. */
  targetName: z.string(),
  /** Names of the changed fields; never their values. */
  fields: z.array(z.string()),
  /** The super_admin who acted as `actorId`. */
  impersonatorId: z.string().optional(),
  /** The API key that `actorId` came with. */
  apiKeyId: z.string().optional(),
  ip: z.string().optional(),
  requestId: z.string().optional(),
}, {
  filter: ["actorId", "action", "target", "targetId", "impersonatorId"],
});

export type AuditRecord = RecordOf<typeof auditLog>;
