// Texts that are kept where others may read, and are for this server alone: sealed with a key derived from its secret.
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** AES-256-GCM (NIST SP 800-38D): a nonce of 96 bits and a tag of 128. */
const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** The sealed text, in base64; never the same twice. */
  seal(text: string): string;
  /** Null for what was not sealed with this key, or was changed since. */
  open(sealed: string): string | null;
}

/**
 * @param secret Of the settings.
 * @param purpose Gives each use a key of its own (HKDF, RFC 5869).
 */
export function createSealer(secret: string, purpose: string): Sealer {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce);
      const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return null;
      }
    },
  };
}
