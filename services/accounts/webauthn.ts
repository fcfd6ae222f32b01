// What authenticators are asked, and how their answers are checked (Web Authentication, W3C). Nothing is stored here: a
// challenge is sealed text, which tells by itself what it is for and until when.
import { Buffer } from "node:buffer";
import { getLogger } from "@logtape/logtape";
import type { Settings } from "../../config/settings.ts";
import { type ApiError, invalid } from "../../core/errors.ts";
import { createSealer } from "../../core/sealing.ts";
import { MINUTE } from "../../core/units.ts";
import type { NewCredential, Passkey, UsedCredential } from "../../models/passkeys.ts";
import type { User } from "../../models/users.ts";

const log = getLogger(["quarterdeck", "accounts"]);

/** Milliseconds in which the answer has to come. */
const LIFETIME = 5 * MINUTE;
/** COSE algorithms (RFC 9053): EdDSA, ES256, RS256, which every authenticator has one of. */
const ALGORITHMS = [-8, -7, -257];
/** Bytes of a key: RSA of 4096 bits takes 540. What is larger costs more to check a signature with. */
const MAX_KEY_BYTES = 600;

/**
 * The protocol takes 25 MB of memory, and 0.15 s to load, in which nothing else runs: those without passkeys are spared
 * both. Call it at start where there are any.
 */
export const protocol = () => import("@simplewebauthn/server");

/** What is asked for, and of whom. */
export interface Ceremony {
  /** Gives the challenges a key of their own, so that none is taken for another purpose. */
  readonly purpose: "registration" | "sign-in" | "second factor" | "step-up";
  /** Id of the session or of the waiting sign-in that has to answer; "" for whoever knows no more than the question. */
  readonly subject: string;
}

