// What browsers carry between the steps of a sign-in by a provider, sealed: nothing is stored for strangers.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Settings } from "../../config/settings.ts";
import { type ApiError, invalid } from "../../core/errors.ts";
import { createSealer } from "../../core/sealing.ts";
import { MINUTE } from "../../core/units.ts";
import type { Claims, Secrets } from "./providers.ts";

/** Milliseconds for signing in at the provider. */
export const FLOW_LIFETIME = 10 * MINUTE;
/** Milliseconds for the exchange of the code afterwards. */
const CODE_LIFETIME = MINUTE;

/** A sign-in that was begun: in a cookie, so that only the browser which began it ends it (ASVS 5.0, 10.1.2). */
export interface Flow extends Secrets {
  /** Name of the provider. */
  readonly provider: string;
  /** RFC 7636 section 4.2: the hash of what the code is exchanged with. Absent: it is exchanged with the cookie. */
  readonly challenge?: string;
  /** Where to go afterwards: a path, which comes back with the code. */
  readonly back?: string;
}

/** What the provider has proven, for the one who began the sign-in to use once. */
export interface ProvenSignIn extends Pick<Flow, "provider" | "state" | "challenge"> {
  readonly claims: Claims;
}

/** Milliseconds since the epoch. */
interface Expiring {
  readonly expiresAt: number;
}

const PURPOSES = { flow: "sign-in begun", code: "sign-in proven" } as const;

export function sealFlow(settings: Settings, flow: Flow, now: Date): string {
  return seal(settings, "flow", flow, now.getTime() + FLOW_LIFETIME);
}

/** Null for what was not sealed here, or has expired. */
export function openFlow(settings: Settings, sealed: string | undefined, now: Date): Flow | null {
  return open<Flow>(settings, "flow", sealed, now);
}

export function sealCode(settings: Settings, proven: ProvenSignIn, now: Date): string {
  return seal(settings, "code", proven, now.getTime() + CODE_LIFETIME);
}

/** What the holder of a code gives along with it. */
export interface Holder {
  readonly code: string;
  readonly codeVerifier?: string;
  /** What the cookie holds. */
  readonly flow?: string;
}

/**
 * What a code stands for, if its holder is the one who began the sign-in: else a link with a stranger's code would
 * sign someone in as that stranger.
 *
 * @throws {ApiError} VALIDATION_ERROR
 */
export function openCode(
  settings: Settings,
  { code, codeVerifier, flow }: Holder,
  now: Date,
): ProvenSignIn {
  const proven = open<ProvenSignIn>(settings, "code", code, now);
  if (proven) {
    const { challenge, state } = proven;
    const right = challenge === undefined
      ? same(openFlow(settings, flow, now)?.state, state)
      : same(challengeOf(codeVerifier), challenge);
    if (right) return proven;
  }
  throw usedUp();
}

/** 400: a session that asks goes on, so it is no 401. */
export function usedUp(): ApiError {
  return invalid(
    "code",
    "The code is wrong, used or too old, or another browser began the sign-in: begin anew",
  );
}

/** RFC 7636 section 4.2. */
function challengeOf(verifier: string | undefined): string | undefined {
  return verifier && createHash("sha256").update(verifier).digest("base64url");
}

function same(given: string | undefined, wanted: string): boolean {
  const [a, b] = [given ?? "", wanted].map((text) => createHash("sha256").update(text).digest());
  return given !== undefined && timingSafeEqual(a!, b!);
}

function seal(
  { secrets }: Settings,
  kind: keyof typeof PURPOSES,
  value: object,
  expiresAt: number,
): string {
  return createSealer(secrets.refresh, PURPOSES[kind]).seal(
    JSON.stringify({ ...value, expiresAt }),
  );
}

function open<T>(
  { secrets }: Settings,
  kind: keyof typeof PURPOSES,
  sealed: string | undefined,
  now: Date,
): T | null {
  const text = sealed ? createSealer(secrets.refresh, PURPOSES[kind]).open(sealed) : null;
  if (text === null) return null;
  const value: T & Expiring = JSON.parse(text);
  return value.expiresAt > now.getTime() ? value : null;
}
