// The versions of a file: the history, and what can be done with one of them.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { personIn } from "../../http/references.ts";
import { conflict, existing } from "../../core/errors.ts";
import {
  type FileVersion,
  fileVersionListQuery,
  fileVersions,
  publicFile,
  publicVersion,
} from "../../models/files.ts";
import { deleted } from "../../models/requests.ts";
import { Ledger, removeBlobs } from "../../services/content/contents.ts";
import { fileQuotaFor } from "../../services/content/storage_usage.ts";
import { planVersion, planVersionDeletion, versionOf } from "../../services/content/file_plans.ts";
import { fileEtag, fileFor, shownFile } from "../../services/content/files.ts";
import { listing, pagination } from "../../http/lists.ts";
import { sendContent } from "./files.ts";

const tag = "Files";

const list = endpoint({
  operationId: "listFileVersions",
  method: "get",
  path: "/files/{id}/versions",
  tag,
  summary: "Version history of a file",
  description: "The newest first.",
  access: "files:view",
  query: fileVersionListQuery,
  list: true,
  data: z.array(publicVersion),
  include: { creator: personIn("createdBy") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { now } = call;
    const { id } = await fileFor(call.store, call.principal, call.params.id, "read", now);
    const paging = listing<FileVersion>({ ...call.query, sort: call.query.sort ?? "-version" });
    const page = await call.store.from(fileVersions).list({
      ...paging,
      where: { ...call.query.where, fileId: id },
    });
    return { data: [...page.rows], pagination: pagination(paging, page) };
  },
});

const download = endpoint({
  operationId: "downloadFileVersion",
  method: "get",
  path: "/files/{id}/versions/{version}/download",
  tag,
  summary: "Download a version of a file",
  description:
    "An addition to the file endpoints: any version in the history, as `/files/{id}/download` gives the " +
    "current one.",
  access: "files:view",
  raw: "application/octet-stream",
  errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
  async handle(call) {
    const { now } = call;
    const { id, version: number } = call.params;
    const file = await fileFor(call.store, call.principal, id, "read", now);
    const version = existing(await versionOf(call.store, file, number), "version");
    return await sendContent(call, { ...version, name: file.name });
  },
});

const restore = endpoint({
  operationId: "restoreFileVersion",
  method: "post",
  path: "/files/{id}/versions/{version}/restore",
  tag,
  summary: "Make a version the current one again",
  description:
    "An addition to the file endpoints. Nothing is lost: what the version holds becomes a new version.",
  access: "files:update",
  data: publicFile,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "PAYLOAD_TOO_LARGE"],
  async handle(call) {
    const { id, version: number } = call.params;
    const { quota } = call.services.settings.uploads;
    const file = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, id, "edit", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const version = existing(await versionOf(tx, file, number), "version");
      const ledger = new Ledger();
      const restored = await planVersion(tx, ledger, file, version, call.principal.user.id);
      await ledger.write(tx, await fileQuotaFor(tx, call.principal, file.ownerId, quota));
      return restored;
    });
    return { ...await shownFile(call, file), message: `Version ${number} is current again` };
  },
});

const remove = endpoint({
  operationId: "deleteFileVersion",
  method: "delete",
  path: "/files/{id}/versions/{version}",
  tag,
  summary: "Delete a version of a file",
  description:
    "An addition to the file endpoints, for the owner: gives its bytes back to the quota. Not the current version.",
  access: "files:delete",
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, version: number } = call.params;
    const { quota } = call.services.settings.uploads;
    const { version, unused } = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, id, "owner", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const version = existing(await versionOf(tx, file, number), "version");
      if (version.version === file.version) {
        throw conflict("The current version cannot be deleted: make another one current first");
      }
      const ledger = new Ledger();
      planVersionDeletion(tx, ledger, file, version);
      return { version, unused: await ledger.write(tx, quota) };
    });
    await removeBlobs(call.store.blobs, unused);
    return { data: { id: version.id }, message: `Version ${number} is deleted` };
  },
});

export const fileVersionRoutes = [list, download, restore, remove];
