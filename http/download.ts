// Sends stored bytes: one range of them (RFC 9110 section 14), conditions, and headers that keep them from running.
import type { Context } from "hono";
import { ApiError } from "../core/errors.ts";
import { entityTags } from "./respond.ts";
import { safeContentType } from "../services/content/media_types.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { exchangeOf } from "./exchange.ts";

export interface Download {
  readonly name: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** Hex: the entity tag. */
  readonly sha256: string;
  /** Browsers are to show it, where its type is one that runs nothing. @default false */
  readonly inline?: boolean;
  /** The bytes from `start` up to, not including, `end`. */
  open(range: { readonly start: number; readonly end: number }): Awaitable<ReadableStream | null>;
}

/** Types that browsers draw or play, and in which nothing runs. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"],
  ...["audio/mpeg", "audio/ogg", "audio/wav", "video/mp4", "video/webm"],
]);

/**
 * Answers GET and HEAD.
 *
 * @throws {ApiError} RANGE_NOT_SATISFIABLE; NOT_FOUND when the file was deleted meanwhile, and its bytes with it.
 */
export async function sendFile(c: Context, file: Download): Promise<Response> {
  const request = c.req.raw.headers;
  const etag = `"${file.sha256}"`;
  const headers: Record<string, string> = {
    ...exchangeOf(c).headers,
    "etag": etag,
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
  };
  const known = request.get("if-none-match");
  if (known !== null && (known.trim() === "*" || entityTags(known).includes(file.sha256))) {
    return new Response(null, { status: 304, headers });
  }

  const isHead = exchangeOf(c).bodiless;
  // A range means something to GET alone (RFC 9110 section 14.2).
  const range = isHead ? null : requestedRange(request, etag, file.size);
  const { start, end } = range ?? { start: 0, end: file.size };
  Object.assign(headers, {
    "content-type": safeContentType(file.mimeType),
    "content-disposition": file.inline && SHOWN.has(file.mimeType)
      ? attachment(file.name).replace("attachment", "inline")
      : attachment(file.name),
    "content-length": String(end - start),
    // Should a browser be led to show it all the same, it has no origin and runs nothing.
    "content-security-policy": "default-src 'none'; sandbox",
  });
  if (range) headers["content-range"] = `bytes ${start}-${end - 1}/${file.size}`;
  const status = range ? 206 : 200;
  if (isHead) return new Response(null, { status, headers });
  const bytes = await file.open({ start, end });
  if (!bytes) throw new ApiError("NOT_FOUND", "The file was deleted");
  return new Response(bytes, { status, headers });
}

/**
 * The one range asked for; null for the whole. Several ranges, other units and what cannot be read count as none, as
 * RFC 9110 section 14.2 allows.
 *
 * @throws {ApiError} RANGE_NOT_SATISFIABLE
 */
function requestedRange(
  request: Headers,
  etag: string,
  size: number,
): { start: number; end: number } | null {
  const asked = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(request.get("range") ?? "");
  if (!asked || (asked[1] === "" && asked[2] === "")) return null;
  const condition = request.get("if-range");
  if (condition !== null && condition.trim() !== etag) return null;

  const [, first = "", last = ""] = asked;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new ApiError("RANGE_NOT_SATISFIABLE", `The range is outside the file of ${size} bytes`, {
    headers: { "content-range": `bytes */${size}` },
  });
}

/** Content-Disposition by RFC 6266: the name in ASCII for old clients, and as it is (RFC 8187). */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
