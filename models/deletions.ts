// Deletions under way. One too large for a single commit is done in pieces; this record lets it go on after a crash.
import { z } from "zod";
import { collection, type RecordOf } from "./collection.ts";

/** The id of the record is the id of what is deleted. */
export const deletions = collection("deletions", {
  kind: z.enum(["user", "team", "folder"]),
  /** Who deletes it. */
  actorId: z.string(),
  /** When a user is deleted: ids of the users who get what that user owned, by kind of record. See `heirsOf`. */
  documents: z.string().optional(),
  files: z.string().optional(),
  calendar: z.string().optional(),
  teams: z.string().optional(),
  rest: z.string().optional(),
  /** Whether the data of the deleted user are erased too. */
  erase: z.boolean().optional(),
  /** How far the audit log is cleared of them: a cursor. Absent: from its beginning. */
  clearedTo: z.string().optional(),
}, { traits: ["kind"] });

export type Deletion = RecordOf<typeof deletions>;
