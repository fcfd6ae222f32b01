// Passkeys: credentials of Web Authentication (W3C), what browsers are asked for and what they answer.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { listQuery } from "./list_query.ts";
import { label } from "./requests.ts";

export const passkeys = collection("passkeys", {
  userId: z.string(),
  name: z.string(),
  /** As the authenticator named the credential, in base64url. */
  credentialId: z.string(),
  /** A COSE key (RFC 9052), in base64url. */
  publicKey: z.string(),
  /** How often it has signed, by its own count; 0 for authenticators that do not count. */
  signCount: z.number().int(),
  /** How browsers reach the authenticator: a hint that is given back to them. */
  transports: z.array(z.string()),
  /** Whether it may be copied to other devices of its owner, by whoever made the authenticator. */
  synced: z.boolean(),
  lastUsedAt: timestamp.optional(),
}, {
  unique: { credential: ["credentialId"] },
  filter: ["userId"],
  sort: ["name"],
  references: { userId: "users" },
  audit: (passkey) => passkey.name,
});

export type Passkey = RecordOf<typeof passkeys>;

/**
 * Challenges that were answered, by their id, and sign-ins by a provider, by the hash of their state: none is taken
 * twice. Gone once they have expired.
 */
export const usedChallenges = collection("usedChallenges", {
  expiresAt: timestamp,
}, { filter: ["expiresAt"] });

/** Bytes in base64url without padding, as browsers write them. */
const bytes = (max: number) => z.string().regex(/^[\w-]+$/, "must be base64url").max(max);

/** Web Authentication, section 4: a credential id has at most 1023 bytes. */
const credentialId = bytes(1364);

/** What registrations and sign-ins have in common. */
const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  authenticatorAttachment: z.string().max(30).nullish(),
  clientExtensionResults: z.record(z.string(), z.unknown()).optional(),
};

/** `RegistrationResponseJSON`: what `PublicKeyCredential.toJSON()` gives after `navigator.credentials.create()`. */
export const newCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4096),
    attestationObject: bytes(6144),
    transports: z.array(z.string().max(30)).max(10).optional(),
    // Copies of what the attestation object holds, for servers that do not read it.
    authenticatorData: z.string().optional(),
    publicKey: z.string().nullish(),
    publicKeyAlgorithm: z.number().optional(),
  }),
});

export type NewCredential = z.infer<typeof newCredential>;

/** `AuthenticationResponseJSON`: what `PublicKeyCredential.toJSON()` gives after `navigator.credentials.get()`. */
export const usedCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4096),
    authenticatorData: bytes(2048),
    signature: bytes(2048),
    userHandle: bytes(100).nullish(),
    attestationObject: z.string().nullish(),
  }),
});

export type UsedCredential = z.infer<typeof usedCredential>;

export const passkeyRegistration = z.object({
  /** @default "Passkey" */
  name: label.optional(),
  credential: newCredential,
});

export const passkeyUpdate = z.object({ name: label });

export const passkeyProof = z.object({ credential: usedCredential });

/** From the answer of the log-in. */
const challenge = z.string().min(1).max(200);

export const passkeyQuestion = z.object({ challenge });

export const passkeySecondFactor = z.object({ challenge, credential: usedCredential });

export const publicPasskey = z.object({
  id: z.string(),
  name: z.string(),
  synced: z.boolean(),
  lastUsedAt: timestamp.optional(),
  createdAt: timestamp,
}).meta({ id: "Passkey" });

export const registeredPasskey = publicPasskey.extend({
  /** Where it is the first second factor of the account; shown once, each is good for one sign-in. */
  recoveryCodes: z.array(z.string()).optional(),
}).meta({ id: "RegisteredPasskey" });

export const passkeyListQuery = listQuery(passkeys, { hidden: ["userId"] });

const descriptor = z.object({
  id: z.string(),
  type: z.string(),
  transports: z.array(z.string()).optional(),
});

/** `PublicKeyCredentialCreationOptionsJSON`, for `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const creationOptions = z.object({
  rp: z.object({ name: z.string(), id: z.string().optional() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.string() })),
  /** Milliseconds. */
  timeout: z.number().optional(),
  excludeCredentials: z.array(descriptor).optional(),
  authenticatorSelection: z.object({
    residentKey: z.string().optional(),
    requireResidentKey: z.boolean().optional(),
    userVerification: z.string().optional(),
  }).optional(),
  attestation: z.string().optional(),
  extensions: z.object({ credProps: z.boolean().optional() }).optional(),
  hints: z.array(z.string()).optional(),
}).meta({ id: "PasskeyCreationOptions" });

/** `PublicKeyCredentialRequestOptionsJSON`, for `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const requestOptions = z.object({
  rpId: z.string().optional(),
  challenge: z.string(),
  /** Absent: the browser offers whatever passkeys it has for this place. */
  allowCredentials: z.array(descriptor).optional(),
  /** Milliseconds. */
  timeout: z.number().optional(),
  userVerification: z.string().optional(),
}).meta({ id: "PasskeyRequestOptions" });
