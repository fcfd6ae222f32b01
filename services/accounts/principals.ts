// From an access token or a session cookie to the caller: signature, session, user and role, each as last committed.
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import { roles } from "../../models/roles.ts";
import { type Session, sessions } from "../../models/sessions.ts";
import { users } from "../../models/users.ts";
import { remembering } from "../../storage/memory/remembered.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { ApiError } from "../../core/errors.ts";
import { keyPrincipalInPlan } from "./api_keys.ts";
import { SUPER_ADMIN } from "../../models/roles.ts";
import { effectivePermissions, type Principal } from "../access/access.ts";
import { sha256 } from "../../core/hashing.ts";
import type { Claims, Tokens } from "./tokens.ts";
import { MIB } from "../../core/units.ts";

type Source = Pick<Store, "from">;

/** Null when the token, its session or its user is not good any more. At once where everything is in memory. */
export function principalOfToken(
  store: Store,
  tokens: Tokens,
  token: string,
): Awaitable<Principal | null> {
  const verified = tokens.recall(token) ?? tokens.verify("access", token);
  return andThen(verified, (claims) => claims && principalOfClaims(store, claims));
}

/** By session: records are shared with the store's own memory, so that a caller takes little beside. */
const principals = remembering<Principal | null>([sessions, users, roles], {
  maxBytes: 8 * MIB,
  bytesOf: () => 500,
});

function principalOfClaims(
  store: Source,
  { sid, userId }: Claims,
): Awaitable<Principal | null> {
  const found = principals(store).through(
    sid,
    () =>
      andThen(
        store.from(sessions).get(sid),
        (session) => session && principalOfSession(store, session),
      ),
  );
  return andThen(found, (principal) => principal?.user.id === userId ? principal : null);
}

/**
 * @param cookie The opaque value of `quarterdeck.session-token`.
 */
export async function principalOfCookie(
  source: Source,
  cookie: string,
  now: Date,
): Promise<Principal | null> {
  const session = await source.from(sessions).findBy("cookie", sha256(cookie));
  if (!session || session.expiresAt <= now.toISOString()) return null;
  return await principalOfSession(source, session);
}

function principalOfSession(source: Source, session: Session): Awaitable<Principal | null> {
  return andThen(source.from(users).get(session.userId), (user) => {
    if (user?.status !== "active") return null;
    const found = source.from(roles).findBy("name", user.role);
    return andThen(found, (role) => {
      const permissions = effectivePermissions(user, role);
      const principal = { user, role, session, key: null, permissions };
      if (session.impersonatorId === undefined) return principal;
      // Who was promoted meanwhile is nobody's to act as: see impersonation.ts.
      if (user.role === SUPER_ADMIN) return null;
      return andThen(isImpersonated(source, session), (good) => good ? principal : null);
    });
  });
}

/** Whether the super_admin who acts as another still is one, and signed in. */
function isImpersonated(source: Source, session: Session): Awaitable<boolean> {
  return andThen(
    source.from(sessions).get(session.impersonatorSessionId!),
    (own) =>
      andThen(
        source.from(users).get(session.impersonatorId!),
        (user) =>
          own?.userId === user?.id && user?.status === "active" && user.role === SUPER_ADMIN,
      ),
  );
}

/**
 * Call before what makes or ends credentials.
 *
 * @throws {ApiError} FORBIDDEN to API keys, and to a super_admin who acts as the user.
 */
export function assertOwnSession(principal: Principal): void {
  if (sessionOf(principal).impersonatorId === undefined) return;
  throw new ApiError("FORBIDDEN", "Not while you act as another user");
}

/** The session of a caller. @throws {ApiError} FORBIDDEN to a program that came with an API key. */
export function sessionOf({ session }: Principal): Session {
  if (session) return session;
  throw new ApiError("FORBIDDEN", "This takes a sign-in: an API key does not do");
}

/** Whether a second factor was given in the session, or in that which the key was made in. */
export function gaveSecondFactor({ session, key }: Pick<Principal, "session" | "key">): boolean {
  return session ? session.secondFactor === true : key?.secondFactor !== false;
}

/**
 * The caller as a plan sees them: session or key, user and role are read through it, so that its commit fails when one of
 * them has changed. Null when the session or key has ended or the user is not active any more.
 */
export function principalInPlan(
  tx: Pick<Transaction, "from">,
  { session: known, key }: Pick<Principal, "session" | "key">,
): Awaitable<Principal | null> {
  if (key) return keyPrincipalInPlan(tx, key);
  const { id, userId } = known!;
  return andThen(
    tx.from(sessions).get(id),
    (session) => session?.userId === userId ? principalOfSession(tx, session) : null,
  );
}
