// Conditional writes: If-Match and If-None-Match (RFC 9110 sections 13.1.1 and 13.1.2).
import type { Call } from "./endpoint.ts";
import { ApiError } from "../core/errors.ts";
import { entityTags } from "./respond.ts";

/** Whether the client names the version that it has seen, or one that it does not mean. */
export function isConditional({ context: { req } }: Pick<Call, "context">): boolean {
  return req.raw.headers.has("if-match") || req.raw.headers.has("if-none-match");
}

/**
 * Call inside the plan of a write, with the version of what the plan read.
 *
 * @throws {ApiError} PRECONDITION_FAILED when the client has seen another version, or does not mean this one: with
 * `If-None-Match: *` it means none that exists.
 */
export function assertMatch({ context: { req } }: Pick<Call, "context">, version: string): void {
  const { headers } = req.raw;
  const isNamed = (names: string) => names.trim() === "*" || entityTags(names).includes(version);
  const meant = headers.get("if-match"), notMeant = headers.get("if-none-match");
  if (meant !== null && !isNamed(meant)) {
    // Whose quotes were lost on the way has not seen another version.
    const unquoted = meant.includes('"')
      ? undefined
      : "If-Match names no ETag: send it with its quotes";
    throw new ApiError("PRECONDITION_FAILED", unquoted);
  }
  if (notMeant === null || !isNamed(notMeant)) return;
  const message = "If-None-Match rules this record out: it is there, in that version";
  throw new ApiError("PRECONDITION_FAILED", message);
}
