// Sessions: signing in, rotating the refresh token, ending. Ending one ends its access tokens at once.
import { ApiError } from "../../core/errors.ts";
import { type AuditChange, auditLog, SIGN_IN } from "../../models/audit.ts";
import {
  type EmailLink,
  emailLinks,
  passwordResets,
  type Session,
  sessions,
  type SignInMethod,
} from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import { auditEntry } from "../../storage/audit.ts";
import type { Actor, Store, Transaction } from "../../storage/port.ts";
import { randomToken, sha256 } from "../../core/hashing.ts";
import type { Services } from "../services.ts";
import type { Tokens } from "./tokens.ts";
import { everyMatch } from "../../storage/every_match.ts";

export interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Of the access token, in seconds. */
  readonly expiresIn: number;
}

interface Client {
  readonly ip?: string;
  readonly userAgent?: string;
  /** Of the request, whoever sent it. */
  readonly actor?: Pick<Actor, "requestId">;
}

/**
 * Milliseconds for which the refresh token before the current one is still accepted: two tabs may rotate it at once, or
 * the answer may have been lost. Anything older is reuse (RFC 9700 section 4.14.2) and ends the session.
 */
const ROTATION_GRACE = 10_000;
/** Sessions of a user at most; one more ends the one that was unused for longest. Nobody has as many devices. */
export const MAX_SESSIONS = 50;
/** Sessions that one sign-in ends at most, where a user has more than the limit. */
const ENDED_AT_ONCE = 100;
const MAX_USER_AGENT = 256;
/** Of a proof that counts no longer. */
const NEVER = new Date(0).toISOString();

/** How a user proved who they are. */
export interface Proof {
  readonly method: SignInMethod;
  /** Whether a second factor was given, or a passkey, which is two in one. */
  readonly secondFactor: boolean;
  /** When they did, where that may be long ago: a provider need not ask each time. @default now */
  readonly provenAt?: string;
}

/** A session that is planned, with the secret of its cookie. */
export interface Planned {
  readonly session: Session;
  /** Value of the cookie `quarterdeck.session-token`. */
  readonly cookie: string;
  /** Whether the user never signed in before. */
  readonly first: boolean;
}

/**
 * Opens a session for a user who gave all that the account asks for.
 *
 * @param user The user as read before the credentials were checked, which takes a while.
 * @throws {ApiError} UNAUTHORIZED, as `unchangedUser`.
 */
export async function signIn(
  store: Store,
  tokens: Tokens,
  user: User,
  client: Client,
  proof: Proof = { method: "password", secondFactor: false },
): Promise<SignedIn & Planned> {
  const planned = await store.transact(
    actorOf(user, client),
    async (tx) => await planSession(tx, tokens, await unchangedUser(tx, user), client, proof),
  );
  return { ...await issue(tokens, planned.session), ...planned };
}

/**
 * The user as a plan sees them.
 *
 * @throws {ApiError} UNAUTHORIZED when the account was disabled or deleted since, or has another password: such a
 * change ends all sessions, so none may begin after it.
 */
export async function unchangedUser(tx: Transaction, user: User): Promise<User> {
  const current = await tx.from(users).get(user.id);
  if (current?.status !== "active" || current.passwordHash !== user.passwordHash) {
    throw new ApiError("UNAUTHORIZED", "E-mail or password is wrong");
  }
  return current;
}

/** Plans a session, and that the audit log tells of it (ASVS 16.3.1). @param user As the plan has read them. */
export async function planSession(
  tx: Transaction,
  tokens: Tokens,
  user: User,
  client: Client,
  { method, secondFactor, provenAt = tx.now }: Proof,
): Promise<Planned> {
  const cookie = randomToken();
  const first = user.lastLoginAt === undefined;
  tx.update(users, user, { lastLoginAt: tx.now });
  await endUnused(tx, user.id);
  const session = tx.insert(sessions, {
    userId: user.id,
    refreshJti: crypto.randomUUID(),
    refreshIssuedAt: seconds(tx.now),
    cookieHash: sha256(cookie),
    lastUsedAt: tx.now,
    expiresAt: expiry(tx.now, tokens),
    ip: client.ip,
    userAgent: client.userAgent?.slice(0, MAX_USER_AGENT),
    method,
    provenAt,
    secondFactor,
  });
  const act = { action: SIGN_IN, target: users.name, targetId: user.id, targetName: user.name };
  const changes: AuditChange[] = [
    { field: "method", after: method },
    { field: "secondFactor", after: secondFactor },
  ];
  tx.insert(
    auditLog,
    auditEntry(actorOf(user, client), { ...act, changes: JSON.stringify(changes) }),
  );
  return { session, cookie, first };
}

/**
 * Exchanges a refresh token for a new pair. A token older than the grace allows ends the whole session. Each exchange is
 * a commit, so a session has only so many of them.
 *
 * @returns Null when the token is not good, for whatever reason.
 * @throws {ApiError} RATE_LIMITED
 */
