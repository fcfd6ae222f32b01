// Sessions, one per sign-in: ending one ends its tokens at once. And one-time links for passwords and addresses.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";

/** How a session was opened. */
export const signInMethod = z.enum(["password", "passkey", "provider"]);

export type SignInMethod = z.infer<typeof signInMethod>;

export const sessions = collection("sessions", {
  userId: z.string(),
  /** `jti` of the refresh token that is valid now. */
  refreshJti: z.string(),
  /** `iat` of that token, in seconds since the epoch: with it, the server can sign the very same token again. */
  refreshIssuedAt: z.number().int(),
  /** `jti` of the refresh token before it, which is accepted for another 10 s after the rotation. */
  previousJti: z.string().optional(),
  rotatedAt: timestamp.optional(),
  /** SHA-256, hex, of the opaque cookie `quarterdeck.session-token`. */
  cookieHash: z.string(),
  lastUsedAt: timestamp,
  expiresAt: timestamp,
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  /** Absent in sessions from before it was kept: they were opened by a password. */
  method: signInMethod.optional(),
  /** When the user last proved who they are: at the sign-in, or since then. Absent: at the sign-in. */
  provenAt: timestamp.optional(),
  /** Whether a second factor was given, or a passkey, which is two in one. */
  secondFactor: z.boolean().optional(),
  /** The super_admin who acts as the user. Not a reference: the log tells of it for longer. */
  impersonatorId: z.string().optional(),
  /** The session of theirs that this one ends with. */
  impersonatorSessionId: z.string().optional(),
}, {
  traits: ["userId"],
  unique: { cookie: ["cookieHash"] },
  filter: ["userId", "expiresAt"],
  sort: ["lastUsedAt", "expiresAt"],
  references: { userId: "users" },
});

export type Session = RecordOf<typeof sessions>;

/** Password reset and invitation links: 256 random bits, stored hashed, used once. */
export const passwordResets = collection("passwordResets", {
  userId: z.string(),
  /** SHA-256, hex. */
  tokenHash: z.string(),
  expiresAt: timestamp,
}, {
  unique: { token: ["tokenHash"] },
  filter: ["userId", "expiresAt"],
  references: { userId: "users" },
});

/** One-time links that prove an address: 256 random bits, stored hashed. */
export const emailLinks = collection("emailLinks", {
  userId: z.string(),
  /** The address that it was mailed to. */
  email: z.string(),
  /** `verify`: the account's own address; `change`: the one that is to replace it. */
  purpose: z.enum(["verify", "change"]),
  /** SHA-256, hex. */
  tokenHash: z.string(),
  expiresAt: timestamp,
}, {
  unique: { token: ["tokenHash"] },
  filter: ["userId", "expiresAt"],
  references: { userId: "users" },
});

export type EmailLink = RecordOf<typeof emailLinks>;
