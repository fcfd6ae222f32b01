// What is done with a document beside changing it: shares, tags, moving, copying.
import { assertMatch } from "../conditional.ts";
import { endpoint } from "../endpoint.ts";
import { conflict, notFound } from "../errors.ts";
import {
  documentCopy,
  documentMove,
  documents,
  documentTags,
  publicDocument,
  tagAddition,
} from "../models/documents.ts";
import { deleted } from "../models/requests.ts";
import { shareRequest, shares, sharesMade } from "../models/shares.ts";
import { everyMatch } from "../services/cascades.ts";
import { detailsOf, documentFor, freshDetails, savingContent } from "../services/documents.ts";
import { planShares } from "../services/shares.ts";
import { planTags, sharingNewTags, tagsById } from "../services/tags.ts";

const tag = "Documents";
/** Titles hold so many characters. */
const MAX_TITLE = 200;

const share = endpoint({
  method: "post",
  path: "/documents/{id}/share",
  tag,
  summary: "Share a document",
  description:
    "Sharing again with the same user or team replaces the permission and the expiry. Answers with the share; for userIds, with a list.",
  access: "documents:update",
  created: true,
  body: shareRequest,
  data: sharesMade,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { principal, params, body } = call;
    const made = await call.transact(async (tx) => {
      const { document } = await documentFor(tx, principal, params.id, "owner", tx.now);
      assertMatch(call, document.rev);
      const { id, ownerId, title: name } = document;
      tx.update(documents, document, {});
      return await planShares(tx, principal, { kind: "document", id, ownerId, name }, body);
    });
    return { data: body.userIds ? made : made[0]!, message: "The document is shared" };
  },
});

const unshare = endpoint({
  method: "delete",
  path: "/documents/{id}/share/{shareId}",
  tag,
  summary: "End a share of a document",
  access: "documents:update",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, shareId } = call.params;
    await call.transact(async (tx) => {
      const { document } = await documentFor(tx, call.principal, id, "owner", tx.now);
      assertMatch(call, document.rev);
      const share = await tx.from(shares).get(shareId);
      if (share?.documentId !== id) throw notFound("share");
      tx.remove(shares, share);
      tx.update(documents, document, {});
    });
    return { data: { id: shareId }, message: "The share is ended" };
  },
});

const addTags = endpoint({
  method: "post",
  path: "/documents/{id}/tags",
  tag,
  summary: "Add tags to a document",
  description: "By name or id; names that are new become tags.",
  access: "documents:update",
  created: true,
  body: tagAddition,
  data: publicDocument,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { principal, params } = call;
    const { name, tags: names = [], tagIds = [] } = call.body;
    const wanted = new Set(name === undefined ? names : [name, ...names]);
    const plan = () =>
      call.transact(async (tx) => {
        const found = await documentFor(tx, principal, params.id, "edit", tx.now);
        const { document, level } = found;
        assertMatch(call, document.rev);
        const tags = [...await tagsById(tx, tagIds), ...await planTags(tx, [...wanted])];
        const links = await everyMatch(tx, documentTags, { documentId: document.id });
        const held = new Set(links.map((link) => link.tagId));
        const fresh = new Set(tags.map((tag) => tag.id)).difference(held);
        if (fresh.size === 0) throw conflict("The document has this tag already");
        for (const tagId of fresh) tx.insert(documentTags, { documentId: document.id, tagId });
        return { document: tx.update(documents, document, {}), level };
      });
    const { document, level } = await sharingNewTags(plan);
    const shown = await detailsOf(call.services, document, level);
    return { ...shown, message: "The document is tagged" };
  },
});

const removeTag = endpoint({
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
      const link = await tx.from(documentTags).findBy("tag", id, tagId);
      if (!link) throw notFound("tag of this document");
      tx.remove(documentTags, link);
      tx.update(documents, document, {});
    });
    return { data: { id: tagId }, message: "The tag is taken off" };
  },
});

const move = endpoint({
  method: "post",
  path: "/documents/{id}/move",
  tag,
  summary: "Move a document to a folder",
  description: "Null, an empty text and / are the root.",
  access: "documents:update",
  body: documentMove,
  data: publicDocument,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { principal, params, body } = call;
    const plan = () =>
      call.transact(async (tx) => {
        const found = await documentFor(tx, principal, params.id, "edit", tx.now);
        assertMatch(call, found.document.rev);
        const folder = body.folder ?? undefined;
        return { ...found, document: tx.update(documents, found.document, { folder }) };
      });
    const { document, level } = await savingContent(plan);
    const shown = await detailsOf(call.services, document, level);
    return { ...shown, message: "The document is moved" };
  },
});

const copy = endpoint({
  method: "post",
  path: "/documents/{id}/copy",
  tag,
  summary: "Copy a document",
  description:
    "The copy belongs to the caller, with the content and the tags of the original, and without its shares and team.",
  access: "documents:create",
  created: true,
  body: documentCopy,
  data: publicDocument,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { principal, params, body } = call;
    const plan = () =>
      call.transact(async (tx) => {
        const { document } = await documentFor(tx, principal, params.id, "read", tx.now);
        assertMatch(call, document.rev);
        const { title, content, type, size } = document;
        const made = tx.insert(documents, {
          title: body.title ?? copyTitle(title),
          content,
          type,
          size,
          folder: body.folder === undefined ? document.folder : body.folder ?? undefined,
          ownerId: principal.user.id,
        });
        const links = await everyMatch(tx, documentTags, { documentId: document.id });
        const tagIds = links.map((link) => link.tagId);
        for (const tagId of tagIds) tx.insert(documentTags, { documentId: made.id, tagId });
        return { made, tags: await tagsById(tx, tagIds) };
      });
    const { made, tags } = await savingContent(plan);
    return { ...freshDetails(made, principal.user, tags), message: "The document is copied" };
  },
});

function copyTitle(title: string): string {
  const ending = " (copy)";
  return title.slice(0, MAX_TITLE - ending.length) + ending;
}

export const documentSharingRoutes = [share, unshare, addTags, removeTag, move, copy];
