// The history of a document: what it was before each change, and how to make it that again.
import { z } from "zod";
import { existing } from "../../core/errors.ts";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import { publicDocument } from "../../models/documents.ts";
import { deleted } from "../../models/requests.ts";
import {
  type DocumentRevision,
  documentRevisions,
  publicRevision,
  revisionListQuery,
  revisionSummary,
} from "../../models/revisions.ts";
import { detailsOf, documentFor, refuseTooLarge } from "../../services/content/documents.ts";
import {
  planRevert,
  revisionOf,
  revisionView,
  revisionViews,
} from "../../services/content/revisions.ts";

const tag = "Documents";

const list = endpoint({
  operationId: "listDocumentRevisions",
  method: "get",
  path: "/documents/{id}/revisions",
  tag,
  summary: "The history of a document",
  description:
    "What it was before each change of its title, content or type, the newest first, without the content; who made the " +
    "change, and when. For whoever may read the document. The newest REVISIONS_KEPT (50) are kept; their bytes count " +
    "for the owner of the document.",
  access: "documents:view",
  query: revisionListQuery,
  list: true,
  data: z.array(revisionSummary),
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { principal, params, query, now, store } = call;
    const { document } = await documentFor(store, principal, params.id, "read", now);
    const paging = listing<DocumentRevision>({ ...query, sort: query.sort ?? "-revision" });
    const page = await store.from(documentRevisions).listRows({
      ...paging,
      where: { ...query.where, documentId: document.id },
    });
    return listAnswer(paging, page, await revisionViews(store, page.rows));
  },
});

const details = endpoint({
  operationId: "getDocumentRevision",
  method: "get",
  path: "/documents/{id}/revisions/{revision}",
  tag,
  summary: "What a document was, with its content",
  access: "documents:view",
  data: publicRevision,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { principal, params, now, store } = call;
    const { document } = await documentFor(store, principal, params.id, "read", now);
    const revision = existing(await revisionOf(store, document, params.revision), "revision");
    return { data: await revisionView(store, revision), etag: revision.rev };
  },
});

const restore = endpoint({
  operationId: "restoreDocumentRevision",
  method: "post",
  path: "/documents/{id}/revisions/{revision}/restore",
  tag,
  summary: "Make a document what it was",
  description:
    "It has the title, the content and the type of the revision again. Nothing is lost: what it was until now becomes " +
    "a revision.",
  access: "documents:update",
  data: publicDocument,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED", "PAYLOAD_TOO_LARGE"],
  async handle(call) {
    const { id, revision } = call.params;
    const { revisionsKept: kept } = call.services.settings;
    const { document, level } = await call.transact(async (tx) => {
      const { principal } = call;
      const { document, level } = await documentFor(tx, principal, id, "edit", tx.now);
      assertMatch(call, document.rev);
      const edit = { userId: principal.user.id, kept };
      return { document: await planRevert(tx, document, revision, edit), level };
    }).catch(refuseTooLarge);
    const shown = await detailsOf(call.services, document, level);
    return { ...shown, message: `The document is what revision ${revision} was` };
  },
});

const remove = endpoint({
  operationId: "deleteDocumentRevision",
  method: "delete",
  path: "/documents/{id}/revisions/{revision}",
  tag,
  summary: "Delete a revision of a document",
  description: "For the owner: gives its bytes back to the quota, and ends what nobody is to read.",
  access: "documents:delete",
  data: deleted,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id, revision: number } = call.params;
    const revision = await call.transact(async (tx) => {
      const { document } = await documentFor(tx, call.principal, id, "owner", tx.now);
      const revision = existing(await revisionOf(tx, document, number), "revision");
      tx.remove(documentRevisions, revision);
      return revision;
    });
    return { data: { id: revision.id }, message: `Revision ${number} is deleted` };
  },
});

export const documentRevisionRoutes = [list, details, restore, remove];
