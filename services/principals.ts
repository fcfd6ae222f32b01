// From an access token or a session cookie to the caller: signature, session, user and role, each as last committed.
import { andThen } from "../awaitable.ts";
import { type Role, roles } from "../models/roles.ts";
import { type Session, sessions } from "../models/sessions.ts";
import { type User, users } from "../models/users.ts";
import type { Awaitable, Store } from "../store.ts";
import { effectivePermissions, type Principal } from "./access.ts";
import { sha256 } from "./hashing.ts";
import type { Claims, Tokens } from "./tokens.ts";

/** Null when the token, its session or its user is not good any more. At once where everything is in memory. */
export function principalOfToken(
  store: Store,
  tokens: Tokens,
  token: string,
): Awaitable<Principal | null> {
  const verified = tokens.recall(token) ?? tokens.verify("access", token);
  return andThen(verified, (claims) => claims && principalOfClaims(store, claims));
}

/** The caller of a token, and the state of the store in which that was found. */
interface Found {
  readonly store: Store;
  readonly sessions: number;
  readonly users: number;
  readonly roles: number;
  readonly principal: Principal | null;
}

/** Per verified token: what was found holds for as long as no session, user or role has changed at all. */
const found = new WeakMap<Claims, Found>();

function principalOfClaims(store: Store, claims: Claims): Awaitable<Principal | null> {
  const before = found.get(claims);
  const now = generations(store);
  if (before && now && before.store === store && isSame(before, now)) return before.principal;
  const session = store.from(sessions).get(claims.sid);
  const principal = andThen(
    session,
    (session) => session?.userId === claims.userId ? principalOfSession(store, session) : null,
  );
  if (!now) return principal;
  return andThen(principal, (principal) => {
    found.set(claims, { store, ...now, principal });
    return principal;
  });
}

type Generations = Pick<Found, "sessions" | "users" | "roles">;

/** Null when memory cannot tell. */
function generations(store: Store): Generations | null {
  const now = {
    sessions: store.from(sessions).generation(),
    users: store.from(users).generation(),
    roles: store.from(roles).generation(),
  };
  const known = now.sessions !== null && now.users !== null && now.roles !== null;
  return known ? now as Generations : null;
}

function isSame(a: Generations, b: Generations): boolean {
  return a.sessions === b.sessions && a.users === b.users && a.roles === b.roles;
}

/**
 * @param cookie The opaque value of `quarterdeck.session-token`.
 */
export async function principalOfCookie(
  store: Store,
  cookie: string,
  now: Date,
): Promise<Principal | null> {
  const session = await store.from(sessions).findBy("cookie", sha256(cookie));
  if (!session || session.expiresAt <= now.toISOString()) return null;
  return await principalOfSession(store, session);
}

const known = new WeakMap<Session, Principal>();

function principalOfSession(store: Store, session: Session): Awaitable<Principal | null> {
  return andThen(store.from(users).get(session.userId), (user) => {
    if (user?.status !== "active") return null;
    const found = store.from(roles).findBy("name", user.role);
    return andThen(found, (role) => remember(session, user, role));
  });
}

/** The same principal for as long as none of its records changes. */
function remember(session: Session, user: User, role: Role | null): Principal {
  const before = known.get(session);
  if (before?.user === user && before.role === role) return before;
  const principal = { user, role, session, permissions: effectivePermissions(user, role) };
  known.set(session, principal);
  return principal;
}
