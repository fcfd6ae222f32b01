// The versions of a file: the history, and what can be done with one of them.
import { z } from "zod";
import { assertMatch } from "../conditional.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../errors.ts";
import { type FileVersion, fileVersions, publicFile, publicVersion } from "../models/files.ts";
import { listQuery } from "../models/requests.ts";
import { Ledger } from "../services/contents.ts";
import { planVersion, versionOf } from "../services/file_plans.ts";
import { fileEtag, fileFor, shownFile } from "../services/files.ts";
import { listing, pagination } from "../services/lists.ts";
import { sendContent } from "./files.ts";

const tag = "Files";
/** Nothing of a version can be searched. */
const query = listQuery({}).omit({ search: true, q: true, keyword: true });

const list = endpoint({
  method: "get",
  path: "/files/{id}/versions",
  tag,
  summary: "Version history of a file",
  description: "The newest first.",
  access: "files:view",
  query,
  list: true,
  data: z.array(publicVersion),
  errors: ["NOT_FOUND"],
  async handle(call) {
    const now = call.services.clock().toISOString();
    const { id } = await fileFor(call.store, call.principal, call.params.id, "read", now);
    const paging = listing<FileVersion>({ ...call.query, sort: call.query.sort ?? "-version" });
    const page = await call.store.from(fileVersions).list({ ...paging, where: { fileId: id } });
    return { data: [...page.rows], pagination: pagination(paging, page) };
  },
});

const download = endpoint({
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
    const now = call.services.clock().toISOString();
    const { id, version: number } = call.params;
    const file = await fileFor(call.store, call.principal, id, "read", now);
    const version = await versionOf(call.store, file, number);
    if (!version) throw notFound("version");
    return await sendContent(call, { ...version, name: file.name });
  },
});

const restore = endpoint({
  method: "post",
  path: "/files/{id}/versions/{version}/restore",
  tag,
  summary: "Make a version the current one again",
  description:
    "An addition to the file endpoints. Nothing is lost: what the version holds becomes a new version.",
  access: "files:update",
  data: publicFile,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED", "PAYLOAD_TOO_LARGE"],
  async handle(call) {
    const { id, version: number } = call.params;
    const { quota } = call.services.config.uploads;
    const file = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, id, "edit", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const version = await versionOf(tx, file, number);
      if (!version) throw notFound("version");
      const ledger = new Ledger();
      const restored = planVersion(tx, ledger, file, version, call.principal.user.id);
      await ledger.write(tx, quota);
      return restored;
    });
    return { ...await shownFile(call, file), message: `Version ${number} is current again` };
  },
});

export const fileVersionRoutes = [list, download, restore];
