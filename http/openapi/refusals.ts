// The errors that an endpoint may answer with, from its declaration.
import { type ErrorCode, errorTable } from "../../core/errors.ts";
import type { Variant } from "../../config/variants.ts";
import { type Endpoint, repeatable } from "../endpoint.ts";
import { selectable } from "../selection.ts";

/** By status, ascending: the codes that a client may meet. */
export function refusalsOf(
  endpoint: Endpoint,
  variant: Variant,
): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint, variant)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function codesOf(endpoint: Endpoint, variant: Variant): ReadonlySet<ErrorCode> {
  const { method, access, path } = endpoint;
  const codes = new Set<ErrorCode>();
  const add = (...more: readonly ErrorCode[]) => more.forEach((code) => codes.add(code));
  const writes = method !== "get";
  if (endpoint.query || selectable(endpoint) || repeatable(endpoint)) add("VALIDATION_ERROR");
  if (endpoint.body || endpoint.upload) {
    add("VALIDATION_ERROR", "REQUEST_TIMEOUT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  }
  // Where access is optional, an ended session is an error only when something is committed in the caller's name.
  if (access !== "public" && (access !== "optional" || writes)) add("UNAUTHORIZED");
  if (access !== "public") add(...forbidding(endpoint));
  // The pages' cookie vouches for no other site: see middleware/guard.ts.
  if (variant.cookies && writes) add("FORBIDDEN");
  if (path.includes("{")) add("NOT_FOUND");
  // What a caller may leave behind, and change in a day, is bounded: see services/quotas.
  if (access !== "public" && writes) add("CONFLICT", "RATE_LIMITED");
  if (access !== "public" && method === "post") add("PAYLOAD_TOO_LARGE");
  if (repeatable(endpoint)) add("IDEMPOTENCY_KEY_REUSED");
  if (endpoint.limits) add("RATE_LIMITED");
  add(...endpoint.errors ?? [], "INTERNAL_ERROR", "UNAVAILABLE");
  if (writes) add("STORAGE_FULL");
  return codes;
}

/** A permission is missing, of the role or in the scopes of a key; or a proof of who one is. */
function forbidding(endpoint: Endpoint): readonly ErrorCode[] {
  const { access, beforeSecondFactor, ownSession, scope, stepUp } = endpoint;
  const free = access === "authenticated" || access === "optional";
  return [
    ...(!free || ownSession || scope ? ["FORBIDDEN" as const] : []),
    ...(beforeSecondFactor ? [] : ["MFA_REQUIRED" as const]),
    ...(stepUp ? ["STEP_UP_REQUIRED" as const] : []),
  ];
}
