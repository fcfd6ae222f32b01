// Addresses of files that open without a token, for a while; and the thumbnails of files.
import { existing } from "../../core/errors.ts";
import {
  downloadUrl,
  downloadUrlQuery,
  type File,
  linkCreation,
  signedQuery,
  thumbnailQuery,
} from "../../models/files.ts";
import { fileFor } from "../../services/content/files.ts";
import { versionOf } from "../../services/content/file_plans.ts";
import { readerBy, refused, signedUrl } from "../../services/content/signed_urls.ts";
import { thumbnailOf } from "../../services/images/thumbnails.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
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

const link = endpoint({
  operationId: "createFileLink",
  method: "post",
  path: "/files/{id}/link",
  tag,
  summary: "A link to a file that needs no token",
  description:
    "As the address of `download-url`, but for `expiresIn` seconds (3600), up to a week. It opens the version that is " +
    "current now, and ends with it: when the file is deleted or has another version, and when the caller may not " +
    "read the file any more or signs out. A link that an API key has made lasts as long as the key.",
  access: "files:view",
  secret: true,
  commits: "never",
  body: linkCreation,
  data: downloadUrl,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { now, principal } = call;
    const file = await fileFor(call.store, principal, call.params.id, "read", now);
    const { expiresIn: seconds = 3600, disposition } = call.body;
    const inline = disposition === "inline";
    const options = { principal, now, inline, seconds, latest: true };
    return { data: signedUrl(call.services.settings, file, options) };
  },
});

const thumbnail = endpoint({
  operationId: "getFileThumbnail",
  method: "get",
  path: "/files/{id}/thumbnail",
  tag,
  summary: "A small image of a file",
  description:
    "Of JPEG, PNG, WebP (the first frame) and GIF (likewise), upright and at most `size` pixels long and wide; others " +
    "answer 415. JPEG, or PNG where anything shows through. Made when it is first asked for, then kept; it counts for " +
    "nobody's quota. For `<img>` there is `signed?token=…&size=256`, with the token of `download-url` or `link`.",
  access: "files:view",
  query: thumbnailQuery,
  // It is kept once it is made: not within the commit of others.
  commits: "apart",
  raw: "image/*",
  errors: ["NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE"],
  async handle(call) {
    const file = await fileFor(call.store, call.principal, call.params.id, "read", call.now);
    return await sendThumbnail(call, file, call.query.size);
  },
});

async function sendThumbnail(
  call: Pick<Call, "store" | "context">,
  version: Pick<File, "name" | "mimeType" | "size" | "sha256">,
  size = "256",
): Promise<Response> {
  const small = await thumbnailOf(call.store, version, Number(size));
  return await sendContent(call, { ...small, name: version.name }, { inline: true });
}

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
  commits: "apart",
  errors: ["FORBIDDEN", "NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE"],
  async handle(call) {
    const { now } = call;
    const { id } = call.params;
    const { token, size } = call.query;
    const { principal, version: number, inline, latest } = await readerBy(call.services, {
      id,
      token,
      now,
    });
    const file = await fileFor(call.store, principal, id, "read", now);
    if (latest && file.version !== number) throw refused();
    const version = existing(await versionOf(call.store, file, String(number)), "version");
    const shown = { ...version, name: file.name };
    if (size !== undefined) return await sendThumbnail(call, shown, size);
    return await sendContent(call, shown, { inline });
  },
});

export const signedUrlRoutes = [give, link, thumbnail, open];
