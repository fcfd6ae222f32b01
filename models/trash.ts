// The trash: what was deleted and can be brought back. An entry says what it was; its records are kept as text.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { flagFilter, listQuery } from "./list_query.ts";
import { person } from "./requests.ts";

export const trashKind = z.enum(["document", "file", "folder"]);

export type TrashKind = z.output<typeof trashKind>;

/** The id of an entry is that of the document, file or folder, which has it again once it is restored. */
export const trash = collection("trash", {
  kind: trashKind,
  name: z.string(),
  ownerId: z.string(),
  /** Absent once that account is gone. */
  deletedBy: z.string().optional(),
  /** The path that it had, its own name included. */
  path: z.string(),
  /** The folder that a file or folder was in; absent at the root. */
  parentId: z.string().optional(),
  /**
   * `kept`: it is whole. What is too large for one commit is moved in pieces: `filling` it comes in, `restoring` it goes
   * back, `purging` it ends. Nobody sees an entry of these, nor the folder that is in two places then.
   */
  state: z.enum(["kept", "filling", "restoring", "purging"]),
  /** How many bundles hold its records: see `trashParts`. */
  bundles: z.number().int(),
  /** Levels of folders, this one included; 0 for what is no folder. */
  levels: z.number().int(),
  /** How many of its records count for the owner's quota. */
  records: z.number().int(),
  /** Bytes of documents, and of files in all versions. */
  size: z.number().int(),
  /** Those of documents, which count here; those of files go on counting in what their owner stores. */
  written: z.number().int(),
  /** When it is purged. */
  expiresAt: timestamp,
}, {
  traits: ["ownerId", "state"],
  filter: ["kind", "ownerId", "deletedBy", "state", "expiresAt"],
  sort: ["name", "size", "expiresAt"],
  search: ["name"],
  sum: ["records", "size", "written"],
  references: { ownerId: "users", deletedBy: "users" },
});

export type TrashEntry = RecordOf<typeof trash>;

/** A part of a bundle, which is a JSON text of records that one commit puts back. The last bundle goes back first. */
export const trashParts = collection("trashParts", {
  entryId: z.string(),
  /** Counted from 0. */
  bundle: z.number().int(),
  /** Counted from 0 within the bundle. */
  part: z.number().int(),
  text: z.string(),
  /** Ids of the people whom the bundle names beside its owner, parted by spaces; in its first part alone. */
  people: z.string().optional(),
}, {
  unique: { place: ["entryId", "bundle", "part"] },
  filter: ["entryId", "bundle"],
  sort: ["part"],
  search: ["people"],
  references: { entryId: "trash" },
});

export type TrashPart = RecordOf<typeof trashParts>;

export const publicTrashEntry = z.object({
  id: z.string().meta({ description: "Of the document, file or folder: it stays the same" }),
  kind: trashKind,
  name: z.string(),
  path: z.string().meta({ description: "Where it was, with its name" }),
  size: z.int().meta({ description: "In bytes: of a folder, with all that is in it" }),
  ownerId: z.string(),
  deletedBy: person.optional(),
  deletedAt: timestamp,
  expiresAt: timestamp.meta({ description: "When it is removed for good" }),
}).meta({ id: "TrashEntry" });

export const restored = z.object({
  id: z.string(),
  kind: trashKind,
  name: z.string().meta({ description: "A folder gets a number where its name is taken" }),
  parentId: z.string().optional().meta({ description: "The folder that it is in again" }),
});

export const trashListQuery = listQuery(trash, { hidden: ["state"] });

/** The query of a deletion: whether it passes by the trash. */
export const permanence = z.object({ permanent: flagFilter });
