// Documents with their tags. Shares are in shares.ts.
import { z } from "zod";
import { batchDeletionOf } from "./batches.ts";
import { filter, listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { csvOptions } from "./csv.ts";
import { eitherCase, label, person, removable } from "./requests.ts";
import { fieldsOf, jsonOf } from "./rows.ts";
import { publicShare } from "./shares.ts";

export const documentType = z.enum([
  "document",
  "pdf",
  "image",
  "spreadsheet",
  "presentation",
  "code",
  "other",
]);

export const documents = collection("documents", {
  title: z.string(),
  /** Markdown or text. */
  content: z.string(),
  type: documentType,
  /** Bytes of the content in UTF-8. */
  size: z.number().int(),
  /** A path such as `/reports/2026`; absent at the root. */
  folder: z.string().optional(),
  ownerId: z.string(),
  teamId: z.string().optional(),
  /** The number of its newest revision: see revisions.ts. Absent: it was never changed. */
  revision: z.number().int().optional(),
}, {
  traits: ["ownerId", "teamId"],
  filter: ["ownerId", "type", "folder", "teamId"],
  sort: ["title", "type", "size"],
  search: ["title"],
  sum: ["size"],
  row: (document): string => documentRow(document),
  notInRow: ["content"],
  references: { ownerId: "users", teamId: "teams" },
  audit: (document) => document.title,
  audited: ["title", "type", "size", "folder", "ownerId", "teamId"],
  measured: ["content"],
});

export type Document = RecordOf<typeof documents>;

/**
 * How often a document was opened; kept apart so that reading does not change the document's version. The id is the
 * document's.
 */
export const documentViews = collection("documentViews", { views: z.number().int() }, {
  sum: ["views"],
  row: ({ views }): string => String(views),
});

export const tags = collection("tags", { name: z.string() }, {
  unique: { name: ["name"] },
  sort: ["name"],
  search: ["name"],
});

export type Tag = RecordOf<typeof tags>;

export const documentTags = collection("documentTags", {
  documentId: z.string(),
  tagId: z.string(),
}, {
  traits: ["documentId"],
  unique: { tag: ["documentId", "tagId"] },
  filter: ["documentId", "tagId"],
  references: { documentId: "documents", tagId: "tags" },
});

export type DocumentTag = RecordOf<typeof documentTags>;

/** A document in a list: all but the content. */
export const documentSummary = z.object({
  id: z.string(),
  title: z.string(),
  type: documentType,
  size: z.number().int(),
  folder: z.string().optional(),
  tags: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Whether there is a share that has not expired. */
  shared: z.boolean(),
  views: z.number().int(),
  ownerId: z.string(),
  owner: person.optional(),
  teamId: z.string().optional(),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "DocumentSummary" });

export const publicDocument = documentSummary.extend({
  content: z.string(),
  /** Present only for the owner and those who manage documents. */
  shares: z.array(publicShare).optional(),
}).meta({ id: "Document" });

/** The id stands first, and the owner last, where they are found without reading what is between. */
const SHOWN = [
  "id",
  ...fieldsOf(documentSummary, ["id", "ownerId", "tags", "shared", "views", "owner"]),
  "ownerId",
];

/** What a document is shown as but for what other records say of it, as JSON without the brace at its end. */
export function documentRow(document: Document): string {
  return `{${jsonOf(document, SHOWN)}`;
}

const BEFORE_ID = '{"id":"';
const BEFORE_OWNER = ':"';

/** Which document a row shows, and whose. */
export function documentInRow(row: string): Pick<Document, "id" | "ownerId"> {
  const last = row.length - 1, start = row.lastIndexOf('"', last - 1) + 1;
  const id = row.slice(BEFORE_ID.length, row.indexOf('"', BEFORE_ID.length));
  const ownerId = row.slice(start, last);
  // What JSON has to escape comes in no id that is made here.
  const plain = row.startsWith(BEFORE_OWNER, start - BEFORE_OWNER.length) &&
    !id.includes("\\") && !ownerId.includes("\\");
  return plain ? { id, ownerId } : JSON.parse(`${row}}`);
}

const id = z.string().min(1).max(128);

/** The path as it is stored, with one slash before each name; null at the root. */
function normalFolder(path: string): string | null {
  const names = path.split("/").map((name) => name.trim()).filter((name) => name !== "");
  return names.length === 0 ? null : `/${names.join("/")}`;
}

const MAX_FOLDER = 500;

/** A path such as `/reports/2026`; null, an empty text and `/` are the root. */
const folder = z.string().max(MAX_FOLDER).refine(
  (path) =>
    !/\p{Cc}/u.test(path) && path.split("/").every((name) => !/^\.{1,2}$/.test(name.trim())),
  "must be a path such as /reports/2026, without . and ..",
).refine(
  // A slash is put before what begins without one, and what is shown has to be taken back.
  (path) => (normalFolder(path)?.length ?? 0) <= MAX_FOLDER,
  `must have at most ${MAX_FOLDER} characters`,
).transform(normalFolder).nullable();

const tagName = label.max(50);

/** Tags of a document, at most. */
export const MAX_TAGS = 50;

/** Tags, given by name or as the objects that a document shows. */
const tagNames = z.array(
  z.union([tagName, z.object({ name: tagName }).transform(({ name }) => name)], {
    error: "must be a name",
  }),
).max(MAX_TAGS).transform((names) => [...new Set(names)]);

export const documentCreation = z.object({
  title: label,
  content: z.string().default(""),
  type: eitherCase(documentType).default("document"),
  folder: folder.optional(),
  teamId: removable(id),
  tags: tagNames.default([]),
});

/** A row of an import: the owner is who imports it. */
export const documentImport = documentCreation.extend({
  teamId: id.optional(),
  tags: tagNames.optional(),
});

export type DocumentImport = z.output<typeof documentImport>;

export const documentUpdate = z.object({
  title: label.optional(),
  content: z.string().optional(),
  type: eitherCase(documentType).optional(),
  folder: folder.optional(),
  teamId: removable(id),
  /** Replaces all tags of the document. */
  tags: tagNames.optional(),
});

export const documentBatchDeletion = batchDeletionOf("documents");

/** `name` is what others call the title. */
export const documentRename = z.object({ title: label.optional(), name: label.optional() })
  .refine(
    ({ title, name }) => (title ?? name) !== undefined,
    { path: ["title"], message: "is required" },
  ).transform(({ title, name }) => ({ title: title ?? name }));

export const documentMove = z.object({ folder });

/** @default The title is "<title> (copy)"; the folder is that of the original. */
export const documentCopy = z.preprocess(
  (body) => body ?? {},
  z.object({ title: label.optional(), folder: folder.optional() }),
);

export const tagAddition = z.object({
  name: tagName.optional(),
  tags: tagNames.optional(),
  tagIds: z.array(id).max(MAX_TAGS).transform((ids) => [...new Set(ids)]).optional(),
}).refine(
  ({ name, tags, tagIds }) => name !== undefined || tags?.length || tagIds?.length,
  { path: ["name"], message: "give a name, tags or tagIds" },
);

const listed = {
  values: { folder: z.string().max(MAX_FOLDER).transform(normalFolder) },
  /** Name or id of a tag. */
  own: { tag: filter },
};

export const documentListQuery = listQuery(documents, listed);

export const documentExportQuery = listQuery(documents, {
  ...listed,
  own: { ...listed.own, ...csvOptions },
  paged: false,
});
