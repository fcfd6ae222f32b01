// Documents: list, details, create, change, delete.
import { z } from "zod";
import { allOf, andThen, type Awaitable } from "../../core/awaitable.ts";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { teamIn } from "../../http/references.ts";
import { forbidden } from "../../core/errors.ts";
import { utf8Length } from "../../core/text.ts";
import {
  type Document,
  documentCreation,
  documentListQuery,
  documents,
  documentSummary,
  documentTags,
  documentUpdate,
  publicDocument,
} from "../../models/documents.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import {
  detailsOf,
  documentFor,
  freshDetails,
  refuseTooLarge,
  summaries,
  SUMMARY_KEYS,
} from "../../services/content/documents.ts";
import { permanence } from "../../models/trash.ts";
import { planChange } from "../../services/content/revisions.ts";
import { planDocumentsEnd } from "../../services/content/document_ends.ts";
import { disposalOf, finishTrash } from "../../services/content/trash.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import { findTag, planTags, planTagsOf } from "../../services/content/tags.ts";
import { reachableTeam } from "../../services/access/teams.ts";
import { manages } from "../../services/access/access.ts";
import { type Level, visible } from "../../services/access/visibility.ts";
import type { Store, Where } from "../../storage/port.ts";
import { bothOf } from "../../storage/query.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { MIB } from "../../core/units.ts";

const tag = "Documents";

const DELETION =
  "It goes into the trash for TRASH_DAYS (30), with its tags and shares; `permanent=true` ends it at once.";

const list = endpoint({
  operationId: "listDocuments",
  method: "get",
  path: "/documents",
  tag,
  summary: "List documents",
  description: "One's own, those shared with one, and those of one's teams; without the content.",
  access: "documents:view",
  query: documentListQuery,
  list: true,
  data: z.array(documentSummary),
  include: { team: teamIn("teamId") },
  handle(call) {
    const paging = listing<Document>(call.query);
    const found = andThen(
      documentsAsked(call, call.query),
      (where) => call.store.from(documents).listRows({ ...paging, where }, SUMMARY_KEYS),
    );
    return andThen(
      found,
      (page) => andThen(summaries(call.services, page), (shown) => listAnswer(paging, page, shown)),
    );
  },
});

/** Those of what the query asks for that the caller sees. */
export function documentsAsked(
  call: Pick<Call<"documents:view">, "store" | "principal" | "now">,
  { tag, where }: Pick<z.output<typeof documentListQuery>, "tag" | "where">,
): Awaitable<Where<Document>> {
  const { store, principal } = call;
  // Who manages all of them sees what is asked for.
  if (tag === undefined && manages(principal, "documents")) return where;
  const narrowed = allOf([
    visible(store, principal, "documents", call.now),
    tag === undefined ? undefined : taggedWith(store, tag),
  ]);
  // All three must hold, so a query can only narrow what the caller may see.
  return andThen(narrowed, ([seen, id]) => {
    const asked: Where<Document> = where;
    return bothOf(id === undefined ? asked : { all: [asked, { id }] }, seen as Where<Document>);
  });
}

/** The ids of the documents with a tag, given by name or id. */
async function taggedWith(store: Pick<Store, "from">, nameOrId: string): Promise<string[]> {
  const found = await findTag(store, nameOrId);
  if (!found) return [];
  const links = await everyMatch(store, documentTags, { tagId: found.id });
  return links.map((link) => link.documentId);
}

const details = endpoint({
  operationId: "getDocument",
  method: "get",
  path: "/documents/{id}",
  tag,
  summary: "Document details",
  description:
    "Counts as a view; with `If-None-Match` only where the caller has not read it for half an hour.",
  access: "documents:view",
  data: publicDocument,
  include: { team: teamIn("teamId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id } = call.params;
    const { now } = call;
    const { document, level } = await documentFor(call.store, call.principal, id, "read", now);
    const again = call.context.req.raw.headers.has("if-none-match");
    call.services.documentViews.open(id, call.principal.user.id, again);
    return await detailsOf(call.services, document, level);
  },
});

const create = endpoint({
  operationId: "createDocument",
  method: "post",
  path: "/documents",
  tag,
  summary: "Create a document",
  description: "The members of its team, if it has one, may read it.",
  access: "documents:create",
  created: true,
  makes: "documents",
  body: documentCreation,
  bodyLimit: MIB,
  data: publicDocument,
  async handle(call) {
    const { tags: names, folder, teamId, ...fields } = call.body;
    const owner = call.principal.user;
    const size = utf8Length(fields.content);
    const { document, tags } = await call.transact(async (tx) => {
      if (teamId) await reachableTeam(tx, call.principal, teamId);
      const tags = names.length === 0 ? [] : await planTags(tx, names);
      const document = tx.insert(documents, {
        ...fields,
        size,
        folder: folder ?? undefined,
        ownerId: owner.id,
        teamId: teamId ?? undefined,
      });
      for (const { id } of tags) {
        tx.insert(documentTags, { documentId: document.id, tagId: id });
      }
      return { document, tags };
    }).catch(refuseTooLarge);
    return { ...freshDetails(document, owner, tags), message: "The document is created" };
  },
});

export const updateDocument = endpoint({
  operationId: "updateDocument",
  method: "put",
  path: "/documents/{id}",
  tag,
  summary: "Change a document",
  description:
    "Takes only the changed fields; `tags` replaces them all. Only the owner may change the team and the folder. What " +
    "the document was before another title, content or type is kept as a revision.",
  access: "documents:update",
  body: documentUpdate,
  bodyLimit: MIB,
  data: publicDocument,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { tags: names, ...changes } = call.body;
    const { content } = changes;
    const size = content === undefined ? undefined : utf8Length(content);
    const { document, level } = await call.transact(async (tx) => {
      const { principal, params } = call;
      const found = await documentFor(tx, principal, params.id, "edit", tx.now);
      const { document, level } = found;
      assertMatch(call, document.rev);
      const teamId = changes.teamId === null ? undefined : changes.teamId ?? document.teamId;
      if (teamId !== document.teamId) {
        assertOwner(level, "team");
        if (teamId) await reachableTeam(tx, principal, teamId);
      }
      if (changes.folder !== undefined && (changes.folder ?? undefined) !== document.folder) {
        assertOwner(level, "folder");
      }
      if (names) await planTagsOf(tx, document, names);
      const edit = { userId: principal.user.id, kept: call.services.settings.revisionsKept };
      const patch = patchOf({ ...changes, size });
      return { document: await planChange(tx, document, patch, edit), level };
    }).catch(refuseTooLarge);
    const shown = await detailsOf(call.services, document, level);
    return { ...shown, message: "The document is saved" };
  },
});

function assertOwner(level: Level, what: string): void {
  if (level !== "owner") throw forbidden(`Only the owner of a document may change its ${what}`);
}

const remove = endpoint({
  operationId: "deleteDocument",
  method: "delete",
  path: "/documents/{id}",
  tag,
  summary: "Delete a document",
  description: DELETION,
  access: "documents:delete",
  query: permanence,
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    const unfinished = await call.transact(async (tx) => {
      const { principal } = call;
      const { document } = await documentFor(tx, principal, id, "owner", tx.now);
      assertMatch(call, document.rev);
      const disposal = disposalOf(principal, call.services.settings, call.query.permanent);
      return await planDocumentsEnd(tx, [document], { actorId: principal.user.id, disposal });
    });
    for (const one of unfinished) await finishTrash(call.store, one, call.principal.user.id);
    return { data: { id }, message: "The document is deleted" };
  },
});

export const documentRoutes = [list, details, create, updateDocument, remove];
