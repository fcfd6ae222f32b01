// Registering, signing in and out, and recovering a password: what the API and the pages do alike.
import { ApiError, forbidden } from "../../core/errors.ts";
import { turns } from "../../core/turns.ts";
import { DEFAULT_ROLE } from "../../models/roles.ts";
import { type SignInChallenge, signInChallenges } from "../../models/second_factors.ts";
import { sessions } from "../../models/sessions.ts";
import { type PublicUser, type User, users } from "../../models/users.ts";
import type { Actor, Transaction } from "../../storage/port.ts";
import {
  emailOfReset,
  hashNewPassword,
  invalidLink,
  mailedLink,
  planPasswordReset,
  requireLoginForm,
  resetPassword,
  verifyCredentials,
} from "./accounts.ts";
import { passwordResetMail, secondFactorGuessedMail } from "../messaging/mails.ts";
import type { Services, Visitor } from "../services.ts";
import type { Caller } from "./rate_limits.ts";
import { tellOfNewDevice } from "./devices.ts";
import { planChallenge, planFailure, waitingSignIn } from "./challenges.ts";
import { methodsOf, type SecondFactorMethod, takeCode, type Taking } from "./second_factors.ts";
import {
  actorOf,
  issue,
  type Planned,
  planSession,
  type Proof,
  type SignedIn,
  unchangedUser,
} from "./sessions.ts";
import { publicUserOf } from "../access/users.ts";
import { tellOfPassword } from "./password_changes.ts";
import { mailVerification, planEmailLink, tellOwner } from "./verification.ts";

/** A session that was just opened. */
export interface Opened {
  readonly pair: SignedIn;
  /** Value of the cookie `quarterdeck.session-token`. */
  readonly cookie: string;
  /** Value of the cookie `quarterdeck.device`. */
  readonly device: string;
  readonly user: PublicUser;
}

/** The credentials were right, and the account has a second factor: no session is open yet. */
export interface Challenged {
  /** To be sent back with a code of the second factor, or the answer of a passkey. */
  readonly challenge: string;
  /** What the account takes. */
  readonly methods: readonly SecondFactorMethod[];
}

const BY_PASSWORD: Proof = { method: "password", secondFactor: false };

/**
 * Signs in by e-mail and password. Only failures count against the limit `login`. Successes count against a limit of
 * their own, `signIn`, because each makes a session.
 *
 * @throws {ApiError} UNAUTHORIZED, the same for every reason; RATE_LIMITED.
 */
export async function logIn(
  visitor: Visitor,
  { email, password, refreshToken }: { email: string; password: string; refreshToken?: string },
): Promise<Opened | Challenged> {
  const { limiter, store, settings } = visitor.services;
  requireLoginForm(settings, password);
  const caller = await callerOf(visitor, email, refreshToken);
  limiter.assertFree("signIn", caller);
  const user = await limiter.attempt(
    "login",
    caller,
    () => verifyCredentials(store, email, password),
  );
  if (!user) throw new ApiError("UNAUTHORIZED", "E-mail or password is wrong");
  limiter.take("signIn", caller);
  return await openSession(visitor, user);
}

/**
 * The end of a sign-in by password, which the user has proven: opens a session, unless the account has a second factor.
 *
 * @throws {ApiError} UNAUTHORIZED when the account was disabled, deleted or got another password meanwhile.
 */
export async function openSession(
  visitor: Visitor,
  user: User,
): Promise<Opened | Challenged> {
  const planned = await visitor.services.store.transact(
    actorOf(user, visitor),
    async (tx) => await planSignIn(tx, visitor, await unchangedUser(tx, user), BY_PASSWORD),
  );
  return await signedIn(visitor, planned);
}

/** Plans the end of a sign-in. @param user As the plan has read them: active, and who was proven. */
export async function planSignIn(
  tx: Transaction,
  visitor: Visitor,
  user: User,
  proof: Proof,
): Promise<Planned | Challenged> {
  const methods = proof.secondFactor ? [] : await methodsOf(tx, user.id);
  if (methods.length > 0) {
    return { challenge: await planChallenge(tx, user, proof.method), methods };
  }
  return await planSession(tx, visitor.services.tokens, user, visitor, proof);
}

/** What a sign-in that was planned, and is committed now, is answered with. */
export async function signedIn(
  visitor: Visitor,
  planned: Planned | Challenged,
): Promise<Opened | Challenged> {
  return "challenge" in planned ? planned : await openedSession(visitor, planned);
}

