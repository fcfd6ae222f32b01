// Documents shared with users and teams.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { personIn, teamIn } from "../../http/references.ts";
import { notFound } from "../../core/errors.ts";
import { documents } from "../../models/documents.ts";
import { deleted } from "../../models/requests.ts";
import {
  publicShare,
  shareRequest,
  shares,
  sharesMade,
  unshareRequest,
} from "../../models/shares.ts";
import { documentFor } from "../../services/content/documents.ts";
import { planShareEnds, planShares } from "../../services/access/shares.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { KIB } from "../../core/units.ts";

const tag = "Documents";

const share = endpoint({
  operationId: "shareDocument",
  method: "post",
  path: "/documents/{id}/share",
  tag,
  summary: "Share a document",
  description:
    "Sharing again with the same user or team replaces the permission and the expiry. Answers with the share; for userIds, with a list.",
  access: "documents:update",
  created: true,
  body: shareRequest,
  bodyLimit: 64 * KIB,
  data: sharesMade,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { params, body } = call;
    const made = await call.transact(async (tx) => {
      const { principal } = call;
      const { document } = await documentFor(tx, principal, params.id, "owner", tx.now);
      assertMatch(call, document.rev);
      const { id, ownerId, title: name } = document;
      tx.update(documents, document, {});
      return await planShares(tx, principal, { kind: "document", id, ownerId, name }, body);
    });
    return { data: body.userIds ? made : made[0]!, message: "The document is shared" };
  },
});

const list = endpoint({
  operationId: "listDocumentShares",
  method: "get",
  path: "/documents/{id}/share",
  tag,
  summary: "With whom a document is shared",
  description: "An addition to the document endpoints, for the owner; it does not count as a view.",
  access: "documents:view",
  data: z.array(publicShare),
  include: { user: personIn("userId"), team: teamIn("teamId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { store, principal, params, now } = call;
    const { document } = await documentFor(store, principal, params.id, "owner", now);
    return { data: [...await everyMatch(store, shares, { documentId: document.id })] };
  },
});

const unshare = endpoint({
  operationId: "deleteDocumentShare",
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
      await planShareEnds(tx, [share]);
      tx.update(documents, document, {});
    });
    return { data: { id: shareId }, message: "The share is ended" };
  },
});

const unshareWith = endpoint({
  operationId: "unshareDocument",
  method: "post",
  path: "/documents/{id}/unshare",
  tag,
  summary: "End the shares of a document with someone",
  description: "By `shareId`, or with whom it is shared: `userId`, `userIds` or `teamId`. " +
    "The answer names the shares that have ended; with whom it is not shared is left out.",
  access: "documents:update",
  body: unshareRequest,
  bodyLimit: 64 * KIB,
  data: z.array(deleted),
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { shareId: id, teamId, userId, userIds = userId } = call.body;
    const ended = await call.transact(async (tx) => {
      const { params, principal } = call;
      const { document } = await documentFor(tx, principal, params.id, "owner", tx.now);
      assertMatch(call, document.rev);
      const where = { documentId: document.id, id, teamId, userId: userIds };
      const ended = await everyMatch(tx, shares, where);
      if (ended.length === 0) throw notFound("share");
      await planShareEnds(tx, ended);
      tx.update(documents, document, {});
      return ended.map(({ id }) => ({ id }));
    });
    return { data: ended, message: "The document is not shared with them any more" };
  },
});

export const documentShareRoutes = [share, list, unshare, unshareWith];
