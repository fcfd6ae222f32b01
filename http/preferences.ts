// What a client would rather have: the field Prefer (RFC 7240), and what is done about it.
import type { Context } from "hono";
import type { Endpoint } from "./endpoint.ts";
import { exchangeOf } from "./exchange.ts";

const STRICT = /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i;
const MINIMAL = /(^|[,;])\s*return\s*=\s*"?minimal"?\s*($|[,;])/i;
/** Characters of the field that are looked at. */
const LOOKED_AT = 500;

/** Section 4.4: what would be ignored is refused instead; the answer tells that it was heeded. */
export function prefersStrict(c: Context): boolean {
  if (!STRICT.test(preferOf(c))) return false;
  exchangeOf(c).headers["preference-applied"] = "handling=strict";
  return true;
}

function preferOf(c: Context): string {
  return c.req.raw.headers.get("prefer")?.slice(0, LOOKED_AT) ?? "";
}

/**
 * True for writes whose answer a client can do without: it shows a record that can be read again. What is shown once
 * (credentials), computed or found is always sent.
 */
export function mayBeMinimal({ method, data, secret, raw, redirects, list, extra }: Endpoint) {
  // A list of outcomes says what was done, and what was not.
  const record = data !== undefined && data.def.type !== "array";
  return method !== "get" && record && !secret && !raw && !redirects && !list && !extra;
}

/**
 * The answer to `Prefer: return=minimal` (section 4.2): the headers alone. What was made must be named by Location, and
 * warnings are always sent: the preference is not heeded otherwise.
 */
export async function minimized(c: Context, response: Response): Promise<Response> {
  const made = response.status === 201;
  const fit = response.status === 200 || (made && response.headers.has("location"));
  if (!fit || !MINIMAL.test(preferOf(c))) return response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  if ((JSON.parse(text) as { warnings?: unknown } | null)?.warnings !== undefined) {
    return new Response(text, { status: response.status, headers });
  }
  headers.delete("content-type");
  headers.append("preference-applied", "return=minimal");
  return new Response(null, { status: made ? 201 : 204, headers });
}
