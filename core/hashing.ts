// Digests and random secrets for what is stored hashed: session cookies, reset links, idempotency keys.
import { createHash } from "node:crypto";

/** SHA-256 of a text or of bytes, in hex. */
export function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** 256 random bits, base64url without padding: OWASP asks for at least 64 bits of entropy in a session id. */
export function randomToken(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}
