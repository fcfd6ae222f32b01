// A new name alone, for documents, files and folders: each is the change of the record, with a narrower body.
import type { Endpoint } from "../../http/endpoint.ts";
import { KIB } from "../../core/units.ts";
import { documentRename } from "../../models/documents.ts";
import { fileRename } from "../../models/files.ts";
import { folderRename } from "../../models/folders.ts";
import { updateDocument } from "./documents.ts";
import { updateFile } from "./files.ts";
import { updateFolder } from "./folders.ts";

const narrow = { description: undefined, bodyLimit: 16 * KIB };

const renameDocument: Endpoint = {
  ...updateDocument,
  ...narrow,
  operationId: "renameDocument",
  path: "/documents/{id}/rename",
  summary: "Rename a document",
  description: "Takes the new `title`, also by the name `name`.",
  body: documentRename,
};

const renameFile: Endpoint = {
  ...updateFile,
  ...narrow,
  operationId: "renameFile",
  path: "/files/{id}/rename",
  summary: "Rename a file",
  body: fileRename,
};

const renameFolder: Endpoint = {
  ...updateFolder,
  ...narrow,
  operationId: "renameFolder",
  path: "/folders/{id}/rename",
  summary: "Rename a folder",
  body: folderRename,
};

export const documentRenameRoutes = [renameDocument];
export const fileRenameRoutes = [renameFile];
export const folderRenameRoutes = [renameFolder];