/** Ends a sign-in that waits for the second factor, by a code. @throws {ApiError} UNAUTHORIZED, RATE_LIMITED */
export async function answerChallenge(
  visitor: Visitor,
  { challenge: token, code }: { challenge: string; code: string },
): Promise<Opened> {
  const { settings } = visitor.services;
  return await endChallenge(visitor, token, {
    refusal: "The code is wrong or was used: take the one that is shown now",
    prove: ({ user }) => (tx) => takeCode(tx, settings, user.id, code),
  });
}

/**
 * Ends a sign-in that waits for the second factor. Wrong answers end it after a few, and count against `secondFactor`.
 *
 * @param answer What is checked before the plan, and what is told of a wrong one.
 * @throws {ApiError} UNAUTHORIZED, RATE_LIMITED
 */
export async function endChallenge(
  visitor: Visitor,
  token: string,
  { prove, refusal }: {
    prove(waiting: { challenge: SignInChallenge; user: User }): Taking | Promise<Taking>;
    readonly refusal: string;
  },
): Promise<Opened> {
  const { store, tokens, limiter, clock } = visitor.services;
  const waiting = await waitingSignIn(store, token, clock().toISOString());
  const { user } = waiting;
  const device = (await callerOf(visitor, user.email)).device;
  const caller = { address: visitor.ip, account: user.id, device };
  const planned = await limiter.attempt("secondFactor", caller, async () => {
    const take = await prove(waiting);
    const outcome = await store.transact(actorOf(user, visitor), async (tx) => {
      const { challenge, user } = await waitingSignIn(tx, token, tx.now);
      if (!await take(tx)) return { ended: planFailure(tx, challenge) };
      tx.remove(signInChallenges, challenge);
      const proof = { method: challenge.method, secondFactor: true };
      return await planSession(tx, tokens, user, visitor, proof);
    });
    if ("session" in outcome) return outcome;
    // Whoever leaves each sign-in before it ends makes more of them.
    const mistyped = limiter.tryTake("mistypedCode", { account: user.id });
    if (outcome.ended || !mistyped) tellOfGuesses(visitor, waiting);
    return null;
  });
  if (planned) return await openedSession(visitor, planned);
  throw new ApiError("UNAUTHORIZED", refusal);
}

/** Whoever guesses at codes has the password, or the account at the provider: its owner has to know. */
function tellOfGuesses(
  { services }: Visitor,
  { challenge, user }: { readonly challenge: SignInChallenge; readonly user: User },
): void {
  const compose = () => secondFactorGuessedMail(user, challenge.method === "provider");
  tellOwner(services, user, compose, { limit: "guessMail" });
}

/** What a client gets of a session that is committed. */
export async function openedSession(
  visitor: Visitor,
  { session, cookie, first }: Planned,
): Promise<Opened> {
  const { store, tokens, visits } = visitor.services;
  const { userId } = session;
  visits.visit(userId);
  const pair = await issue(tokens, session);
  const device = await rememberDevice(visitor, userId);
  const user = await store.from(users).get(userId);
  // Deleted in this very moment: its session is gone too.
  if (!user) throw new ApiError("UNAUTHORIZED", "E-mail or password is wrong");
  const known = await isKnownDevice(visitor, userId);
  await tellOfNewDevice(visitor.services, user, session, { known, first });
  return { pair, cookie, device, user: await publicUserOf(store, user) };
}

/**
 * Creates an account with the role `user`; nobody is signed in by it. A link that proves its address is mailed.
 *
 * @throws {ApiError} FORBIDDEN when registration is closed, VALIDATION_ERROR, RATE_LIMITED.
 * @throws {UniqueConflict} The e-mail is taken.
 */
export async function register(
  visitor: Visitor,
  form: { name: string; email: string; password: string; confirmPassword?: string },
): Promise<User> {
  const { settings, limiter, store } = visitor.services;
  if (!settings.registration) throw forbidden("Registration is closed: ask an administrator");
  limiter.take("register", { address: visitor.ip });
  const { name, email, password, confirmPassword } = form;
  const passwordHash = await hashNewPassword(password, { confirm: confirmPassword });
  const { user, token } = await store.transact(visitor.actor, async (tx) => {
    const user = tx.insert(users, {
      name,
      email,
      passwordHash,
      role: DEFAULT_ROLE,
      permissions: [],
      status: "active",
      unverifiedSince: settings.emailVerification ? tx.now : undefined,
    });
    const token = settings.emailVerification ? await planEmailLink(tx, user, "verify") : null;
    return { user, token };
  });
  if (token !== null) mailVerification(visitor.services, user, token, visitor.ip);
  return user;
}

