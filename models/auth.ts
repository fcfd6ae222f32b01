// What the authentication routes take and give. Imports zod only.
import { z } from "zod";
import { timestamp } from "./collection.ts";
import { flagFilter } from "./list_query.ts";
import { password } from "./passwords.ts";
import { emailAddress } from "./requests.ts";
import { signInMethod } from "./sessions.ts";
import { publicUser } from "./users.ts";

export const loginRequest = z.object({
  email: emailAddress,
  /** Not held to the rules for new passwords: one that is too short is simply a wrong password. */
  password: z.string().max(1024),
  /** Token of an earlier session. For clients without cookies, it shows that this device has signed in before. */
  refreshToken: z.string().max(4096).optional(),
});

/** For single-page apps: what lives long stays out of the reach of their scripts. */
export const refreshCookieQuery = z.object({
  cookie: flagFilter.meta({
    description:
      "With true, a cookie that no script reads holds the refresh token, and the body does not",
  }),
});

export const refreshRequest = z.preprocess(
  (body) => body ?? {},
  z.object({
    /** Not needed where a cookie holds it, with `?cookie=true`: nor is a body. */
    refreshToken: z.string().min(1).max(4096).optional(),
  }),
);

export const forgotPasswordRequest = z.object({ email: emailAddress });

export const resetPasswordRequest = z.object({
  token: z.string().min(1).max(200),
  password,
  confirmPassword: z.string().optional(),
});

export const verifyEmailRequest = z.object({
  token: z.string().min(1).max(200),
  /** The password of the account; whoever does not know it sets a new one in `newPassword`. */
  password: z.string().max(1024).optional(),
  newPassword: password.optional(),
  confirmPassword: z.string().optional(),
});

export const confirmEmailRequest = z.object({
  token: z.string().min(1).max(200),
  /** The password of the account. */
  password: z.string().max(1024),
});

export const changePasswordRequest = z.object({
  currentPassword: z.string().max(1024),
  newPassword: password,
  confirmPassword: z.string().optional(),
});

export const tokenPair = z.object({
  accessToken: z.string(),
  /** Absent where a cookie holds it. */
  refreshToken: z.string().optional(),
  /** Seconds for which the access token is valid. */
  expiresIn: z.number(),
}).meta({ id: "TokenPair" });

export const signedIn = tokenPair.extend({ user: publicUser }).meta({ id: "SignedIn" });

/** A sign-in that waits for the second factor. */
export const challenged = z.object({
  mfaRequired: z.literal(true),
  /** To be sent to POST /auth/mfa with a code, or to POST /auth/mfa/passkey, within five minutes. */
  challenge: z.string(),
  /** What the account takes; a recovery code always does. */
  methods: z.array(z.enum(["totp", "passkey", "recoveryCode"])),
}).meta({ id: "Challenged" });

export const signedInOrChallenged = z.union([signedIn, challenged]);

export const publicSession = z.object({
  id: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  expiresAt: timestamp,
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  /** Such as "Firefox on Windows", as far as the user agent tells it. */
  device: z.string().optional(),
  /** As far as the address tells it. */
  place: z.string().optional(),
  /** True while a super_admin acts as the user by it. */
  impersonated: z.boolean(),
  /** How it was opened. */
  method: signInMethod.optional(),
  /** True for the session that asks. */
  current: z.boolean(),
}).meta({ id: "Session" });
