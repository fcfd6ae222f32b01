// Access and refresh tokens: JWTs signed with HS256 (RFC 7519, RFC 7515). Verified tokens are remembered until they expire.
import { jwtVerify, SignJWT } from "jose";
import { BoundedMap } from "../bounded_map.ts";

export type TokenType = "access" | "refresh";

export interface Claims {
  readonly userId: string;
  /** The session. */
  readonly sid: string;
  readonly type: TokenType;
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch. */
  readonly exp: number;
}

export interface TokenOptions {
  readonly secrets: { readonly access: string; readonly refresh: string };
  /** Seconds. */
  readonly lifetimes: { readonly access: number; readonly refresh: number };
  readonly clock: () => Date;
  /** How many verified access tokens are remembered. @default 10000 */
  readonly remembered?: number;
}

export interface Tokens {
  /** The same input gives the same token. @param issuedAt Seconds since the epoch. */
  sign(
    type: TokenType,
    subject: { userId: string; sid: string; jti: string; issuedAt: number },
  ): Promise<string>;
  /** Null for a token that is forged, expired, malformed or of the other type. */
  verify(type: TokenType, token: string): Promise<Claims | null>;
  /** What `verify` found for this very string, at once; undefined when it has to be verified. */
  recall(token: string): Claims | undefined;
  readonly lifetimes: TokenOptions["lifetimes"];
}

/** RFC 7515 section 4.1.1: the algorithm is pinned, whatever the token's header says. */
const ALGORITHM = "HS256";

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
    async sign(type, { userId, sid, jti, issuedAt }) {
      return await new SignJWT({ userId, sid, type })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
        .setJti(jti)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimes[type])
        .sign(await keys[type]);
    },
    async verify(type, token) {
      const claims = await verifySignature(token, await keys[type], clock());
      if (claims?.type !== type) return null;
      if (type === "access") verified.set(token, claims);
      return claims;
    },
  };
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
