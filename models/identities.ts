// Identities: who a user is at a provider of OpenID Connect, by which they sign in.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";

export const identities = collection("identities", {
  userId: z.string(),
  /** The provider, as it calls itself in its tokens. */
  issuer: z.string(),
  /** The person, as the provider names them and nobody else, ever (OpenID Connect Core, section 2, `sub`). */
  subject: z.string(),
  /** The address that the provider told last, for people to know the identity by. Nothing is decided by it. */
  email: z.string().optional(),
}, {
  unique: { identity: ["issuer", "subject"] },
  filter: ["userId"],
  references: { userId: "users" },
  audit: ({ issuer }) => issuer,
});

export type Identity = RecordOf<typeof identities>;

/** RFC 7636 section 4.1. */
const codeVerifier = z.string().regex(
  /^[\w.~-]{43,128}$/,
  "must be 43 to 128 letters, digits and -._~",
);

export const providerSignInQuery = z.object({
  /** BASE64URL(SHA256(codeVerifier)), for clients that the cookie of this server does not come back from. */
  codeChallenge: z.string().regex(/^[\w-]{43}$/, "must be a SHA-256 in base64url").optional(),
  /** Where to go after the sign-in: a path, which comes back with the code. */
  redirect: z.string().max(500).optional(),
  /** Asks the provider to have the person prove again who they are. */
  fresh: z.enum(["true", "false"]).optional(),
});

export const providerCode = z.object({
  /** From the address that the sign-in led back to; good once, for a minute. */
  code: z.string().min(1).max(6144),
  /** Where the sign-in was begun with a codeChallenge. */
  codeVerifier: codeVerifier.optional(),
});

export const publicProvider = z.object({
  name: z.string(),
  /** What people call it. */
  label: z.string(),
}).meta({ id: "Provider" });

export const publicIdentity = z.object({
  id: z.string(),
  issuer: z.string(),
  /** The provider as it is configured now; absent where it is so no more. */
  provider: z.string().optional(),
  label: z.string().optional(),
  email: z.string().optional(),
  createdAt: timestamp,
}).meta({ id: "Identity" });
