// Second factors: a TOTP secret and recovery codes, and sign-ins that wait for one of them.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { signInMethod } from "./sessions.ts";

/** One for each user who has begun to set up a second factor. */
export const secondFactors = collection("secondFactors", {
  userId: z.string(),
  /** The TOTP secret (RFC 6238), in base32, sealed by a key from the settings. Absent: codes are not set up. */
  totp: z.string().optional(),
  totpSince: timestamp.optional(),
  /** The last time step of which a code was taken: none of it or of an earlier one is taken again. */
  totpStep: z.number().int().optional(),
  /** A secret that is being set up, sealed: it counts from the first right code on. */
  pendingTotp: z.string().optional(),
  /** SHA-256, hex, of the codes that were not used yet. */
  recoveryCodes: z.array(z.string()),
  /** How many passkeys the user has; absent: none. Each registration and removal writes it, so that it is exact. */
  passkeys: z.number().int().optional(),
}, {
  unique: { user: ["userId"] },
  filter: ["userId"],
  references: { userId: "users" },
  audit: () => "second factor",
});

export type SecondFactor = RecordOf<typeof secondFactors>;

/** A sign-in whose credentials were right, and which waits for the second factor. */
export const signInChallenges = collection("signInChallenges", {
  userId: z.string(),
  /** SHA-256, hex, of the 256 random bits that the client holds. */
  tokenHash: z.string(),
  /** How the sign-in was begun. */
  method: signInMethod,
  /** SHA-256, hex, of the account's password hash: with another password the sign-in has to begin anew. */
  passwordVersion: z.string(),
  /** Wrong codes so far. */
  failures: z.number().int(),
  expiresAt: timestamp,
}, {
  unique: { token: ["tokenHash"] },
  filter: ["userId", "expiresAt"],
  references: { userId: "users" },
});

export type SignInChallenge = RecordOf<typeof signInChallenges>;

/** The code of an authenticator, or a recovery code; both are taken in groups too. */
const code = z.string().trim().min(6, "is too short for a code").max(40);

export const secondFactorRequest = z.object({
  /** From the answer of the log-in. */
  challenge: z.string().min(1).max(200),
  code,
});

export const totpConfirmation = z.object({ code });

export const stepUpRequest = z.object({
  /** For accounts without a second factor. */
  currentPassword: z.string().max(1024).optional(),
  /** For accounts with one. */
  code: code.optional(),
});

export const secondFactorState = z.object({
  totp: z.object({ enabled: z.boolean(), since: timestamp.optional() }),
  /** How many the user has. */
  passkeys: z.number(),
  /** How many are left. */
  recoveryCodes: z.number(),
  /** Whether the role of the user makes a second factor a must. */
  required: z.boolean(),
}).meta({ id: "SecondFactors" });

export const totpSetup = z.object({
  /** In base32, for authenticators that are given it by hand. */
  secret: z.string(),
  /** `otpauth://totp/…`, as authenticators read it. */
  uri: z.string(),
  /** The same as a QR code: an SVG image. */
  qr: z.string(),
}).meta({ id: "TotpSetup" });

export const recoveryCodes = z.object({
  /** Shown once; each is good for one sign-in. */
  recoveryCodes: z.array(z.string()),
}).meta({ id: "RecoveryCodes" });
