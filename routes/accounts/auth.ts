// Signing up, in and out, refreshing, and recovering or changing a password.
import { z } from "zod";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import {
  clearedCookies,
  deviceCookie,
  REFRESH_COOKIE,
  refreshCookie,
  sessionCookies,
  tokenCookie,
} from "../../http/cookies.ts";
import type { Settings } from "../../config/settings.ts";
import type { Variant } from "../../config/variants.ts";
import { type Answer, type Call, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { visitorOf } from "../../http/visitor.ts";
import { ApiError, invalidFields } from "../../core/errors.ts";
import {
  challenged,
  changePasswordRequest,
  confirmEmailRequest,
  forgotPasswordRequest,
  loginRequest,
  refreshCookieQuery,
  refreshRequest,
  resetPasswordRequest,
  signedInOrChallenged,
  tokenPair,
  verifyEmailRequest,
} from "../../models/auth.ts";
import { publicUser, registration, users } from "../../models/users.ts";
import {
  hashNewPassword,
  newPasswordProblems,
  planPasswordChange,
} from "../../services/accounts/accounts.ts";
import {
  type Challenged,
  completePasswordReset,
  logIn,
  logOut,
  type Opened,
  openSession,
  register as createAccount,
  requestPasswordReset,
} from "../../services/accounts/authentication.ts";
import { tellOfPassword } from "../../services/accounts/password_changes.ts";
import { proveCaller, wrongPassword } from "../../services/accounts/proof.ts";
import { sessionOf } from "../../services/accounts/principals.ts";
import { rotate } from "../../services/accounts/sessions.ts";
import {
  confirmEmailChange,
  resendVerification,
  verifyEmail,
} from "../../services/accounts/verification.ts";
import { publicUserOf } from "../../services/access/users.ts";
import type { Visitor } from "../../services/services.ts";

const tag = "Authentication";

/**
 * The answer to a new sign-in: it carries the tokens in every place where the clients of a variant look for them; or
 * what a sign-in that waits for the second factor is ended with.
 */
export function opened(
  { services: { settings }, context, query }: SignInCall,
  result: Opened | Challenged,
): Answer<z.input<typeof signedInOrChallenged>> {
  const both = settings.variant.signIn === "pair";
  if ("challenge" in result) {
    const waiting = { mfaRequired: true as const, ...result, methods: [...result.methods] };
    return { data: both ? waiting : undefined, extra: waiting };
  }
  const { cookie, device, user } = result;
  const token = result.pair.accessToken;
  const { pair, cookies } = handedOver({ services: { settings }, context, query }, result.pair);
  return {
    data: both ? { ...pair, user } : undefined,
    extra: { ...(both ? pair : {}), user, token },
    cookies: [...sessionCookies(context, settings, { token, session: cookie, device }), ...cookies],
  };
}

/** A call that may ask for the refresh token as a cookie. */
interface SignInCall {
  readonly services: { readonly settings: Settings };
  readonly context: Context;
  readonly query: z.output<typeof refreshCookieQuery>;
}

/** The refresh token leaves in the body or in a cookie, never in both. */
function handedOver({ services: { settings }, context, query }: SignInCall, pair: Opened["pair"]) {
  if (!query.cookie) return { pair, cookies: [] };
  const { refreshToken, ...rest } = pair;
  return { pair: rest, cookies: [refreshCookie(context, settings, refreshToken)] };
}

const pairOnTop = { accessToken: z.string(), refreshToken: z.string().optional() };
export const signedInOnTop = { ...pairOnTop, user: publicUser, token: z.string() };

/** The endpoint where a sign-in answers with `user` and `token` alone, beside no data. */
export function signingIn(endpoint: Endpoint, { signIn }: Variant): Endpoint {
  const alone = signIn === "token" && endpoint.data === signedInOrChallenged;
  return alone ? { ...endpoint, data: undefined } : endpoint;
}

const login = endpoint({
  operationId: "login",
  method: "post",
  path: "/auth/login",
  tag,
  summary: "Log in",
  description:
    "A device that has signed in before is known by the cookie quarterdeck.device, or by a refreshToken of an " +
    "earlier session in the body: failures of others do not hold it up. An account with a second factor is answered " +
    "with a challenge and no token: see POST /auth/mfa.",
  access: "public",
  secret: true,
  query: refreshCookieQuery,
  body: loginRequest,
  data: signedInOrChallenged,
  extra: { ...signedInOnTop, ...challenged.shape },
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  handle: async (call) => opened(call, await logIn(visitorOf(call), call.body)),
});

const register = endpoint({
  operationId: "register",
  method: "post",
  path: "/auth/register",
  tag,
  summary: "Register and sign in",
  description:
    "A link is mailed that confirms the address (see verify-email). Until then the account works, but no mail goes " +
    "out in its name, and it gets no role above the default.",
  access: "public",
  secret: true,
  created: true,
  limits: { network: ["register"] },
  query: refreshCookieQuery,
  body: registration,
  problems: (body, { variant }) => newPasswordProblems(body, { confirm: variant.confirmPassword }),
  data: signedInOrChallenged,
  extra: signedInOnTop,
  errors: ["FORBIDDEN", "CONFLICT", "RATE_LIMITED"],
  async handle(call) {
    const visitor = visitorOf(call);
    const user = await createAccount(visitor, call.body);
    if (call.services.settings.variant.signIn === "pair") {
      return opened(call, await openSession(visitor, user));
    }
    return { extra: { user: await publicUserOf(call.store, user) } };
  },
});

const refresh = endpoint({
  operationId: "refreshTokens",
  method: "post",
  path: "/auth/refresh",
  tag,
  summary: "Exchange a refresh token for a new pair",
  description:
    "Refresh tokens rotate. The one before the current is accepted for 10 seconds more; anything older ends the " +
    "session. With ?cookie=true it comes from the cookie that signing in with ?cookie=true has set.",
  access: "public",
  secret: true,
  query: refreshCookieQuery,
  body: refreshRequest,
  data: tokenPair,
  extra: { ...pairOnTop, token: z.string() },
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  async handle(call) {
    const { limiter, settings } = call.services;
    const rotated = await rotate(call.services, refreshTokenOf(call), { ip: call.ip });
    if (!rotated) {
      limiter.take("refresh", { address: call.ip });
      throw new ApiError("UNAUTHORIZED", "The refresh token is invalid, expired or already used");
    }
    const { pair, cookies } = handedOver(call, rotated);
    return {
      data: pair,
      extra: { ...pair, token: pair.accessToken },
      cookies: settings.variant.cookies
        ? [...cookies, tokenCookie(call.context, settings, pair.accessToken)]
        : cookies,
    };
  },
});

/** @throws {ApiError} VALIDATION_ERROR where there is none. */
function refreshTokenOf(
  { query, body, context }: Pick<
    Call<"public", string, SignInCall["query"], z.output<typeof refreshRequest>>,
    "query" | "body" | "context"
  >,
): string {
  const token = query.cookie ? getCookie(context, REFRESH_COOKIE) : body.refreshToken;
  if (token) return token;
  throw query.cookie
    ? new ApiError("UNAUTHORIZED", "There is no cookie with a refresh token")
    : invalidFields([{ field: "refreshToken", message: "is required" }]);
}

const logout = endpoint({
  operationId: "logout",
  method: "post",
  path: "/auth/logout",
  tag,
  summary: "Log out: the session and its tokens end at once",
  access: "authenticated",
  ownSession: true,
  beforeSecondFactor: true,
  secret: true,
  async handle(call) {
    await logOut(call.services, call.actor, sessionOf(call.principal).id);
    return {
      message: "You are logged out",
      cookies: clearedCookies(call.context, call.services.settings),
    };
  },
});

/** Asked for or completed by a mailed link, by whoever has it: what these routes have in common. */
function byMail<const P extends string, B extends z.ZodType>(
  { submit, message, errors = [], ...declaration }:
    & Pick<
      Endpoint<"public", P, z.ZodType, B>,
      "operationId" | "path" | "summary" | "description" | "errors"
    >
    & { readonly body: B; readonly problems?: Endpoint["problems"]; readonly message: string }
    & {
      /** @returns A value for the cookie `quarterdeck.device` that marks the device as the account's; or none. */
      submit(visitor: Visitor, body: z.output<B>): Promise<string | void>;
    },
): Endpoint {
  return endpoint({
    ...declaration,
    method: "post",
    tag,
    access: "public",
    secret: true,
    errors: [...errors, "RATE_LIMITED"],
    async handle(call) {
      const device = await submit(visitorOf(call), call.body);
      const { settings } = call.services;
      const cookies = device ? [deviceCookie(call.context, settings, device)] : [];
      return { message, cookies };
    },
  });
}

const forgotPassword = byMail({
  operationId: "forgotPassword",
  path: "/auth/forgot-password",
  summary: "Send a link that sets a new password",
  description: "The answer is the same whether the account exists or not.",
  body: forgotPasswordRequest,
  submit: (visitor, { email }) => requestPasswordReset(visitor, email),
  message: "If there is such an account, a mail with a link is on its way",
});

const resetPassword = byMail({
  operationId: "resetPassword",
  path: "/auth/reset-password",
  summary: "Set a new password with the token of a link",
  body: resetPasswordRequest,
  problems: (body) => newPasswordProblems(body),
  submit: completePasswordReset,
  message: "The password is set: log in with it",
});

const verify = byMail({
  operationId: "verifyEmail",
  path: "/auth/verify-email",
  summary: "Confirm the address of an account that registered itself",
  description:
    "With the token of the mailed link, and the password of the account; or instead of it `newPassword`, for whoever " +
    "did not register the account themselves. Every session that was opened before ends.",
  body: verifyEmailRequest,
  problems: (body) => newPasswordProblems(body, { field: "newPassword" }),
  submit: verifyEmail,
  message: "The address is confirmed: log in",
});

const confirmEmail = byMail({
  operationId: "confirmEmail",
  path: "/auth/confirm-email",
  summary: "Confirm the new address of an account",
  description: "With the token of the link that was mailed there, and the password of the account.",
  body: confirmEmailRequest,
  errors: ["CONFLICT"],
  submit: confirmEmailChange,
  message: "The new address is confirmed: log in with it from now on",
});

const resend = endpoint({
  operationId: "resendVerification",
  method: "post",
  path: "/auth/resend-verification",
  tag,
  summary: "Mail another link that confirms one's address",
  access: "authenticated",
  ownSession: true,
  secret: true,
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const sent = await resendVerification(
      call.services,
      call.principal.user,
      (plan) => call.transact(plan),
    );
    return {
      message: sent ? "A mail with a link is on its way" : "Your address is confirmed already",
    };
  },
});

