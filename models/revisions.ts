// Revisions of documents: what each was before a change.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { documentType } from "./documents.ts";
import { listQuery } from "./list_query.ts";
import { person } from "./requests.ts";
import { fieldsOf, firstPartOf, jsonOf, rowOf } from "./rows.ts";

/** What a revision keeps of a document. */
export const revisedField = z.enum(["title", "content", "type"]);

export type RevisedField = z.output<typeof revisedField>;

/** `createdAt` is when the change was made that took the place of what the revision holds. */
export const documentRevisions = collection("documentRevisions", {
  /** Not a reference: the revisions of a document stay where they are while it is in the trash. */
  documentId: z.string(),
  /** Counted from 1. */
  revision: z.number().int(),
  /** Whose the document is: the bytes count for them. */
  ownerId: z.string(),
  title: z.string(),
  content: z.string(),
  type: documentType,
  /** Bytes of the content in UTF-8. */
  size: z.number().int(),
  /** Who made the change; absent once that account is gone. */
  changedBy: z.string().optional(),
  /** What it changed. */
  changed: z.array(z.string()),
}, {
  unique: { revision: ["documentId", "revision"] },
  filter: ["documentId", "ownerId", "changedBy"],
  sort: ["revision", "size"],
  sum: ["size"],
  row: (revision): string => revisionRow(revision),
  notInRow: ["content"],
  references: { ownerId: "users", changedBy: "users" },
});

export type DocumentRevision = RecordOf<typeof documentRevisions>;

export const revisionSummary = z.object({
  revision: z.int().meta({ description: "Counted from 1: the first change made revision 1" }),
  title: z.string(),
  type: documentType,
  size: z.int(),
  changed: z.array(revisedField).meta({ description: "What the change after it changed" }),
  changedBy: person.optional().meta({ description: "Who made that change" }),
  changedAt: timestamp.meta({ description: "When that change was made" }),
}).meta({ id: "RevisionSummary" });

export const publicRevision = revisionSummary.extend({ content: z.string() }).meta({
  id: "Revision",
});

const SHOWN = fieldsOf(revisionSummary, ["changedBy"]);

export function revisionRow(revision: DocumentRevision): string {
  const shown = { ...revision, changedAt: revision.createdAt };
  return rowOf(JSON.stringify(revision.changedBy ?? null), jsonOf(shown, SHOWN));
}

/** A revision in a list: who made the change, and its other fields as JSON without braces. */
export function revisionParts(row: string): { changedBy: string | null; fields: string } {
  const changedBy = firstPartOf(row);
  return { changedBy: JSON.parse(changedBy), fields: row.slice(changedBy.length + 1) };
}

export const revisionListQuery = listQuery(documentRevisions, {
  hidden: ["documentId", "ownerId", "id", "updatedAt"],
});
