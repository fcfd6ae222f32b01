// Finds the caller of a request, and holds it to the endpoint's access rule.
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { andThen } from "../awaitable.ts";
import { TOKEN_COOKIE } from "../cookies.ts";
import type { Access } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import { permits, type Principal } from "../services/access.ts";
import { principalOfToken } from "../services/principals.ts";
import type { Services } from "../services/services.ts";
import type { Awaitable } from "../store.ts";
import { exchangeOf } from "./exchange.ts";

/** RFC 6750 section 2.1; the scheme in any case. */
const BEARER = /^Bearer +([\w\-.~+/]+=*) *$/i;

/**
 * The caller; null only where the access rule allows it.
 *
 * @throws {ApiError} UNAUTHORIZED without a good credential, FORBIDDEN without the permission.
 */
export function authenticate(
  c: Context,
  services: Services,
  access: Access,
): Awaitable<Principal | null> {
  if (access === "public") return null;
  const token = credential(c, services.config.variant.cookies);
  if (token === null) return admit(c, null, access);
  const found = principalOfToken(services.store, services.tokens, token);
  return andThen(found, (principal) => admit(c, principal, access));
}

/** Holds a caller to the access rule. */
function admit(c: Context, principal: Principal | null, access: Access): Principal | null {
  if (principal === null) {
    if (access === "optional") return null;
    throw new ApiError("UNAUTHORIZED");
  }
  exchangeOf(c).userId = principal.user.id;
  if (!allowed(principal, access)) throw new ApiError("FORBIDDEN");
  return principal;
}

/** The access token of the Authorization header, or of the cookie where the variant takes it. */
function credential(c: Context, cookies: boolean): string | null {
  const header = c.req.raw.headers.get("authorization");
  // What is not a token at all fails like any other that is not good.
  if (header?.startsWith("Bearer ")) return header.slice(7);
  if (header !== null) return BEARER.exec(header)?.[1] ?? null;
  return cookies ? getCookie(c, TOKEN_COOKIE) || null : null;
}

function allowed(principal: Principal, access: Access): boolean {
  if (access === "authenticated" || access === "optional") return true;
  if (typeof access === "string") return permits(principal.permissions, access);
  return access.some((permission) => permits(principal.permissions, permission));
}
