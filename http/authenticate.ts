// Finds the caller of a request, and holds it to the endpoint's access rule.
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import { SESSION_COOKIE, TOKEN_COOKIE } from "./cookies.ts";
import type { Access, Endpoint } from "./endpoint.ts";
import { ApiError, lacking } from "../core/errors.ts";
import { permits, type Principal } from "../services/access/access.ts";
import { assertUsable, isApiKey, principalOfKey } from "../services/accounts/api_keys.ts";
import {
  assertOwnSession,
  gaveSecondFactor,
  principalInPlan,
  principalOfCookie,
  principalOfToken,
  sessionOf,
} from "../services/accounts/principals.ts";
import { needsSecondFactor } from "../services/accounts/second_factors.ts";
import { assertProven, assertProvenForRights } from "../services/accounts/step_up.ts";
import { redeemTicket } from "../services/events/tickets.ts";
import type { Services } from "../services/services.ts";
import type { Transaction } from "../storage/port.ts";
import { exchangeOf } from "./exchange.ts";
import { isSameOrigin } from "./origin.ts";

/** RFC 6750 section 2.1; the scheme in upper or lower case. */
const BEARER = /^Bearer +([\w\-.~+/]+=*) *$/i;

/** Who may call, as an endpoint declares it. */
export type Rule = Pick<
  Endpoint,
  "access" | "stepUp" | "beforeSecondFactor" | "ownSession" | "scope" | "eventSource"
>;

/** What is needed to know a caller. */
export interface Desk {
  readonly services: Services;
  readonly addressOf: (c: Context) => string;
}

/**
 * The caller; null only where the access rule allows it.
 *
 * @throws {ApiError} UNAUTHORIZED without a good credential, FORBIDDEN without the permission, which it names;
 * MFA_REQUIRED, STEP_UP_REQUIRED.
 */
export function authenticate(
  c: Context,
  { services, addressOf }: Desk,
  rule: Rule,
): Awaitable<Principal | null> {
  if (rule.access === "public") return null;
  // A ticket is sent on purpose: a cookie that comes along may be old, or another's.
  const byTicket = rule.eventSource === true && c.req.query("ticket") !== undefined;
  const token = credential(c, services.settings.variant.cookies && !byTicket);
  if (token === null) {
    const unnamed = rule.eventSource ? eventSourceCaller(c, { services, addressOf }) : null;
    return andThen(unnamed, (principal) => admit(c, principal, services, rule));
  }
  const found = isApiKey(token)
    ? keyHolder(services, token, addressOf(c))
    : principalOfToken(services.store, services.tokens, token);
  return andThen(found, (principal) => admit(c, principal, services, rule));
}

/** The caller by the ticket in the query, or by the cookie of a session where a page of ours asks. */
function eventSourceCaller(c: Context, { services, addressOf }: Desk): Awaitable<Principal | null> {
  const ticket = c.req.query("ticket");
  if (ticket !== undefined) return redeemTicket(services, ticket, addressOf(c));
  const cookie = getCookie(c, SESSION_COOKIE);
  if (!cookie || !isSameOrigin(c, services.settings)) return null;
  return principalOfCookie(services.store, cookie, services.clock());
}

function keyHolder(services: Services, key: string, ip: string): Awaitable<Principal | null> {
  const { store, clock, keyUses } = services;
  return andThen(principalOfKey(store, key, { now: clock().toISOString(), ip }), (principal) => {
    if (principal) keyUses.use(principal.key!, ip);
    return principal;
  });
}

/** Holds a caller to the access rule. */
function admit(
  c: Context,
  principal: Principal | null,
  services: Services,
  rule: Rule,
): Principal | null {
  if (principal === null) {
    if (rule.access === "optional") return null;
    throw new ApiError("UNAUTHORIZED");
  }
  const exchange = exchangeOf(c);
  exchange.userId = principal.user.id;
  const impersonatorId = principal.session?.impersonatorId;
  if (impersonatorId !== undefined) exchange.headers["x-impersonated-by"] = impersonatorId;
  assertAllowed(principal, services, rule);
  return principal;
}

/**
 * The same check once more, within a plan: what has changed since the first, and what changes before the commit, wins.
 *
 * @throws {ApiError} UNAUTHORIZED when the session or key has ended or the user is not active any more, FORBIDDEN without
 * the permission.
 */
export function authenticateAgain(
  tx: Transaction,
  principal: Principal,
  { services, ip }: { readonly services: Services; readonly ip: string },
  rule: Rule,
): Awaitable<Principal> {
  return andThen(principalInPlan(tx, principal), (current) => {
    if (current === null) throw new ApiError("UNAUTHORIZED");
    if (current.key) assertUsable(current.key, tx.now, ip);
    assertAllowed(current, services, rule);
    return current;
  });
}

/** @throws {ApiError} FORBIDDEN, MFA_REQUIRED, STEP_UP_REQUIRED */
function assertAllowed(principal: Principal, services: Services, rule: Rule): void {
  const { settings, clock } = services;
  const { access, beforeSecondFactor, ownSession, stepUp } = rule;
  const { key, user } = principal;
  // Where people need no permission, a key needs its scope all the same, and its user need not hold it.
  const byScope = key !== null && rule.scope !== undefined;
  const asked = byScope ? rule.scope! : access;
  const held = byScope ? key.scopes : principal.permissions;
  if (!allowed(held, asked)) throw lacking([asked].flat());
  if (ownSession === "acting") sessionOf(principal);
  else if (ownSession) assertOwnSession(principal);
  if (!beforeSecondFactor && !gaveSecondFactor(principal) && needsSecondFactor(settings, user)) {
    throw new ApiError("MFA_REQUIRED");
  }
  if (stepUp === "rights") assertProvenForRights(services, principal);
  else if (stepUp) assertProven(principal, clock().toISOString());
}

/** Whether the rule lets the caller in. */
export function isAllowed(principal: Principal, services: Services, rule: Rule): boolean {
  try {
    assertAllowed(principal, services, rule);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The access token or API key of the Authorization header, or of the cookie where the variant takes it. */
function credential(c: Context, cookies: boolean): string | null {
  const header = c.req.raw.headers.get("authorization");
  // The form of the token is not checked here: what is none at all fails later, as any bad token does.
  if (header?.startsWith("Bearer ") && header[7] !== " ") return header.slice(7);
  if (header !== null) return BEARER.exec(header)?.[1] ?? null;
  return cookies ? getCookie(c, TOKEN_COOKIE) || null : null;
}

function allowed(held: readonly string[], access: Access): boolean {
  if (access === "authenticated" || access === "optional") return true;
  if (typeof access === "string") return permits(held, access);
  return access.some((permission) => permits(held, permission));
}
