// Conditional writes: If-Match (RFC 9110 section 13.1.1).
import type { Call } from "./endpoint.ts";
import { ApiError } from "../core/errors.ts";
import { entityTags } from "./respond.ts";

/** Whether the client names the version that it has seen. */
export function isConditional(call: Pick<Call, "context">): boolean {
  return call.context.req.raw.headers.has("if-match");
}

/**
 * Call inside the plan of a write, with the version of what the plan read.
 *
 * @throws {ApiError} PRECONDITION_FAILED when the client has seen another version.
 */
export function assertMatch(call: Pick<Call, "context">, version: string): void {
  const asked = call.context.req.raw.headers.get("if-match");
  if (asked === null || asked.trim() === "*") return;
  if (!entityTags(asked).includes(version)) throw new ApiError("PRECONDITION_FAILED");
}
