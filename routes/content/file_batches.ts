// Many files deleted or moved at once, with an outcome for each.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { type BatchOutcome, batchOutcome, batchSummary } from "../../models/batches.ts";
import { batchMove, fileBatchDeletion, files } from "../../models/files.ts";
import { ownedOf } from "../../services/access/batches.ts";
import { Ledger, removeBlobs } from "../../services/content/contents.ts";
import { planFilesDeletion } from "../../services/content/file_plans.ts";
import { disposalOf, planFilesTrash } from "../../services/content/trash.ts";
import { planDestination } from "../../services/content/folder_plans.ts";
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
  body: fileBatchDeletion,
  bodyLimit: 64 * KIB,
  data: z.array(batchOutcome),
  async handle(call) {
    const { quota } = call.services.settings.uploads;
    const { outcomes, unused } = await call.transact(async (tx) => {
      const { chosen, outcomes } = await ownedOf(tx, call.principal, files, {
        ids: call.body.ids,
        done: "deleted",
      });
      const disposal = disposalOf(call.principal, call.services.settings, call.body.permanent);
      const ledger = new Ledger();
      if (disposal) await planFilesTrash(tx, chosen, disposal);
      else await planFilesDeletion(tx, ledger, chosen);
      return { outcomes, unused: await ledger.write(tx, quota) };
    });
    await removeBlobs(call.store.blobs, unused);
    return { data: outcomes, message: batchSummary(outcomes, "files", "deleted") };
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
      const { chosen, outcomes } = await ownedOf(tx, call.principal, files, { ids, done: "moved" });
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
    return { data: outcomes, message: batchSummary(outcomes, "files", "moved") };
  },
});

export const fileBatchRoutes = [batchDelete, batchMoveFiles];
