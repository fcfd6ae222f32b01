// Signing up, in and out, refreshing, and recovering or changing a password.
import { z } from "zod";
import { clearedCookies, sessionCookies, tokenCookie } from "../cookies.ts";
import { type Answer, type Call, endpoint } from "../endpoint.ts";
import { ApiError, invalid } from "../errors.ts";
import {
  changePasswordRequest,
  forgotPasswordRequest,
  loginRequest,
  refreshRequest,
  resetPasswordRequest,
  signedIn,
  tokenPair,
} from "../models/auth.ts";
import { publicUser, registration, users } from "../models/users.ts";
import { hashNewPassword, planPasswordChange } from "../services/accounts.ts";
import {
  completePasswordReset,
  logIn,
  logOut,
  type Opened,
  openSession,
  register as createAccount,
  requestPasswordReset,
  type Visitor,
} from "../services/authentication.ts";
import { verifyPassword } from "../services/passwords.ts";
import { rotate } from "../services/sessions.ts";
import { publicUserOf } from "../services/users.ts";

const tag = "Authentication";

function visitorOf({ services, actor, ip, context }: Call<"public">): Visitor {
  return { services, actor, ip, userAgent: context.req.header("user-agent") };
}

/** The answer to a fresh session: it carries the pair wherever a client may look for it. */
function opened(
  { services: { config }, context }: Pick<Call, "services" | "context">,
  { pair, cookie, user }: Opened,
): Answer<z.input<typeof signedIn>> {
  const token = pair.accessToken;
  const both = config.variant.signIn === "pair";
  return {
    data: both ? { ...pair, user } : undefined,
    extra: { ...(both ? pair : {}), user, token },
    cookies: sessionCookies(context, config, { token, session: cookie }),
  };
}

const pairOnTop = { accessToken: z.string(), refreshToken: z.string() };
const signedInOnTop = { ...pairOnTop, user: publicUser, token: z.string() };

const login = endpoint({
  method: "post",
  path: "/auth/login",
  tag,
  summary: "Log in",
  access: "public",
  secret: true,
  body: loginRequest,
  data: signedIn,
  extra: signedInOnTop,
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  handle: async (call) => opened(call, await logIn(visitorOf(call), call.body)),
});

const register = endpoint({
  method: "post",
  path: "/auth/register",
  tag,
  summary: "Register and sign in",
  access: "public",
  secret: true,
  created: true,
  body: registration,
  data: signedIn,
  extra: signedInOnTop,
  errors: ["FORBIDDEN", "CONFLICT", "RATE_LIMITED"],
  async handle(call) {
    const visitor = visitorOf(call);
    const user = await createAccount(visitor, call.body);
    if (call.services.config.variant.signIn === "pair") {
      return opened(call, await openSession(visitor, user));
    }
    return { extra: { user: await publicUserOf(call.store, user) } };
  },
});

const refresh = endpoint({
  method: "post",
  path: "/auth/refresh",
  tag,
  summary: "Exchange a refresh token for a new pair",
  description:
    "Refresh tokens rotate. The one before the current is accepted for 10 seconds more; " +
    "anything older ends the session.",
  access: "public",
  secret: true,
  body: refreshRequest,
  data: tokenPair,
  extra: { ...pairOnTop, token: z.string() },
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  async handle(call) {
    const { store, tokens, limiter, config } = call.services;
    limiter.assertFree("refresh", call.ip);
    const pair = await rotate(store, tokens, call.body.refreshToken, { ip: call.ip });
    if (!pair) {
      limiter.hit("refresh", call.ip);
      throw new ApiError("UNAUTHORIZED", "The refresh token is invalid, expired or already used");
    }
    const cookies = config.variant.cookies
      ? [tokenCookie(call.context, config, pair.accessToken)]
      : [];
    return { data: pair, extra: { ...pair, token: pair.accessToken }, cookies };
  },
});

const logout = endpoint({
  method: "post",
  path: "/auth/logout",
  tag,
  summary: "Log out: the session and its tokens end at once",
  access: "authenticated",
  secret: true,
  async handle(call) {
    await logOut(call.services, call.actor, call.principal.session.id);
    return {
      message: "You are logged out",
      cookies: clearedCookies(call.context, call.services.config),
    };
  },
});

const forgotPassword = endpoint({
  method: "post",
  path: "/auth/forgot-password",
  tag,
  summary: "Send a link that sets a new password",
  description: "The answer is the same whether the account exists or not.",
  access: "public",
  secret: true,
  body: forgotPasswordRequest,
  errors: ["RATE_LIMITED"],
  handle(call) {
    requestPasswordReset(visitorOf(call), call.body.email);
    return { message: "If there is such an account, a mail with a link is on its way" };
  },
});

const resetPasswordEndpoint = endpoint({
  method: "post",
  path: "/auth/reset-password",
  tag,
  summary: "Set a new password with the token of a link",
  access: "public",
  secret: true,
  body: resetPasswordRequest,
  errors: ["RATE_LIMITED"],
  async handle(call) {
    await completePasswordReset(visitorOf(call), call.body);
    return { message: "The password is set: log in with it" };
  },
});

function wrongPassword(): ApiError {
  return invalid("currentPassword", "The current password is wrong");
}

const changePassword = endpoint({
  method: "post",
  path: "/auth/change-password",
  tag,
  summary: "Change one's password; all other sessions end",
  access: "authenticated",
  secret: true,
  body: changePasswordRequest,
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { user, session } = call.principal;
    const { currentPassword, newPassword, confirmPassword } = call.body;
    const proven = await call.services.limiter.attempt(
      "login",
      { address: call.ip, account: user.email },
      async () => await verifyPassword(currentPassword, user.passwordHash) || null,
    );
    if (!proven) throw wrongPassword();
    const passwordHash = await hashNewPassword(newPassword, {
      confirm: confirmPassword,
      field: "newPassword",
    });
    await call.transact(async (tx) => {
      const current = await tx.from(users).get(user.id);
      // A reset that came in between has the last word.
      if (current?.passwordHash !== user.passwordHash) throw wrongPassword();
      await planPasswordChange(tx, current!, passwordHash, session.id);
    });
    return { message: "The password is changed; your other sessions are ended" };
  },
});

export const authRoutes = [
  login,
  register,
  refresh,
  logout,
  forgotPassword,
  resetPasswordEndpoint,
  changePassword,
];
