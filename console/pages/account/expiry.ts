// When an API key ends, as people choose it.

const DAY = 86_400_000;

/** Days from now, or otherwise. */
export const EXPIRIES = ["7", "30", "90", "365", "never", "custom"] as const;
export type Expiry = (typeof EXPIRIES)[number];

/**
 * @param day `2026-11-22` for `custom`: the last day, in the time zone of the browser.
 * @returns ISO 8601; null for a key that does not end.
 */
export function expiresAt(expiry: Expiry, day: string, now = Date.now()): string | null {
  if (expiry === "never") return null;
  if (expiry !== "custom") return new Date(now + Number(expiry) * DAY).toISOString();
  const end = new Date(`${day}T23:59:59`);
  // The server says what is wrong with a day that is none.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}
