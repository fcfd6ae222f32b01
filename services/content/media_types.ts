// What an upload is: decided by its first bytes, never by its name.
import type { z } from "zod";
import { ApiError } from "../../core/errors.ts";
import type { fileType } from "../../models/files.ts";

/** Bytes of the start that are looked at: as many as file-type reads of a sample. */
export const HEAD_BYTES = 4100;

const UNKNOWN = "application/octet-stream";

/** What clients write where they do not know, or where a part states nothing: no claim. */
const NO_CLAIM: ReadonlySet<string> = new Set([UNKNOWN, "binary/octet-stream", "text/plain"]);

/** Other names in use. */
const ALIASES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "application/x-pdf": "application/pdf",
};

/** Types whose files always start with their signature: a claim of one must be true, and so must one beside it. */
const CERTAIN: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
  "application/pdf",
]);

/** Formats that others are made of: the claim may be the more exact one. */
const CONTAINERS: ReadonlySet<string> = new Set([
  "application/zip",
  "application/xml",
  "application/x-cfb",
]);

/** Formats that are text, and yet begin with a signature. */
const TEXTS = /^text\/|^application\/(xml|rtf|postscript|eps|pgp-encrypted)$|\+xml$/;

/** Bytes that stand in no text: https://mimesniff.spec.whatwg.org/#binary-data-byte */
// deno-lint-ignore no-control-regex -- they are what is looked for
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** RFC 6838 section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,63}\/[a-z0-9][\w!#$&^.+-]{0,63}$/;

/**
 * The media type of a file.
 *
 * @param head Its first bytes, `HEAD_BYTES` of them where there are as many.
 * @param declared By the client; it decides only what the bytes leave open.
 * @param accepted Null accepts all.
 * @throws {ApiError} UNSUPPORTED_MEDIA_TYPE
 */
export async function mediaTypeOf(
  head: Uint8Array,
  declared: string,
  accepted: readonly string[] | null,
): Promise<string> {
  // Loaded at the first upload: it is a megabyte.
  const { fileTypeFromBuffer } = await import("file-type");
  const claim = claimOf(declared);
  const signature = (await fileTypeFromBuffer(head))?.mime.toLowerCase();
  const found = signature && isByChance(signature, head) ? undefined : signature;
  const isCertain = CERTAIN.has(claim ?? "") || CERTAIN.has(found ?? "");
  if (claim !== null && claim !== found && isCertain) {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Cannot take the file: it is declared as ${claim} and holds ${found ?? "something else"}`,
    );
  }
  const type = found ? moreExact(found, claim) : withoutSignature(head, claim);
  if (accepted && !accepted.includes(type)) {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Cannot take the file: it is ${type}, and only ${accepted.join(", ")} are accepted`,
    );
  }
  return type;
}

/** Two letters make some signatures, such as `BM` of bitmaps: a text that happens to begin with them stays one. */
function isByChance(signature: string, head: Uint8Array): boolean {
  if (CERTAIN.has(signature) || TEXTS.test(signature)) return false;
  return looksLikeText(head) && !BINARY.test(new TextDecoder().decode(head));
}

function claimOf(declared: string): string | null {
  const bare = (declared.split(";")[0] ?? "").trim().toLowerCase();
  const type = ALIASES[bare] ?? bare;
  return MEDIA_TYPE.test(type) && !NO_CLAIM.has(type) ? type : null;
}

function moreExact(found: string, claim: string | null): string {
  return claim !== null && CONTAINERS.has(found) ? claim : found;
}

function withoutSignature(head: Uint8Array, claim: string | null): string {
  const isText = looksLikeText(head);
  if (claim === null) return isText ? "text/plain" : UNKNOWN;
  return claim.startsWith("text/") && !isText ? UNKNOWN : claim;
}

/** UTF-8 without NUL. */
function looksLikeText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    // A character may be cut off at the end of the sample: `stream` leaves it out.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Types that browsers run or render as a document of the site. */
const ACTIVE = /^(text\/(html|xml|xsl)|image\/svg|.*\+xml$|application\/xml|.*(java|ecma)script)/;

/** What to send the bytes as: an active type as plain bytes. */
export function safeContentType(mimeType: string): string {
  return ACTIVE.test(mimeType) || !MEDIA_TYPE.test(mimeType) ? UNKNOWN : mimeType;
}

type FileType = z.infer<typeof fileType>;

const ARCHIVE =
  /^application\/(zip|gzip|x-(7z-compressed|rar(-compressed)?|tar|gtar|gzip|bzip2?|xz|lzip|compress|zip-compressed|lzh-compressed|cpio|apple-diskimage|iso9660-image)|vnd\.(rar|ms-cab-compressed)|java-archive|zstd)$/;
const DOCUMENT =
  /^text\/|^application\/(pdf|rtf|msword|json|xml|postscript|epub\+zip|x-cfb|vnd\.(openxmlformats|oasis\.opendocument|ms-(excel|powerpoint|word)|apple\.(pages|numbers|keynote)|visio))/;

/** The kind of file that people tell apart. */
export function fileTypeOf(mimeType: string): FileType {
  const [family] = mimeType.split("/");
  if (family === "image" || family === "video" || family === "audio") return family;
  if (ARCHIVE.test(mimeType)) return "archive";
  return DOCUMENT.test(mimeType) ? "document" : "other";
}
