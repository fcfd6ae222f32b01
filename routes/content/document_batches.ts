// Many documents deleted at once, with an outcome for each.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { batchOutcome, batchSummary } from "../../models/batches.ts";
import { documentBatchDeletion, documents } from "../../models/documents.ts";
import { ownedOf } from "../../services/access/batches.ts";
import { planDocumentsEnd } from "../../services/content/document_ends.ts";
import { disposalOf, finishTrash } from "../../services/content/trash.ts";
import { KIB } from "../../core/units.ts";

const batchDelete = endpoint({
  operationId: "deleteDocuments",
  method: "post",
  path: "/documents/batch-delete",
  tag: "Documents",
  summary: "Delete many documents",
  description:
    "Those the caller may delete go into the trash together, or with `permanent` end at once; the answer tells of each.",
  access: "documents:delete",
  body: documentBatchDeletion,
  bodyLimit: 64 * KIB,
  data: z.array(batchOutcome),
  async handle(call) {
    const actorId = call.principal.user.id;
    const { outcomes, unfinished } = await call.transact(async (tx) => {
      const { ids, permanent } = call.body;
      const asked = { ids, done: "deleted" } as const;
      const { chosen, outcomes } = await ownedOf(tx, call.principal, documents, asked);
      const disposal = disposalOf(call.principal, call.services.settings, permanent);
      return { outcomes, unfinished: await planDocumentsEnd(tx, chosen, { actorId, disposal }) };
    });
    for (const id of unfinished) await finishTrash(call.store, id, actorId);
    return { data: outcomes, message: batchSummary(outcomes, "documents", "deleted") };
  },
});

export const documentBatchRoutes = [batchDelete];
