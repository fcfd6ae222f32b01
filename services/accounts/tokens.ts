// Tokens: JWTs signed with HS256 (RFC 7519, RFC 7515). Verified access tokens are remembered until they expire.
// Of jose these two alone: all of it is twice as many modules, which every start would load.
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import { BoundedMap } from "../../core/bounded_map.ts";

export type TokenType = "access" | "refresh";

export interface Claims {
  readonly userId: string;
  /** Id of the session. */
  readonly sid: string;
  readonly type: TokenType;
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch. */
  readonly exp: number;
}

/** A device, and the accounts that have signed in from it, the last one first. */
export interface Device {
  readonly id: string;
  readonly userIds: readonly string[];
}

export interface TokenOptions {
  readonly secrets: { readonly access: string; readonly refresh: string };
  /** Seconds. */
  readonly lifetimes: { readonly access: number; readonly refresh: number };
  readonly clock: () => Date;
  /** How many verified access tokens are remembered. @default 10000 */
  readonly remembered?: number;
}

/** What a token says. */
export interface Subject {
  readonly userId: string;
  /** Id of the session. */
  readonly sid: string;
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  /** Seconds. @default that of the type */
  readonly lifetime?: number;
  /** Id of the user who acts as `userId` (RFC 8693 section 4.1). */
  readonly actingFor?: string;
}

export interface Tokens {
  /** The same input gives the same token. */
  sign(type: TokenType, subject: Subject): Promise<string>;
  /** Null for a token that is forged, expired, malformed or of the other type. */
  verify(type: TokenType, token: string): Promise<Claims | null>;
  /** What `verify` found for this very string, at once; undefined when it has to be verified. */
  recall(token: string): Claims | undefined;
  /** A token that lets a device be known again; it is no credential. */
  signDevice(device: Device): Promise<string>;
  /**
   * The device that a device token or a refresh token was given to, even when the session of the latter has ended; null
   * for any other token.
   */
  deviceOf(token: string): Promise<Device | null>;
  readonly lifetimes: TokenOptions["lifetimes"];
}

/** RFC 7515 section 4.1.1: the algorithm is pinned, whatever the token's header says. */
const ALGORITHM = "HS256";

/** RFC 8725 section 3.11: what one kind of token says is never taken for another. */
const DEVICE_TYPE = "device+jwt";
/** Seconds that a device is known after a sign-in. */
export const DEVICE_LIFETIME = 365 * 24 * 60 * 60;
/** Accounts of one device at most: the token is sent with every sign-in. */
const MAX_ACCOUNTS = 5;

export function createTokens(options: TokenOptions): Tokens {
  const { clock, lifetimes, remembered = 10_000 } = options;
  const keys = {
    access: importKey(options.secrets.access),
    refresh: importKey(options.secrets.refresh),
  };
  const verified = new BoundedMap<string, Claims>(remembered);

  function recall(token: string): Claims | undefined {
    const claims = verified.get(token);
    if (claims === undefined || claims.exp * 1000 > clock().getTime()) return claims;
    verified.delete(token);
    return undefined;
  }

  return {
    lifetimes,
    recall,
    async sign(type, { userId, sid, jti, issuedAt, lifetime = lifetimes[type], actingFor }) {
      const act = actingFor === undefined ? {} : { act: { sub: actingFor } };
      return await new SignJWT({ userId, sid, type, ...act })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
        .setJti(jti)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetime)
        .sign(await keys[type]);
    },
    async verify(type, token) {
      const claims = await verifySignature(token, await keys[type], clock());
      if (claims?.type !== type) return null;
      if (type === "access") verified.set(token, claims);
      return claims;
    },
    async signDevice({ id, userIds }) {
      return await new SignJWT({ users: userIds.slice(0, MAX_ACCOUNTS) })
        .setProtectedHeader({ alg: ALGORITHM, typ: DEVICE_TYPE })
        .setJti(id)
        .setIssuedAt(Math.floor(clock().getTime() / 1000))
        .sign(await keys.refresh);
    },
    async deviceOf(token) {
      return await readDevice(token, await keys.refresh, clock());
    },
  };
}

async function readDevice(token: string, key: CryptoKey, now: Date): Promise<Device | null> {
  try {
    // A refresh token tells the device even after it has expired, so the expiry is not checked: it is read as of 1970.
    const options = { algorithms: [ALGORITHM], currentDate: new Date(0) };
    const { payload, protectedHeader } = await jwtVerify(token, key, options);
    const { jti, iat, users, type, sid, userId } = payload as Record<string, unknown>;
    if (typeof iat !== "number" || iat + DEVICE_LIFETIME < now.getTime() / 1000) return null;
    if (protectedHeader.typ !== DEVICE_TYPE) {
      const refresh = type === "refresh" && typeof sid === "string" && typeof userId === "string";
      return refresh ? { id: sid, userIds: [userId] } : null;
    }
    return typeof jti === "string" && Array.isArray(users) ? { id: jti, userIds: users } : null;
  } catch {
    return null;
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

async function verifySignature(token: string, key: CryptoKey, now: Date): Promise<Claims | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: [ALGORITHM], currentDate: now });
    const { userId, sid, type, jti, iat, exp } = payload as Record<string, unknown>;
    const sound = typeof userId === "string" && typeof sid === "string" &&
      typeof jti === "string" &&
      typeof iat === "number" && typeof exp === "number" &&
      (type === "access" || type === "refresh");
    return sound ? { userId, sid, type, jti, iat, exp } : null;
  } catch {
    return null;
  }
}
