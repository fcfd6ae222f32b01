// Documents moved between folders, and copied.
import { beginningOf } from "../../core/text.ts";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import {
  documentCopy,
  documentMove,
  documents,
  documentTags,
  publicDocument,
} from "../../models/documents.ts";
import {
  detailsOf,
  documentFor,
  freshDetails,
  refuseTooLarge,
} from "../../services/content/documents.ts";
import { tagsById } from "../../services/content/tags.ts";
import { everyMatch } from "../../storage/every_match.ts";

const tag = "Documents";
/** The most characters that a title may have. */
const MAX_TITLE = 200;

const move = endpoint({
  operationId: "moveDocument",
  method: "post",
  path: "/documents/{id}/move",
  tag,
  summary: "Move a document to a folder",
  description: "Only for its owner. Null, an empty text and / are the root.",
  access: "documents:update",
  body: documentMove,
  data: publicDocument,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { params, body } = call;
    const { document, level } = await call.transact(async (tx) => {
      const found = await documentFor(tx, call.principal, params.id, "owner", tx.now);
      assertMatch(call, found.document.rev);
      const folder = body.folder ?? undefined;
      return { ...found, document: tx.update(documents, found.document, { folder }) };
    }).catch(refuseTooLarge);
    const shown = await detailsOf(call.services, document, level);
    return { ...shown, message: "The document is moved" };
  },
});

const copy = endpoint({
  operationId: "copyDocument",
  method: "post",
  path: "/documents/{id}/copy",
  tag,
  summary: "Copy a document",
  description:
    "The copy belongs to the caller, with the content and the tags of the original, and without its shares and team.",
  access: "documents:create",
  created: true,
  makes: "documents",
  body: documentCopy,
  data: publicDocument,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { params, body } = call;
    const { made, tags } = await call.transact(async (tx) => {
      const { document } = await documentFor(tx, call.principal, params.id, "read", tx.now);
      assertMatch(call, document.rev);
      const { title, content, type, size } = document;
      const made = tx.insert(documents, {
        title: body.title ?? copyTitle(title),
        content,
        type,
        size,
        folder: body.folder === undefined ? document.folder : body.folder ?? undefined,
        ownerId: call.principal.user.id,
      });
      const links = await everyMatch(tx, documentTags, { documentId: document.id });
      const tagIds = links.map((link) => link.tagId);
      for (const tagId of tagIds) tx.insert(documentTags, { documentId: made.id, tagId });
      return { made, tags: await tagsById(tx, tagIds) };
    }).catch(refuseTooLarge);
    return { ...freshDetails(made, call.principal.user, tags), message: "The document is copied" };
  },
});

function copyTitle(title: string): string {
  const ending = " (copy)";
  return beginningOf(title, MAX_TITLE - ending.length) + ending;
}

export const documentPlacementRoutes = [move, copy];
