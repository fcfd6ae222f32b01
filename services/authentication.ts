// Registering, signing in and out, and recovering a password: what the API and the pages do alike.
import { ApiError, forbidden } from "../errors.ts";
import { sessions } from "../models/sessions.ts";
import { type PublicUser, type User, users } from "../models/users.ts";
import type { Actor } from "../store.ts";
import {
  hashNewPassword,
  planPasswordReset,
  requireConfirmation,
  requireLoginForm,
  resetLink,
  resetPassword,
  verifyCredentials,
} from "./accounts.ts";
import { passwordResetMail } from "./mails.ts";
import type { Services } from "./services.ts";
import { type SignedIn, signIn } from "./sessions.ts";
import { publicUserOf } from "./users.ts";

/** Whoever asks, before they are known. */
export interface Visitor {
  readonly services: Services;
  readonly actor: Actor;
  /** The address of the client. */
  readonly ip: string;
  readonly userAgent: string | undefined;
}

/** A fresh session. */
export interface Opened {
  readonly pair: SignedIn;
  /** Value of the cookie `quarterdeck.session-token`. */
  readonly cookie: string;
  readonly user: PublicUser;
}

/** The role of whoever registers. */
const NEW_USER_ROLE = "user";

/**
 * Signs in by e-mail and password. Only failures count against the rate limit.
 *
 * @throws {ApiError} UNAUTHORIZED, the same for every reason; RATE_LIMITED.
 */
export async function logIn(
  visitor: Visitor,
  { email, password }: { email: string; password: string },
): Promise<Opened> {
  const { limiter, store, config } = visitor.services;
  requireLoginForm(config, password);
  const user = await limiter.attempt(
    "login",
    { address: visitor.ip, account: email },
    () => verifyCredentials(store, email, password),
  );
  if (!user) throw new ApiError("UNAUTHORIZED", "E-mail or password is wrong");
  return await openSession(visitor, user);
}

/** Opens a session for a user whose credentials are proven. */
export async function openSession(visitor: Visitor, user: User): Promise<Opened> {
  const { store, tokens, visits } = visitor.services;
  const { cookie, session: _, ...pair } = await signIn(store, tokens, user, visitor);
  visits.visit(user.id);
  const fresh = await store.from(users).get(user.id) ?? user;
  return { pair, cookie, user: await publicUserOf(store, fresh) };
}

/**
 * Creates an account with the role `user`; nobody is signed in by it.
 *
 * @throws {ApiError} FORBIDDEN when registration is closed, VALIDATION_ERROR, RATE_LIMITED.
 * @throws {UniqueConflict} The e-mail is taken.
 */
export async function register(
  visitor: Visitor,
  form: { name: string; email: string; password: string; confirmPassword?: string },
): Promise<User> {
  const { config, limiter, store } = visitor.services;
  if (!config.registration) throw forbidden("Registration is closed: ask an administrator");
  limiter.assertFree("register", visitor.ip);
  limiter.hit("register", visitor.ip);
  const { name, email, password, confirmPassword } = form;
  requireConfirmation(config, confirmPassword);
  const passwordHash = await hashNewPassword(password, { confirm: confirmPassword });
  return await store.transact(visitor.actor, (tx) =>
    tx.insert(users, {
      name,
      email,
      passwordHash,
      role: NEW_USER_ROLE,
      permissions: [],
      status: "active",
    }));
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
 * time of the answer tells nothing.
 *
 * @throws {ApiError} RATE_LIMITED
 */
export function requestPasswordReset(visitor: Visitor, email: string): void {
  const { limiter, config, mailer, store } = visitor.services;
  limiter.assertFree("forgotPassword", visitor.ip, email);
  limiter.hit("forgotPassword", visitor.ip, email);
  mailer.inBackground(async () => {
    const user = await store.from(users).findBy("email", email);
    if (!user || user.status !== "active") return null;
    const token = await store.transact(visitor.actor, (tx) => planPasswordReset(tx, user));
    return passwordResetMail(user, resetLink(config, token));
  });
}

/**
 * Sets a new password with the token of a link.
 *
 * @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED
 */
export async function completePasswordReset(
  visitor: Visitor,
  form: { token: string; password: string; confirmPassword?: string },
): Promise<void> {
  const { limiter, store } = visitor.services;
  limiter.assertFree("resetPassword", visitor.ip);
  limiter.hit("resetPassword", visitor.ip);
  const passwordHash = await hashNewPassword(form.password, { confirm: form.confirmPassword });
  await resetPassword(store, form.token, passwordHash);
}
