// The trash: what was deleted, brought back or ended for good.
import { z } from "zod";
import { lacking, notFound } from "../../core/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listing, pagination } from "../../http/lists.ts";
import { folders } from "../../models/folders.ts";
import { deleted } from "../../models/requests.ts";
import {
  publicTrashEntry,
  restored,
  trash,
  type TrashEntry,
  type TrashKind,
  trashListQuery,
} from "../../models/trash.ts";
import { manages, permits, type Principal } from "../../services/access/access.ts";
import { Ledger } from "../../services/content/contents.ts";
import {
  finishPurge,
  finishTrash,
  planPurge,
  planPurges,
  planRestoration,
} from "../../services/content/trash.ts";
import { trashViews } from "../../services/content/trash_views.ts";
import type { Store, Where } from "../../storage/port.ts";

const tag = "Trash";

const RESOURCES: Readonly<Record<TrashKind, "documents" | "files">> = {
  document: "documents",
  file: "files",
  folder: "files",
};
const KINDS = Object.keys(RESOURCES) as TrashKind[];

/** The condition that lists what a caller sees of the trash: one's own, and everyone's of what one manages. */
function visibleTo(principal: Principal): Where<TrashEntry> {
  const viewed = KINDS.filter((kind) => permits(principal.permissions, `${RESOURCES[kind]}:view`));
  const managed = viewed.filter((kind) => manages(principal, RESOURCES[kind]));
  const any = [{ ownerId: principal.user.id }, { kind: managed }];
  return { state: "kept", kind: viewed, any };
}

const list = endpoint({
  operationId: "listTrash",
  method: "get",
  path: "/trash",
  tag,
  summary: "What is in the trash",
  description:
    "Documents, files and folders of the caller that were deleted, the newest first; for who holds `documents:*` or " +
    "`files:*`, everyone's (`ownerId` narrows). They can be restored until `expiresAt`, and count for the quota " +
    "until then.",
  access: ["documents:view", "files:view"],
  query: trashListQuery,
  list: true,
  data: z.array(publicTrashEntry),
  async handle(call) {
    const paging = listing<TrashEntry>(call.query);
    const where = { all: [call.query.where, visibleTo(call.principal)] };
    const page = await call.store.from(trash).list({ ...paging, where });
    const data = await trashViews(call.store, page.rows);
    return { data, pagination: pagination(paging, page) };
  },
});

/**
 * @throws {ApiError} NOT_FOUND for what the caller does not see, FORBIDDEN without the right to delete such things.
 */
async function entryFor(
  source: Pick<Store, "from">,
  principal: Principal,
  id: string,
): Promise<TrashEntry> {
  const entry = await source.from(trash).get(id);
  if (entry?.state !== "kept") throw notFound("entry of the trash");
  const resource = RESOURCES[entry.kind];
  const isSeen = entry.ownerId === principal.user.id || manages(principal, resource);
  if (!isSeen) throw notFound("entry of the trash");
  const permission = `${resource}:delete`;
  if (!permits(principal.permissions, permission)) throw lacking([permission]);
  return entry;
}

const restore = endpoint({
  operationId: "restoreFromTrash",
  method: "post",
  path: "/trash/{id}/restore",
  tag,
  summary: "Restore what was deleted",
  description:
    "It is where it was, under the same id, with its tags, shares, versions and history; a folder with all that was in " +
    "it. Where the folder that it was in is gone, it is at the root. A folder gets a number after its name where " +
    "that is taken. For whoever may delete such things.",
  access: ["documents:delete", "files:delete"],
  data: restored,
  errors: ["NOT_FOUND"],
  commits: "apart",
  async handle(call) {
    const { id } = call.params;
    const { kind, unfinished, ...planned } = await call.transact(async (tx) => {
      const entry = await entryFor(tx, call.principal, id);
      return { kind: entry.kind, ...await planRestoration(tx, entry) };
    });
    if (unfinished) await finishTrash(call.store, id, call.principal.user.id);
    const placed = unfinished ? await call.store.from(folders).get(id) : null;
    const { name, parentId } = placed ?? planned;
    return { data: { id, kind, name, parentId }, message: `The ${kind} is restored` };
  },
});

const purge = endpoint({
  operationId: "purgeFromTrash",
  method: "delete",
  path: "/trash/{id}",
  tag,
  summary: "End for good what was deleted",
  access: ["documents:delete", "files:delete"],
  data: deleted,
  errors: ["NOT_FOUND"],
  commits: "apart",
  async handle(call) {
    const { id } = call.params;
    const { quota } = call.services.settings.uploads;
    const purged = await call.transact(async (tx) => {
      const entry = await entryFor(tx, call.principal, id);
      const ledger = new Ledger();
      const isWhole = await planPurge(tx, ledger, entry, call.actor);
      return { unused: await ledger.write(tx, quota), unfinished: isWhole ? [] : [id] };
    });
    await finishPurge(call.store, purged, call.principal.user.id);
    return { data: { id }, message: "It is gone for good" };
  },
});

const purgeAll = endpoint({
  operationId: "emptyTrash",
  method: "delete",
  path: "/trash",
  tag,
  summary: "Empty one's trash",
  description:
    "Ends all that the caller has in the trash for good, of the kinds that the caller may delete.",
  access: ["documents:delete", "files:delete"],
  data: z.object({ count: z.int().meta({ description: "How many entries are gone" }) }),
  commits: "apart",
  async handle(call) {
    let count = 0;
    for (let found = true; found;) {
      const purged = await call.transact((tx) => {
        const { permissions, user } = call.principal;
        const kind = KINDS.filter((kind) => permits(permissions, `${RESOURCES[kind]}:delete`));
        return planPurges(tx, { kind, ownerId: user.id }, call.actor);
      });
      await finishPurge(call.store, purged, call.principal.user.id);
      count += purged.ids.length;
      found = purged.ids.length > 0;
    }
    return { data: { count }, message: `${count} entries are gone for good` };
  },
});

export const trashRoutes = [list, restore, purge, purgeAll];