const changePassword = endpoint({
  operationId: "changePassword",
  method: "post",
  path: "/auth/change-password",
  tag,
  summary: "Change one's password; all other sessions end",
  access: "authenticated",
  ownSession: true,
  secret: true,
  body: changePasswordRequest,
  problems: (body) => newPasswordProblems(body, { field: "newPassword" }),
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { user } = call.principal;
    const session = sessionOf(call.principal);
    const { currentPassword, newPassword, confirmPassword } = call.body;
    call.services.limiter.take("newPassword", { account: session.id });
    await proveCaller(call, currentPassword);
    const passwordHash = await hashNewPassword(newPassword, {
      confirm: confirmPassword,
      field: "newPassword",
    });
    await call.transact(async (tx) => {
      const current = await tx.from(users).get(user.id);
      // If the password was reset since it was proven, the proof no longer counts.
      if (current?.passwordHash !== user.passwordHash) throw wrongPassword();
      await planPasswordChange(tx, current!, passwordHash, { keepSession: session.id });
    });
    tellOfPassword(
      call.services,
      user,
      "It was changed in one of your sessions; the others ended.",
    );
    return { message: "The password is changed; your other sessions are ended" };
  },
});

export const authRoutes = [
  login,
  register,
  refresh,
  logout,
  forgotPassword,
  resetPassword,
  verify,
  resend,
  confirmEmail,
  changePassword,
];
