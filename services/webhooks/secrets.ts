// The secrets of webhooks, and signatures by them: Standard Webhooks 1.0.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { Buffer } from "node:buffer";
import { createHmac, randomBytes } from "node:crypto";
import type { Settings } from "../../config/settings.ts";
import { createSealer, type Sealer } from "../../core/sealing.ts";
import { DAY } from "../../core/units.ts";
import type { Webhook } from "../../models/webhooks.ts";

const PREFIX = "whsec_";
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;
/** Milliseconds that the secret before goes on to sign, so that receivers can change over. */
export const ROTATION = DAY;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Of the secrets that are stored. */
export function secretSealer({ secrets }: Pick<Settings, "secrets">): Sealer {
  return createSealer(secrets.access, "secrets of webhooks");
}

/**
 * The secrets that a webhook signs with, the newest first; null when the server's own secret has changed since it was
 * made.
 *
 * @param now ISO 8601.
 */
export function secretsOf(
  sealer: Sealer,
  { secret, previousSecret, previousUntil }: Webhook,
  now: string,
): readonly string[] | null {
  const current = sealer.open(secret);
  if (current === null) return null;
  if (!previousSecret || !previousUntil || previousUntil <= now) return [current];
  const previous = sealer.open(previousSecret);
  return previous === null ? [current] : [current, previous];
}

/**
 * The headers of a delivery.
 *
 * @param secrets As `newSecret` makes them: each gives a signature.
 * @param now Of this attempt: receivers refuse what was signed long ago.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
