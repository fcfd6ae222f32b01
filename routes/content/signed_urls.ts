// Addresses of files that open without a token, for a short while.
import { endpoint } from "../../http/endpoint.ts";
import { existing } from "../../core/errors.ts";
import { downloadUrl, downloadUrlQuery, signedQuery } from "../../models/files.ts";
import { fileFor } from "../../services/content/files.ts";
import { versionOf } from "../../services/content/file_plans.ts";
import { readerBy, signedUrl } from "../../services/content/signed_urls.ts";
import { sendContent } from "./files.ts";

const tag = "Files";

const give = endpoint({
  operationId: "getDownloadUrl",
  method: "get",
  path: "/files/{id}/download-url",
  tag,
  summary: "An address of a file that needs no token",
  description:
    "For links, images and players. It opens the version that is current now, for five minutes, and no longer than " +
    "the caller may read the file and stays signed in.",
  access: "files:view",
  secret: true,
  query: downloadUrlQuery,
  data: downloadUrl,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { now, principal } = call;
    const file = await fileFor(call.store, principal, call.params.id, "read", now);
    const inline = call.query.disposition === "inline";
    return { data: signedUrl(call.services.settings, file, { principal, now, inline }) };
  },
});

const open = endpoint({
  operationId: "downloadSignedFile",
  method: "get",
  path: "/files/{id}/signed",
  tag,
  summary: "Download a file by such an address",
  description: "Takes a `Range` of bytes, and `If-None-Match` with the SHA-256 as entity tag.",
  access: "public",
  query: signedQuery,
  raw: "application/octet-stream",
  errors: ["FORBIDDEN", "NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
  async handle(call) {
    const { now } = call;
    const { id } = call.params;
    const { principal, version: number, inline } = await readerBy(call.services, {
      id,
      token: call.query.token,
      now,
    });
    const file = await fileFor(call.store, principal, id, "read", now);
    const version = existing(await versionOf(call.store, file, String(number)), "version");
    return await sendContent(call, { ...version, name: file.name }, { inline });
  },
});

export const signedUrlRoutes = [give, open];
