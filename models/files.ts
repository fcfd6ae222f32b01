// Files, their versions, the contents that versions share, and what each user stores.
import { z } from "zod";
import { batchDeletionOf, batchIdsOf } from "./batches.ts";
import { cursorText, listQuery, searched } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { csvOptions } from "./csv.ts";
import { fileName, MAX_NAME_BYTES } from "./names.ts";
import { eitherCase, moment, momentOrEndOfDay } from "./requests.ts";

export const fileType = z.enum(["image", "video", "audio", "archive", "document", "other"]);

export const files = collection("files", {
  name: z.string(),
  type: fileType,
  mimeType: z.string(),
  /** Bytes of the current version. */
  size: z.number().int(),
  /** Absent at the root. */
  folderId: z.string().optional(),
  ownerId: z.string(),
  isFavorite: z.boolean(),
  /** Number of the current version, counted from 1. */
  version: z.number().int(),
  /** SHA-256 of the current version, hex: the id of its content. */
  sha256: z.string(),
  /** Bytes of all versions together. */
  totalSize: z.number().int(),
}, {
  traits: ["ownerId"],
  filter: ["ownerId", "folderId", "type", "mimeType", "isFavorite"],
  sort: ["name", "type", "size"],
  search: ["name"],
  sum: ["size", "totalSize"],
  references: { ownerId: "users", folderId: "folders", sha256: "contents" },
  audit: (file) => file.name,
  audited: ["name", "type", "mimeType", "size", "folderId", "ownerId", "version", "sha256"],
});

export type File = RecordOf<typeof files>;

/** Every version of a file, the current one included. */
export const fileVersions = collection("fileVersions", {
  fileId: z.string(),
  version: z.number().int(),
  size: z.number().int(),
  mimeType: z.string(),
  sha256: z.string(),
  createdBy: z.string(),
}, {
  traits: ["fileId"],
  unique: { version: ["fileId", "version"] },
  filter: ["fileId", "createdBy"],
  sort: ["version"],
  sum: ["size"],
  references: { fileId: "files", createdBy: "users", sha256: "contents" },
});

export type FileVersion = RecordOf<typeof fileVersions>;

/** A smaller image of a content, whose bytes are a content of their own. */
const thumbnail = z.object({
  /** The size that was asked for: the longer side has as many, or fewer. */
  pixels: z.number().int(),
  sha256: z.string(),
  /** Bytes. */
  size: z.number().int(),
  mimeType: z.string(),
});

export type Thumbnail = z.output<typeof thumbnail>;

/** Stored bytes. The same bytes are kept only once, whoever uploads them; the id is their SHA-256, hex. */
export const contents = collection("contents", {
  blobId: z.string(),
  size: z.number().int(),
  /** How many file versions, thumbnails and avatars use the content; at 0 the record and the bytes are removed. */
  references: z.number().int(),
  /** Those made so far; they end with the content. */
  thumbnails: z.array(thumbnail).optional(),
}, {
  unique: { blob: ["blobId"] },
  sum: ["size"],
});

export type Content = RecordOf<typeof contents>;

/**
 * What a user stores, all versions counted. Every upload writes this record, so two at the same time cannot pass the
 * quota together. The id is the user's.
 */
export const storageUsage = collection("storageUsage", {
  /** Bytes. */
  used: z.number().int(),
}, { sum: ["used"] });

export type StorageUsage = RecordOf<typeof storageUsage>;

/** A file as it is shown to everyone who may see it. */
export const publicFile = z.object({
  id: z.string(),
  name: z.string(),
  type: fileType,
  mimeType: z.string(),
  size: z.int().meta({ description: "Of the current version, in bytes" }),
  path: z.string().meta({ description: "The folders and the name: /Reports/2026/sales.pdf" }),
  folderId: z.string().optional(),
  ownerId: z.string(),
  isFavorite: z.boolean(),
  version: z.int(),
  sha256: z.string(),
  url: z.string().meta({ description: "Where the bytes are" }),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "File" });

const disposition = eitherCase(z.enum(["attachment", "inline"])).optional();

export const downloadUrlQuery = z.object({ disposition });

/** Pixels of the longer side. */
const thumbnailSize = z.enum(["64", "256", "1024"]);

export const thumbnailQuery = z.object({
  size: thumbnailSize.optional().meta({
    description: "Pixels of the longer side, at most",
    default: "256",
  }),
});

/** The longest life of a link, in seconds: a week. */
const MAX_LINK = 7 * 24 * 60 * 60;

export const linkCreation = z.preprocess(
  (body) => body ?? {},
  z.object({
    expiresIn: z.int().min(60).max(MAX_LINK).optional().meta({
      description: "Seconds",
      default: 3600,
    }),
    disposition,
  }),
);

export const downloadUrl = z.object({ url: z.string(), expiresAt: timestamp })
  .meta({ id: "DownloadUrl" });

export const signedQuery = z.object({
  token: z.string().max(1000),
  size: thumbnailSize.optional().meta({ description: "The thumbnail of this size instead" }),
});

export const publicVersion = z.object({
  version: z.int(),
  size: z.int(),
  sha256: z.string(),
  createdAt: timestamp,
  createdBy: z.string(),
}).meta({ id: "FileVersion" });

const bytes = z.int().min(0);

