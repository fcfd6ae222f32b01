// Where uploads go: what the server is asked and sent.
import type { UploadOptions } from "../../../client/mod.ts";
import type { FolderMaker } from "./folder_maker.ts";
import type { Upload } from "./upload.ts";

export interface UploadTarget {
  readonly send: (file: Blob, options: UploadOptions) => Promise<unknown>;
  /** The id of the file of this name in a folder; null where there is none. */
  readonly find: (
    name: string,
    folderId: string | null,
    signal: AbortSignal,
  ) => Promise<string | null>;
  readonly folders: FolderMaker;
  /** Called after each that has arrived. */
  readonly onArrived: () => void;
}

/** The folder that an upload goes into: those that are missing are made. */
export async function folderOf(
  { folderId, fileId, folders: path }: Pick<Upload, "folderId" | "fileId" | "folders">,
  folders: FolderMaker,
): Promise<string | null> {
  if (fileId !== undefined || path.length === 0) return folderId;
  return await folders.at(folderId, path);
}
