// Files: moving, copying, searching, storage, and many at once.
import { z } from "zod";
import { assertMatch } from "../conditional.ts";
import { endpoint } from "../endpoint.ts";
import {
  batchIds,
  batchMove,
  type BatchOutcome,
  batchOutcome,
  type File,
  fileCopy,
  fileMove,
  files,
  fileSearch,
  inFolder,
  publicFile,
  storageInfo,
} from "../models/files.ts";
import { withSuffix } from "../models/names.ts";
import type { Principal } from "../services/access.ts";
import { Ledger, removeBlobs } from "../services/contents.ts";
import { planFile, planFilesDeletion } from "../services/file_plans.ts";
import { fileEtag, fileFor, fileViews, shownFile, visibleFiles } from "../services/files.ts";
import { planDestination } from "../services/folder_plans.ts";
import { listAnswer, listing } from "../services/lists.ts";
import { storageOf } from "../services/storage.ts";
import { levelsOf, reaches } from "../services/visibility.ts";
import type { Transaction } from "../store.ts";

const tag = "Files";

const storage = endpoint({
  method: "get",
  path: "/files/storage",
  tag,
  summary: "What the caller stores",
  access: "files:view",
  data: storageInfo,
  async handle(call) {
    const { quota } = call.services.config.uploads;
    return { data: await storageOf(call.store, call.principal.user.id, quota) };
  },
});

const search = endpoint({
  method: "post",
  path: "/files/search",
  tag,
  summary: "Search files",
  description: "By name (`query`, or `keyword` or `search`), with conditions that must all hold.",
  access: "files:view",
  body: fileSearch,
  list: true,
  data: z.array(publicFile),
  async handle(call) {
    const { query, keyword, search, minSize, maxSize, from, to, ...body } = call.body;
    const { type, mimeType, folderId, isFavorite } = body;
    const filters = {
      type,
      mimeType,
      folderId: inFolder(folderId),
      isFavorite,
      size: between(minSize, maxSize),
      createdAt: between(from, to),
    };
    const now = call.services.clock().toISOString();
    const paging = listing<File>({ ...body, search: query ?? keyword ?? search });
    const page = await call.store.from(files).list({
      ...paging,
      where: await visibleFiles(call.store, call.principal, now, filters),
    });
    return listAnswer(paging, page, await fileViews(call, page.rows));
  },
});

/** Both ends included; undefined when there is none. */
function between<T extends string | number>(gte: T | undefined, lte: T | undefined) {
  return gte === undefined && lte === undefined ? undefined : { gte, lte };
}

const move = endpoint({
  method: "post",
  path: "/files/{id}/move",
  tag,
  summary: "Move a file into another folder",
  description: "`folderId` (null is the root), or `targetPath` such as `/Reports/2026`.",
  access: "files:update",
  body: fileMove,
  data: publicFile,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const file = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, call.params.id, "edit", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const folder = await planDestination(tx, call.principal, file.ownerId, call.body);
      return tx.update(files, file, { folderId: folder?.id });
    });
    return { ...await shownFile(call, file), message: "The file is moved" };
  },
});

const copy = endpoint({
  method: "post",
  path: "/files/{id}/copy",
  tag,
  summary: "Copy a file",
  description:
    "The copy is the caller's, with the current version alone. It goes where `folderId` or `targetPath` " +
    "says, else beside the original when that is the caller's too, else to the root.",
  access: "files:create",
  created: true,
  body: fileCopy,
  data: publicFile,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { name, ...to } = call.body;
    const { quota } = call.services.config.uploads;
    const ownerId = call.principal.user.id;
    const file = await call.transact(async (tx) => {
      const original = await fileFor(tx, call.principal, call.params.id, "read", tx.now);
      const beside = original.ownerId === ownerId ? original.folderId ?? null : null;
      const isElsewhere = to.folderId !== undefined || to.targetPath !== undefined;
      const folder = await planDestination(
        tx,
        call.principal,
        ownerId,
        isElsewhere ? to : { folderId: beside },
      );
      const isSamePlace = original.ownerId === ownerId && original.folderId === folder?.id;
      const ledger = new Ledger();
      const planned = planFile(tx, ledger, original, {
        name: name ?? (isSamePlace ? withSuffix(original.name, " (copy)") : original.name),
        folderId: folder?.id,
        ownerId,
        createdBy: ownerId,
      });
      await ledger.write(tx, quota);
      return planned;
    });
    return { ...await shownFile(call, file), message: "The file is copied" };
  },
});

const batchDelete = endpoint({
  method: "post",
  path: "/files/batch-delete",
  tag,
  summary: "Delete many files",
  description: "Those the caller may delete are deleted together; the answer tells of each.",
  access: "files:delete",
  body: batchIds,
  data: z.array(batchOutcome),
  async handle(call) {
    const { quota } = call.services.config.uploads;
    const { outcomes, unused } = await call.transact(async (tx) => {
      const { chosen, outcomes } = await choose(tx, call.principal, call.body.ids, "deleted");
      const ledger = new Ledger();
      await planFilesDeletion(tx, ledger, chosen);
      return { outcomes, unused: await ledger.write(tx, quota) };
    });
    await removeBlobs(call.store.blobs, unused);
    return { data: outcomes, message: summary(outcomes, "deleted") };
  },
});

const batchMoveFiles = endpoint({
  method: "post",
  path: "/files/batch-move",
  tag,
  summary: "Move many files into one folder",
  description: "Those the caller may move are moved together; the answer tells of each.",
  access: "files:update",
  body: batchMove,
  data: z.array(batchOutcome),
  async handle(call) {
    const outcomes = await call.transact(async (tx) => {
      const { ids, ...to } = call.body;
      const { chosen, outcomes } = await choose(tx, call.principal, ids, "moved");
      const folder = await planDestination(tx, call.principal, null, to);
      const fitting = chosen.filter((file) => !folder || file.ownerId === folder.ownerId);
      for (const file of fitting) tx.update(files, file, { folderId: folder?.id });
      const moved = new Set(fitting.map(({ id }) => id));
      return outcomes.map((outcome): BatchOutcome =>
        outcome.status === "moved" && !moved.has(outcome.id)
          ? { ...outcome, status: "forbidden" }
          : outcome
      );
    });
    return { data: outcomes, message: summary(outcomes, "moved") };
  },
});

/** The files of a batch that the caller may change, and what becomes of each id. */
async function choose(
  tx: Transaction,
  principal: Principal,
  ids: readonly string[],
  done: "deleted" | "moved",
): Promise<{ chosen: File[]; outcomes: BatchOutcome[] }> {
  const asked = [...new Set(ids)];
  const found = await tx.from(files).getMany(asked);
  const present = found.filter((file) => file !== null);
  const levels = await levelsOf(tx, principal, "files", present, tx.now);
  const levelById = new Map(present.map((file, n) => [file.id, levels[n]!]));
  const outcomes = asked.map((id): BatchOutcome => {
    const level = levelById.get(id) ?? "none";
    if (level === "none") return { id, status: "not_found" };
    return { id, status: reaches(level, "edit") ? done : "forbidden" };
  });
  const chosen = present.filter((file) => reaches(levelById.get(file.id)!, "edit"));
  return { chosen, outcomes };
}

function summary(outcomes: readonly BatchOutcome[], done: "deleted" | "moved"): string {
  const count = outcomes.filter((outcome) => outcome.status === done).length;
  return `${count} of ${outcomes.length} files are ${done}`;
}

export const fileManagementRoutes = [
  storage,
  search,
  move,
  copy,
  batchDelete,
  batchMoveFiles,
];
