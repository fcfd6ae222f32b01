// Folders: the tree, and changes to it.
import { z } from "zod";
import { assertMatch, isConditional } from "../../http/conditional.ts";
import { type Call, type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Destination } from "../../models/files.ts";
import {
  type Folder,
  folderCreation,
  folderDeletion,
  folderListQuery,
  folderMove,
  folderUpdate,
  publicFolder,
} from "../../models/folders.ts";
import { deleted } from "../../models/requests.ts";
import { removeBlobs } from "../../services/content/contents.ts";
import { finishDeletion, planFolderDeletion } from "../../services/content/deletions.ts";
import { planFolder, planFolderChange } from "../../services/content/folder_plans.ts";
import { disposalOf, finishTrash, planFolderTrash } from "../../services/content/trash.ts";
import {
  folderFor,
  folderTree,
  reachesFoldersOf,
  shownFolder,
} from "../../services/content/folders.ts";
import type { Transaction } from "../../storage/port.ts";
import { MIB } from "../../core/units.ts";

const tag = "Folders";

const tree = endpoint({
  operationId: "listFolders",
  method: "get",
  path: "/folders",
  tag,
  summary: "Folder tree",
  description:
    "One's own folders, each with those in it; for who holds `files:*` also another's, by `ownerId`.",
  access: "files:view",
  query: folderListQuery,
  data: z.array(publicFolder),
  async handle(call) {
    const ownerId = call.query.ownerId ?? call.principal.user.id;
    if (!reachesFoldersOf(call.principal, ownerId)) return { data: [] };
    return { data: (await folderTree(call.store, ownerId)).roots };
  },
});

const details = endpoint({
  operationId: "getFolder",
  method: "get",
  path: "/folders/{id}",
  tag,
  summary: "Folder details",
  description: "With the folders in it, at every depth.",
  access: "files:view",
  data: publicFolder,
  errors: ["NOT_FOUND"],
  async handle(call) {
    return await shownFolder(
      call.store,
      await folderFor(call.store, call.principal, call.params.id),
    );
  },
});

const create = endpoint({
  operationId: "createFolder",
  method: "post",
  path: "/folders",
  tag,
  summary: "Create a folder",
  access: "files:create",
  created: true,
  makes: "folders",
  body: folderCreation,
  data: publicFolder,
  errors: ["CONFLICT"],
  async handle(call) {
    const folder = await call.transact((tx) => planFolder(tx, call.principal, call.body));
    return { ...await shownFolder(call.store, folder), message: "The folder is created" };
  },
});

export const updateFolder = endpoint({
  operationId: "updateFolder",
  method: "put",
  path: "/folders/{id}",
  tag,
  summary: "Rename or move a folder",
  description: "Takes only the changed fields.",
  access: "files:update",
  body: folderUpdate,
  bodyLimit: MIB,
  data: publicFolder,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { name, parentId } = call.body;
    const to: Destination | undefined = parentId === undefined ? undefined : { folderId: parentId };
    const folder = await call.transact(async (tx) => {
      const folder = await folderFor(tx, call.principal, call.params.id);
      await assertAsShown(call, tx, folder);
      return await planFolderChange(tx, call.principal, folder, { name, to, field: "parentId" });
    });
    return { ...await shownFolder(call.store, folder), message: "The folder is saved" };
  },
});

const move = endpoint({
  operationId: "moveFolder",
  method: "post",
  path: "/folders/{id}/move",
  tag,
  summary: "Move a folder with all that is in it",
  description:
    "`parentId` or `folderId` (null is the root), or `targetPath` such as `/Reports/2026`.",
  access: "files:update",
  body: folderMove,
  data: publicFolder,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { parentId, folderId = parentId, targetPath } = call.body;
    const field = parentId === undefined ? "folderId" : "parentId";
    const folder = await call.transact(async (tx) => {
      const folder = await folderFor(tx, call.principal, call.params.id);
      await assertAsShown(call, tx, folder);
      const to = { folderId, targetPath };
      return await planFolderChange(tx, call.principal, folder, { to, field });
    });
    return { ...await shownFolder(call.store, folder), message: "The folder is moved" };
  },
});

const remove = endpoint({
  operationId: "deleteFolder",
  method: "delete",
  path: "/folders/{id}",
  tag,
  summary: "Delete a folder",
  description:
    "It must be empty, unless `recursive=true` asks for all files and folders in it to go too. It goes into the trash " +
    "for TRASH_DAYS (30) as a whole; `permanent=true` ends it at once.",
  access: "files:delete",
  query: folderDeletion,
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  commits: "apart",
  async handle(call) {
    const { id } = call.params;
    const { recursive, permanent } = call.query;
    const disposal = disposalOf(call.principal, call.services.settings, permanent);
    const actorId = call.principal.user.id;
    const { unfinished, unused } = await call.transact(async (tx) => {
      const folder = await folderFor(tx, call.principal, id);
      await assertAsShown(call, tx, folder);
      if (disposal) return await planFolderTrash(tx, folder, disposal, recursive === true);
      return await planFolderDeletion(tx, folder, actorId, recursive === true);
    });
    await removeBlobs(call.store.blobs, unused);
    if (unfinished && disposal) await finishTrash(call.store, id, actorId);
    else if (unfinished) await finishDeletion(call.store, id);
    return { data: { id }, message: "The folder is deleted" };
  },
});

/**
 * `If-Match` of a folder. What is shown takes the owner's whole tree, which a plan reads only where it is asked for.
 *
 * @throws {ApiError} PRECONDITION_FAILED
 */
async function assertAsShown(
  call: Pick<Call, "context">,
  tx: Transaction,
  folder: Folder,
): Promise<void> {
  if (!isConditional(call)) return;
  assertMatch(call, (await shownFolder(tx, folder)).etag);
}

/** Some front ends make folders among the files. */
const createAmongFiles: Endpoint = {
  ...create,
  operationId: "createFolderAmongFiles",
  path: "/files/folder",
  summary: "Create a folder, as `POST /folders` does",
};

export const folderRoutes = [tree, details, create, createAmongFiles, updateFolder, move, remove];