/** A question to an authenticator. */
export interface Challenge {
  readonly id: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** What a checked registration gives. */
export type Registered =
  & { readonly challenge: Challenge }
  & Pick<Passkey, "credentialId" | "publicKey" | "signCount" | "transports" | "synced">;

/** What a checked answer of a passkey gives. */
export interface Assertion {
  readonly passkeyId: string;
  readonly challenge: Challenge;
  readonly signCount: number;
}

/** What is asked, and when. */
interface Asked {
  readonly settings: Settings;
  readonly ceremony: Ceremony;
  /** ISO 8601. */
  readonly now: string;
}

/** Options for `navigator.credentials.create()`: a passkey that names its user by itself, and checks who holds it. */
export async function creationOptionsFor(
  asked: Asked,
  user: User,
  held: readonly Passkey[],
) {
  const { generateRegistrationOptions } = await protocol();
  return await generateRegistrationOptions({
    rpName: "Quarterdeck",
    rpID: asked.settings.passkeyDomain,
    userID: bytesOf(handleOf(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    challenge: newChallenge(asked),
    timeout: LIFETIME,
    attestationType: "none",
    excludeCredentials: held.map(descriptorOf),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Options for `navigator.credentials.get()`. @param held Passkeys of which one has to answer. @default any */
export async function requestOptionsFor(asked: Asked, held?: readonly Passkey[]) {
  const { generateAuthenticationOptions } = await protocol();
  return await generateAuthenticationOptions({
    rpID: asked.settings.passkeyDomain,
    challenge: newChallenge(asked),
    timeout: LIFETIME,
    allowCredentials: held?.map(descriptorOf),
    userVerification: "required",
  });
}

/**
 * Checks the answer to a registration.
 *
 * @throws {ApiError} VALIDATION_ERROR for what is not the answer to this server's question.
 */
export async function checkRegistration(
  asked: Omit<Asked, "now">,
  { id, rawId, type, response }: NewCredential,
): Promise<Registered> {
  assertOrigin(asked.settings, response.clientDataJSON);
  const { verifyRegistrationResponse } = await protocol();
  let challenge: Challenge | null = null;
  const result = await tried(async () => {
    await assertUnattested(response.attestationObject);
    return await verifyRegistrationResponse({
      response: { id, rawId, type, response: ownPart(response), clientExtensionResults: {} },
      expectedChallenge: (text) => (challenge = openChallenge(asked, text)) !== null,
      expectedOrigin: originsOf(asked.settings),
      expectedRPID: asked.settings.passkeyDomain,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  const made = result?.registrationInfo;
  if (!made || challenge === null || made.credential.publicKey.length > MAX_KEY_BYTES) {
    throw refusedRegistration();
  }
  return {
    challenge,
    credentialId: made.credential.id,
    publicKey: Buffer.from(made.credential.publicKey).toString("base64url"),
    signCount: made.credential.counter,
    transports: response.transports ?? [],
    synced: made.credentialDeviceType === "multiDevice",
  };
}

export function refusedRegistration(): ApiError {
  return invalid("credential", "The passkey was not made for this request, or too late: try again");
}

/**
 * Checks the answer of a passkey. Its count of signatures is not compared here, but where it is kept.
 *
 * @returns Null for what is not the answer of this passkey to this server's question.
 * @throws {ApiError} VALIDATION_ERROR for an answer that was given to another place.
 */
export async function checkAssertion(
  asked: Omit<Asked, "now">,
  passkey: Passkey,
  { id, rawId, type, response }: UsedCredential,
): Promise<Assertion | null> {
  assertOrigin(asked.settings, response.clientDataJSON);
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verifyAuthenticationResponse } = await protocol();
  let challenge: Challenge | null = null;
  const result = await tried(() =>
    verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: (text) => (challenge = openChallenge(asked, text)) !== null,
      expectedOrigin: originsOf(asked.settings),
      expectedRPID: asked.settings.passkeyDomain,
      credential: { id: passkey.credentialId, publicKey: bytesOf(passkey.publicKey), counter: 0 },
      requireUserVerification: true,
    })
  );
  if (!result?.verified || challenge === null) return null;
  return { passkeyId: passkey.id, challenge, signCount: result.authenticationInfo.newCounter };
}

/** How authenticators name a user: section 5.4.3 asks for bytes that tell nothing of the person. */
export function handleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}

/** Null where the protocol finds fault: it throws for each of them. */
async function tried<R>(check: () => Promise<R>): Promise<R | null> {
  try {
    return await check();
  } catch (error) {
    log.debug("The answer of an authenticator was refused: {reason}", { reason: String(error) });
    return null;
  }
}

/**
 * None is asked for, so that a browser gives none, or what an authenticator says of itself (section 8.2: self
 * attestation). With certificates the protocol would parse them, and fetch from their issuers which are revoked, for
 * nothing.
 */
async function assertUnattested(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(bytesOf(attestationObject));
  const format = attestation.get("fmt");
  if (format === "none") return;
  if (format !== "packed" || attestation.get("attStmt").get("x5c") !== undefined) {
    throw new Error(`an attestation '${format}' was not asked for`);
  }
}

function ownPart({ clientDataJSON, attestationObject }: NewCredential["response"]) {
  return { clientDataJSON, attestationObject };
}

/**
 * Tells by name when the answer was given at another origin: it follows from the settings, and is hard to find else.
 *
 * @throws {ApiError} VALIDATION_ERROR
 */
function assertOrigin(settings: Settings, clientDataJSON: string): void {
  const { origin, crossOrigin } = clientDataOf(clientDataJSON);
  const origins = originsOf(settings);
  if (typeof origin === "string" && origins.includes(origin) && crossOrigin !== true) return;
  const places = [...new Set(origins)].join(" and ");
  throw invalid(
    "credential",
    `Passkeys are used at ${places} alone (PUBLIC_URL, FRONTEND_URL), and in no frame of another place`,
  );
}

function clientDataOf(text: string): { origin?: unknown; crossOrigin?: unknown } {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString()) ?? {};
  } catch {
    return {};
  }
}

/** Where people sign in: at this server, and at the front end. */
function originsOf({ publicUrl, frontendUrl }: Settings): string[] {
  return [publicUrl, frontendUrl].map((url) => new URL(url).origin);
}

function newChallenge({ settings, ceremony, now }: Asked): Uint8Array<ArrayBuffer> {
  const expiresAt = new Date(Date.parse(now) + LIFETIME).toISOString();
  const parts = [crypto.randomUUID(), expiresAt, ceremony.subject];
  return bytesOf(sealer(settings, ceremony).seal(parts.join(" ")));
}

/** Null for what is no challenge of this server, or for another ceremony. Whether it is used or late, plans see. */
function openChallenge({ settings, ceremony }: Omit<Asked, "now">, text: string): Challenge | null {
  const [id = "", expiresAt = "", subject] = sealer(settings, ceremony).open(text)?.split(" ") ??
    [];
  return subject === ceremony.subject ? { id, expiresAt } : null;
}

function sealer({ secrets }: Settings, { purpose }: Ceremony) {
  return createSealer(secrets.refresh, `passkeys, ${purpose}`);
}

function descriptorOf({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports };
}

/** @param text Base64, of either alphabet. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64"));
}