export const storageInfo = z.object({
  used: bytes.meta({
    description:
      "Bytes of files in all versions, documents and their revisions, messages and events",
  }),
  total: bytes.meta({ description: "Bytes that may be used" }),
  trash: bytes.meta({ description: "Those of `used` that are in the trash" }),
  fileCount: z.int(),
  breakdown: z.object({
    images: bytes,
    videos: bytes,
    audio: bytes,
    documents: bytes,
    archives: bytes,
    others: bytes,
  }),
}).meta({ id: "Storage" });

/** Front ends write the root as null, nothing, `root` or a slash. Null is the root. */
function rootAsNull(value: unknown): unknown {
  return value === "" || value === "root" || value === "/" ? null : value;
}

/** The id of a folder, or null for the root. */
export const folderIdOrRoot = z.preprocess(rootAsNull, z.string().max(128).nullable());

/** Where something goes: a folder by its id or by its path, or the root. */
export const destination = z.object({
  folderId: folderIdOrRoot.optional(),
  targetPath: z.string().max(8000).optional(),
});

export type Destination = z.output<typeof destination>;

const ONE_DESTINATION = { path: ["folderId"], message: "give either folderId or targetPath" };

function hasOneDestination({ folderId, targetPath }: Destination): boolean {
  return (folderId === undefined) !== (targetPath === undefined);
}

export const fileMove = destination.refine(hasOneDestination, ONE_DESTINATION);

/** Without a destination, or a body at all, the copy lands beside the original. */
export const fileCopy = z.preprocess(
  (body) => body ?? {},
  destination.extend({ name: fileName.optional() }).refine(
    (body) =>
      hasOneDestination(body) || (body.folderId === undefined && body.targetPath === undefined),
    ONE_DESTINATION,
  ),
);

export const fileUpdate = z.object({
  name: fileName.optional(),
  isFavorite: z.boolean().optional(),
  folderId: folderIdOrRoot.optional(),
});

export const fileRename = z.object({ name: fileName });

/** Without either, the mark is turned over. */
export const fileMark = z.preprocess(
  (body) => body ?? {},
  z.object({ isFavorite: z.boolean().optional(), favorite: z.boolean().optional() }),
);

/** Fields that come with an upload, in the form or in the query. */
export const uploadFields = z.object({
  name: z.string().max(1000).optional(),
  folderId: folderIdOrRoot.optional(),
  fileId: z.string().max(128).optional().transform((id) => id || undefined),
});

/** Bytes of a file that comes in JSON, at most: in base64 they fill a body of 1 MiB with little left. */
export const MAX_INLINE = 704 * 1024;

/** Bytes in base64 (RFC 4648), alone or as a data URL (RFC 2397), whose media type then is that of the file. */
const inlineContent = z.string().transform((text, context) => {
  const [, mimeType = "", base64 = text] = /^data:([^,]{0,200}?);base64,(.*)$/s.exec(text) ?? [];
  try {
    const bytes = Uint8Array.fromBase64(base64);
    if (bytes.length > 0 && bytes.length <= MAX_INLINE) return { mimeType, bytes };
  } catch {
    // It is told below.
  }
  const message = `must be 1 to ${MAX_INLINE} bytes in base64, or a data URL with them`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** A file in JSON. */
export const fileCreation = z.object({
  name: fileName,
  content: inlineContent,
  folderId: folderIdOrRoot.optional(),
});

/**
 * `folderId=root` lists the files in no folder, and those of others, whose folders are not shown; an empty `folderId`
 * lists the files of all folders.
 */
const listed = {
  values: {
    name: z.string().max(MAX_NAME_BYTES),
    folderId: z.string().max(200).transform((id) => inFolder(id) ?? null),
  },
};

export const fileListQuery = listQuery(files, listed);

export const fileExportQuery = listQuery(files, { ...listed, own: csvOptions, paged: false });

export const fileVersionListQuery = listQuery(fileVersions, { hidden: ["fileId"] });

/** The condition on `folderId` of a list: null is the root. */
export function inFolder(folderId: string | undefined): string | null | undefined {
  return folderId === "root" || folderId === "/" ? null : folderId;
}

/** An empty text, `all` and null set no condition, as an empty text and `all` do in the query of a list. */
const condition = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => value === "" || value === "all" || value === null ? undefined : value,
    schema,
  );

const WHOLE_FROM_ONE = "must be a whole number from 1";

/** A page or its size, as a number or in digits as in the query of a list. */
const place = condition(
  z.preprocess(
    (value) => typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value,
    z.int(WHOLE_FROM_ONE).min(1, WHOLE_FROM_ONE).max(999_999_999, WHOLE_FROM_ONE).optional(),
  ),
);
const size = condition(z.int().min(0).optional());

export const fileSearch = z.object({
  query: searched,
  keyword: searched,
  search: searched,
  type: condition(eitherCase(fileType).optional()),
  mimeType: condition(z.string().max(200).optional()),
  folderId: condition(z.string().max(128).optional()),
  isFavorite: condition(z.boolean().optional()),
  /** `minSize` and `maxSize` are in bytes. */
  minSize: size,
  maxSize: size,
  /** `from` and `to` bound when the file was created; both ends are included, a date alone with the whole of its day. */
  from: condition(moment.optional()),
  to: condition(momentOrEndOfDay.optional()),
  page: place,
  limit: place,
  sort: z.string().max(50).optional(),
  cursor: cursorText,
});

export const fileBatch = batchIdsOf("files");

export const fileBatchDeletion = batchDeletionOf("files");

export const batchMove = fileBatch.extend(destination.shape).refine(
  hasOneDestination,
  ONE_DESTINATION,
);
