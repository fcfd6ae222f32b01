// Files moved between folders, and copied.
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { fileCopy, fileMove, files, publicFile } from "../../models/files.ts";
import { withSuffix } from "../../models/names.ts";
import { fileQuotaFor } from "../../services/content/storage_usage.ts";
import { Ledger } from "../../services/content/contents.ts";
import { planFile } from "../../services/content/file_plans.ts";
import { fileEtag, fileFor, shownFile } from "../../services/content/files.ts";
import { planDestination } from "../../services/content/folder_plans.ts";
import { KIB } from "../../core/units.ts";

const tag = "Files";

const move = endpoint({
  operationId: "moveFile",
  method: "post",
  path: "/files/{id}/move",
  tag,
  summary: "Move a file into another folder",
  description: "`folderId` (null is the root), or `targetPath` such as `/Reports/2026`.",
  access: "files:update",
  body: fileMove,
  bodyLimit: 64 * KIB,
  data: publicFile,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const file = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, call.params.id, "owner", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const folder = await planDestination(tx, call.principal, file.ownerId, call.body);
      return tx.update(files, file, { folderId: folder?.id });
    });
    return { ...await shownFile(call, file), message: "The file is moved" };
  },
});

const copy = endpoint({
  operationId: "copyFile",
  method: "post",
  path: "/files/{id}/copy",
  tag,
  summary: "Copy a file",
  description:
    "The copy is the caller's, with the current version alone. It goes where `folderId` or `targetPath` " +
    "says, else beside the original when that is the caller's too, else to the root.",
  access: "files:create",
  created: true,
  makes: "files",
  body: fileCopy,
  bodyLimit: 64 * KIB,
  data: publicFile,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { name, ...to } = call.body;
    const { quota } = call.services.settings.uploads;
    const ownerId = call.principal.user.id;
    const file = await call.transact(async (tx) => {
      const original = await fileFor(tx, call.principal, call.params.id, "read", tx.now);
      const beside = original.ownerId === ownerId ? original.folderId ?? null : null;
      const isElsewhere = to.folderId !== undefined || to.targetPath !== undefined;
      const folder = await planDestination(
        tx,
        call.principal,
        ownerId,
        isElsewhere ? to : { folderId: beside },
      );
      const isSamePlace = original.ownerId === ownerId && original.folderId === folder?.id;
      const ledger = new Ledger();
      const planned = planFile(tx, ledger, original, {
        name: name ?? (isSamePlace ? withSuffix(original.name, " (copy)") : original.name),
        folderId: folder?.id,
        ownerId,
        createdBy: ownerId,
      });
      await ledger.write(tx, await fileQuotaFor(tx, call.principal, ownerId, quota));
      return planned;
    });
    return { ...await shownFile(call, file), message: "The file is copied" };
  },
});

export const filePlacementRoutes = [move, copy];
