// Texts that others carry and this server trusts when they come back: signed with a key derived from its secret.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export interface Signer {
  /** The text, readable by anyone, with its signature; fit for a URL. */
  sign(text: string): string;
  /** Null for what was not signed with this key, or was changed since. */
  open(signed: string): string | null;
}

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

/**
 * Makes keyed digests, HMAC-SHA-256 in hex: whoever reads one cannot try out what it is of.
 *
 * @param secret Of the settings.
 * @param purpose As for `createSigner`.
 */
export function createKeyedDigest(secret: string, purpose: string): (text: string) => string {
  const key = keyFor(secret, purpose);
  return (text) => createHmac("sha256", key).update(text).digest("hex");
}

/** A key of its own for each use (HKDF, RFC 5869). */
function keyFor(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
}

/**
 * HMAC-SHA-256 (RFC 2104), in base64url.
 *
 * @param secret Of the settings.
 * @param purpose Gives each use a key of its own.
 */
export function createSigner(secret: string, purpose: string): Signer {
  const key = keyFor(secret, purpose);
  const signatureOf = (part: string) => createHmac("sha256", key).update(part).digest();
  return {
    sign(text) {
      const part = new TextEncoder().encode(text).toBase64(BASE64URL);
      return `${part}.${new Uint8Array(signatureOf(part)).toBase64(BASE64URL)}`;
    },
    open(signed) {
      const dot = signed.indexOf(".");
      const part = signed.slice(0, dot);
      if (dot < 0 || part.length === 0) return null;
      const expected = signatureOf(part);
      try {
        const given = Uint8Array.fromBase64(signed.slice(dot + 1), BASE64URL);
        if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
        return new TextDecoder().decode(Uint8Array.fromBase64(part, BASE64URL));
      } catch {
        return null;
      }
    },
  };
}
