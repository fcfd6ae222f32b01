// When a delivery that failed is tried again.
import { DAY, HOUR, MINUTE, SECOND } from "../../core/units.ts";

/** Milliseconds before each attempt. Together a little over three days, as Standard Webhooks advises. */
const DELAYS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Attempts that a delivery gets. */
export const MAX_ATTEMPTS = DELAYS.length;
/** By this part a delay may be longer, so that what failed together is not tried again together. */
export const JITTER = 0.1;
/** The longest time that an address may ask for by Retry-After, in milliseconds. */
export const LONGEST_WAIT = DAY;
/** Milliseconds of failures alone after which a webhook is stopped. */
export const GIVEN_UP_AFTER = 5 * DAY;

/**
 * Milliseconds until the next attempt; null after the last one.
 *
 * @param made Attempts so far.
 * @param asked What the address asks for by Retry-After, in milliseconds. @default 0
 * @param random From 0 to 1.
 */
export function delayAfter(
  made: number,
  asked = 0,
  random: () => number = Math.random,
): number | null {
  const delay = DELAYS[made];
  if (delay === undefined) return null;
  return Math.max(Math.round(delay * (1 + JITTER * random())), Math.min(asked, LONGEST_WAIT));
}

/**
 * Milliseconds that a Retry-After asks for: seconds or a date (RFC 9110 section 10.2.3). 0 for none, and for what is
 * neither.
 */
export function retryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND;
  const date = /GMT$/.test(header.trim()) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
