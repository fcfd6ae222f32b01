// Many files deleted or moved at once, with an outcome for each.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import {
  batchDeletion,
  batchMove,
  type BatchOutcome,
  batchOutcome,
  type File,
  files,
} from "../../models/files.ts";
import type { Principal } from "../../services/access/access.ts";
import { Ledger, removeBlobs } from "../../services/content/contents.ts";
import { planFilesDeletion } from "../../services/content/file_plans.ts";
import { disposalOf, planFilesTrash } from "../../services/content/trash.ts";
import { planDestination } from "../../services/content/folder_plans.ts";
import { levelsOf, reaches } from "../../services/access/visibility.ts";
import type { Transaction } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";

const tag = "Files";

const batchDelete = endpoint({
  operationId: "deleteFiles",
  method: "post",
  path: "/files/batch-delete",
  tag,
  summary: "Delete many files",
  description:
    "Those the caller may delete go into the trash together, or with `permanent` end at once; the answer tells of each.",
  access: "files:delete",
  body: batchDeletion,
  bodyLimit: 64 * KIB,
  data: z.array(batchOutcome),
  async handle(call) {
    const { quota } = call.services.settings.uploads;
    const { outcomes, unused } = await call.transact(async (tx) => {
      const { chosen, outcomes } = await choose(tx, call.principal, call.body.ids, "deleted");
      const disposal = disposalOf(call.principal, call.services.settings, call.body.permanent);
      const ledger = new Ledger();
      if (disposal) await planFilesTrash(tx, chosen, disposal);
      else await planFilesDeletion(tx, ledger, chosen);
      return { outcomes, unused: await ledger.write(tx, quota) };
    });
    await removeBlobs(call.store.blobs, unused);
    return { data: outcomes, message: summary(outcomes, "deleted") };
  },
});

const batchMoveFiles = endpoint({
  operationId: "moveFiles",
  method: "post",
  path: "/files/batch-move",
  tag,
  summary: "Move many files into one folder",
  description: "Those the caller may move are moved together; the answer tells of each.",
  access: "files:update",
  body: batchMove,
  bodyLimit: 128 * KIB,
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

/** The files of a batch that the caller may delete or move, and what becomes of each id. */
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
    return { id, status: reaches(level, "owner") ? done : "forbidden" };
  });
  const chosen = present.filter((file) => reaches(levelById.get(file.id)!, "owner"));
  return { chosen, outcomes };
}

function summary(outcomes: readonly BatchOutcome[], done: "deleted" | "moved"): string {
  const count = outcomes.filter((outcome) => outcome.status === done).length;
  return `${count} of ${outcomes.length} files are ${done}`;
}

export const fileBatchRoutes = [batchDelete, batchMoveFiles];