export async function rotate(
  { store, tokens, limiter }: Pick<Services, "store" | "tokens" | "limiter">,
  refreshToken: string,
  client: Client,
): Promise<SignedIn | null> {
  const claims = await tokens.verify("refresh", refreshToken);
  if (!claims) return null;
  limiter.take("rotation", { account: claims.sid });
  const actor = { userId: claims.userId, ip: client.ip };
  const session = await store.transact(actor, async (tx) => {
    const session = await tx.from(sessions).get(claims.sid);
    const user = await tx.from(users).get(claims.userId);
    if (!session || session.userId !== user?.id || user.status !== "active") return null;
    if (claims.jti === session.refreshJti) {
      return tx.update(sessions, session, {
        refreshJti: crypto.randomUUID(),
        refreshIssuedAt: seconds(tx.now),
        previousJti: claims.jti,
        rotatedAt: tx.now,
        lastUsedAt: tx.now,
        expiresAt: expiry(tx.now, tokens),
        ip: client.ip,
      });
    }
    if (claims.jti === session.previousJti && withinGrace(session, tx.now)) return session;
    tx.remove(sessions, session);
    return null;
  });
  return session && await issue(tokens, session);
}

/** The difference counts in both directions: after the clock was set back, the rotation seems to lie in the future. */
function withinGrace(session: Session, now: string): boolean {
  return session.rotatedAt !== undefined &&
    Math.abs(Date.parse(now) - Date.parse(session.rotatedAt)) <= ROTATION_GRACE;
}

/** The pair of a session: the refresh token is the same one each time until it is rotated. */
export async function issue(tokens: Tokens, session: Session): Promise<SignedIn> {
  const subject = { userId: session.userId, sid: session.id, issuedAt: session.refreshIssuedAt };
  const [accessToken, refreshToken] = await Promise.all([
    tokens.sign("access", { ...subject, jti: `${session.refreshJti}.a` }),
    tokens.sign("refresh", { ...subject, jti: session.refreshJti }),
  ]);
  return { accessToken, refreshToken, expiresIn: tokens.lifetimes.access };
}

/**
 * A younger access token of the same session, for browsers, which hold no refresh token.
 *
 * @returns Null while the token has half of its life left, and when the session would end before the new one.
 */
export async function renewToken(
  tokens: Tokens,
  session: Session,
  token: string,
  now: Date,
): Promise<string | null> {
  const lifetime = tokens.lifetimes.access;
  const issuedAt = seconds(now.toISOString());
  const claims = tokens.recall(token);
  if (!claims || claims.exp - issuedAt > lifetime / 2) return null;
  if ((issuedAt + lifetime) * 1000 > Date.parse(session.expiresAt)) return null;
  const jti = crypto.randomUUID();
  return await tokens.sign("access", { userId: session.userId, sid: session.id, jti, issuedAt });
}

/** Makes room for one more session of the user. Sign-ins at once wait for each other: each writes the user. */
async function endUnused(tx: Transaction, userId: string): Promise<void> {
  const unused = { where: { userId }, sort: "lastUsedAt", limit: ENDED_AT_ONCE };
  const { rows, total } = await tx.from(sessions).list(unused);
  for (const session of rows.slice(0, Math.max(0, total + 1 - MAX_SESSIONS))) {
    tx.remove(sessions, session);
  }
}

/** Plans the end of a user's sessions, but for one that may go on. */
export async function endSessions(tx: Transaction, userId: string, except?: string): Promise<void> {
  for (const session of await everyMatch(tx, sessions, { userId })) {
    if (session.id !== except) tx.remove(sessions, session);
  }
}

/** Plans that sessions of a user count as begun without the second factors that they were begun with. */
export async function endGivenFactors(tx: Transaction, userId: string): Promise<void> {
  for (const session of await everyMatch(tx, sessions, { userId })) {
    if (session.secondFactor) tx.update(sessions, session, { secondFactor: false });
  }
}

/**
 * Plans that what a user proved in sessions counts no longer, but for one: they have a second factor now, which whoever
 * uses the others has not given.
 */
export async function endProofs(tx: Transaction, userId: string, except: string): Promise<void> {
  for (const session of await everyMatch(tx, sessions, { userId })) {
    if (session.id !== except) tx.update(sessions, session, { provenAt: NEVER });
  }
}

/**
 * Plans the end of links that were mailed for a user: those that set the password, and those that prove an address.
 *
 * @param purposes Of links that prove an address. @default all
 */
export async function endMailedLinks(
  tx: Transaction,
  userId: string,
  purposes: readonly EmailLink["purpose"][] = ["verify", "change"],
): Promise<void> {
  for (const reset of await everyMatch(tx, passwordResets, { userId })) {
    tx.remove(passwordResets, reset);
  }
  for (const link of await everyMatch(tx, emailLinks, { userId })) {
    if (purposes.includes(link.purpose)) tx.remove(emailLinks, link);
  }
}

export function actorOf(user: User, { ip, actor }: Client): Actor {
  return { userId: user.id, ip, requestId: actor?.requestId };
}

function seconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}

function expiry(now: string, tokens: Tokens): string {
  return new Date(Date.parse(now) + tokens.lifetimes.refresh * 1000).toISOString();
}
