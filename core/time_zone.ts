// Times of day where someone is: moments that are written without a zone, and what clocks show.
import { Temporal } from "./temporal.ts";

/** The zone where neither the request nor the user names one. */
export const UTC = "UTC";

// Postgres has no year 0000: what one engine took, no copy could bring to another.
const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** The moment, or the nearest one within the years 0001 to 9999. @param at Milliseconds since the epoch. */
export function withinYears(at: number): string {
  return new Date(Math.min(Math.max(at, FIRST), LAST)).toISOString();
}

/**
 * A moment in UTC, within the years 0001 to 9999. A time that a change of clocks skips
 * is moved past the gap; of one that occurs twice, the first is meant.
 *
 * @param text ISO 8601; with `Z` it is the moment that it says, whatever the zone.
 * @param zone IANA name.
 */
export function momentIn(text: string, zone: string): string {
  if (text.endsWith("Z")) return text;
  const { epochMilliseconds } = Temporal.PlainDateTime.from(text).toZonedDateTime(zone);
  return withinYears(epochMilliseconds);
}

/**
 * What clocks in a zone show at a moment, written as if it were UTC: to be compared with days that are the same date
 * everywhere.
 */
export function clockIn(iso: string, zone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(Date.parse(iso));
  const local = instant.toZonedDateTimeISO(zone).toPlainDateTime().toZonedDateTime("UTC");
  return withinYears(local.epochMilliseconds);
}