/** Ends a session and its tokens. */
export async function logOut(services: Services, actor: Actor, sessionId: string): Promise<void> {
  await services.store.transact(actor, async (tx) => {
    const session = await tx.from(sessions).get(sessionId);
    if (session) tx.remove(sessions, session);
  });
}

/**
 * Mails a link that sets a new password, if there is such an account. The caller does not wait for the work, so the
 * time of the answer does not tell whether there is one. Nobody is kept from a link by others who ask for the same
 * account: see `resetMail` in limits.ts.
 *
 * @throws {ApiError} RATE_LIMITED
 * @throws {StoreUnavailable} Nothing would be on its way.
 */
export async function requestPasswordReset(visitor: Visitor, email: string): Promise<void> {
  const { limiter, settings, mailer, store } = visitor.services;
  limiter.take("forgotPassword", await callerOf(visitor, email));
  await store.ping();
  mailer.inBackground(async () => {
    const known = await store.from(users).findBy("email", email);
    // Counted outside the plan, which may run again, and before it, so that requests at the same time are counted too.
    if (known?.status !== "active" || !limiter.tryTake("resetMail", { account: email })) {
      return null;
    }
    const planned = await store.transact(visitor.actor, async (tx) => {
      // Read in the plan: a link that is committed is mailed to the address which the account has in that commit.
      const user = await tx.from(users).findBy("email", email);
      if (user?.status !== "active") return null;
      const token = await planPasswordReset(tx, user);
      return token === null ? null : { user, token };
    });
    if (!planned) return null;
    const { user, token } = planned;
    return passwordResetMail(user, mailedLink(settings, "reset-password", token));
  }, { urgent: true, sender: visitor.ip });
}

/** By token: requests with the same one wait for each other, so that no more is hashed than one password a link. */
const opening = turns();

/**
 * Sets a new password with the token of a link. Only tokens that are unknown or expired count against the rate limit,
 * so those who guess at links do not hold up whoever has one.
 *
 * @returns Value of the cookie `quarterdeck.device`: the device is the account's from now on.
 * @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED
 */
export async function completePasswordReset(
  visitor: Visitor,
  form: { token: string; password: string; confirmPassword?: string },
): Promise<string> {
  const { limiter, store, clock } = visitor.services;
  const user = await opening(form.token, async () => {
    if (await emailOfReset(store, form.token, clock()) === null) {
      limiter.take("resetPassword", { address: visitor.ip });
      throw invalidLink();
    }
    const passwordHash = await hashNewPassword(form.password, { confirm: form.confirmPassword });
    return await resetPassword(store, form.token, passwordHash);
  });
  limiter.clear("login", user.email);
  tellOfPassword(visitor.services, user, "It was set by a link that was mailed to you.");
  return await rememberDevice(visitor, user.id);
}

/** The caller for the rate limits, with the device where the account has signed in from it before. */
export async function callerOf(
  visitor: Visitor,
  email: string,
  refreshToken?: string,
): Promise<Caller> {
  const caller = { address: visitor.ip, account: email };
  const { store, tokens } = visitor.services;
  for (const token of [visitor.device, refreshToken]) {
    const device = token ? await tokens.deviceOf(token) : null;
    if (!device) continue;
    const user = await store.from(users).findBy("email", email);
    if (user && device.userIds.includes(user.id)) return { ...caller, device: device.id };
  }
  return caller;
}

async function isKnownDevice({ services, device }: Visitor, userId: string): Promise<boolean> {
  const known = device ? await services.tokens.deviceOf(device) : null;
  return known?.userIds.includes(userId) ?? false;
}

/** The device's token, with this account first. */
async function rememberDevice({ services, device }: Visitor, userId: string): Promise<string> {
  const known = device ? await services.tokens.deviceOf(device) : null;
  const others = known?.userIds.filter((id) => id !== userId) ?? [];
  const id = known?.id ?? crypto.randomUUID();
  return await services.tokens.signDevice({ id, userIds: [userId, ...others] });
}
