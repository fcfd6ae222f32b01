// The tags of documents.
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { conflict, existing } from "../../core/errors.ts";
import {
  documents,
  documentTags,
  MAX_TAGS,
  publicDocument,
  tagAddition,
} from "../../models/documents.ts";
import { deleted } from "../../models/requests.ts";
import { detailsOf, documentFor } from "../../services/content/documents.ts";
import { planTags, tagsSeen } from "../../services/content/tags.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { KIB } from "../../core/units.ts";

const tag = "Documents";

const addTags = endpoint({
  operationId: "addDocumentTags",
  method: "post",
  path: "/documents/{id}/tags",
  tag,
  summary: "Add tags to a document",
  description: "By name or id; names that are new become tags.",
  access: "documents:update",
  created: true,
  body: tagAddition,
  bodyLimit: 64 * KIB,
  data: publicDocument,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { params } = call;
    const { name, tags: names = [], tagIds = [] } = call.body;
    const wanted = new Set(name === undefined ? names : [name, ...names]);
    const { document, level } = await call.transact(async (tx) => {
      const found = await documentFor(tx, call.principal, params.id, "edit", tx.now);
      const { document, level } = found;
      assertMatch(call, document.rev);
      const tags = [
        ...await tagsSeen(tx, call.principal, tagIds, tx.now),
        ...await planTags(tx, [...wanted]),
      ];
      const links = await everyMatch(tx, documentTags, { documentId: document.id });
      const held = new Set(links.map((link) => link.tagId));
      const fresh = new Set(tags.map((tag) => tag.id)).difference(held);
      if (fresh.size === 0) throw conflict("The document has this tag already");
      if (held.size + fresh.size > MAX_TAGS) {
        throw conflict(`A document has at most ${MAX_TAGS} tags`);
      }
      for (const tagId of fresh) tx.insert(documentTags, { documentId: document.id, tagId });
      return { document: tx.update(documents, document, {}), level };
    });
    const shown = await detailsOf(call.services, document, level);
    return { ...shown, message: "The document is tagged" };
  },
});

const removeTag = endpoint({
  operationId: "removeDocumentTag",
  method: "delete",
  path: "/documents/{id}/tags/{tagId}",
  tag,
  summary: "Take a tag off a document",
  access: "documents:update",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, tagId } = call.params;
    await call.transact(async (tx) => {
      const { document } = await documentFor(tx, call.principal, id, "edit", tx.now);
      assertMatch(call, document.rev);
      const link = existing(
        await tx.from(documentTags).findBy("tag", id, tagId),
        "tag of this document",
      );
      tx.remove(documentTags, link);
      tx.update(documents, document, {});
    });
    return { data: { id: tagId }, message: "The tag is taken off" };
  },
});

export const documentTagRoutes = [addTags, removeTag];
