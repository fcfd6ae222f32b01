// Folders: a tree per owner. Paths are derived from names and parents, so a rename or move rewrites nothing.
import { z } from "zod";
import { filter, flagFilter } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { destination, folderIdOrRoot } from "./files.ts";
import { fileName } from "./names.ts";
import { permanence } from "./trash.ts";

export const folders = collection("folders", {
  name: z.string(),
  /** Absent at the root. */
  parentId: z.string().optional(),
  ownerId: z.string(),
  /** Parent and lower-case name as one text; it is unique for each owner. See `slotOf`. */
  slot: z.string(),
}, {
  traits: ["ownerId"],
  unique: { name: ["ownerId", "slot"] },
  filter: ["ownerId", "parentId"],
  sort: ["name"],
  search: ["name"],
  references: { ownerId: "users", parentId: "folders" },
  audit: (folder) => folder.name,
  audited: ["name", "parentId", "ownerId"],
});

export type Folder = RecordOf<typeof folders>;

/** Parent and lower-case name of a folder as one text, which no two folders of an owner may have in common. */
export function slotOf(parentId: string | null | undefined, name: string): string {
  return `${parentId ?? ""}/${name.normalize().toLowerCase()}`;
}

/** A folder with the folders in it, at every depth, but without files. */
export const publicFolder = z.object({
  id: z.string(),
  name: z.string(),
  parentId: z.string().optional(),
  path: z.string(),
  ownerId: z.string(),
  fileCount: z.int().meta({ description: "Files in the folder itself" }),
  get children() {
    return z.array(publicFolder);
  },
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "Folder" });

export type PublicFolder = z.infer<typeof publicFolder>;

export const folderCreation = z.object({
  name: fileName,
  parentId: folderIdOrRoot.optional(),
});

export const folderUpdate = z.object({
  name: fileName.optional(),
  parentId: folderIdOrRoot.optional(),
});

export const folderRename = z.object({ name: fileName });

export const folderMove = destination.extend({ parentId: folderIdOrRoot.optional() }).refine(
  (body) =>
    [body.parentId, body.folderId, body.targetPath].filter((to) => to !== undefined).length === 1,
  { path: ["parentId"], message: "give one of parentId, folderId and targetPath" },
);

export const folderListQuery = z.object({ ownerId: filter });

export const folderDeletion = permanence.extend({ recursive: flagFilter });
