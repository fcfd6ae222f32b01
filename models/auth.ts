// What the authentication routes take and give. Imports zod only.
import { z } from "zod";
import { timestamp } from "./collection.ts";
import { password } from "./passwords.ts";
import { emailAddress } from "./requests.ts";
import { publicUser } from "./users.ts";

export const loginRequest = z.object({
  email: emailAddress,
  /** Not held to the rules for new passwords: the answer to a short one is that it is wrong. */
  password: z.string().max(1024),
});

export const refreshRequest = z.object({ refreshToken: z.string().min(1).max(4096) });

export const forgotPasswordRequest = z.object({ email: emailAddress });

export const resetPasswordRequest = z.object({
  token: z.string().min(1).max(200),
  password,
  confirmPassword: z.string().optional(),
});

export const changePasswordRequest = z.object({
  currentPassword: z.string().max(1024),
  newPassword: password,
  confirmPassword: z.string().optional(),
});

export const tokenPair = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Of the access token, in seconds. */
  expiresIn: z.number(),
}).meta({ id: "TokenPair" });

export const signedIn = tokenPair.extend({ user: publicUser }).meta({ id: "SignedIn" });

export const publicSession = z.object({
  id: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  expiresAt: timestamp,
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  /** True for the session that asks. */
  current: z.boolean(),
}).meta({ id: "Session" });
