// Times of day where someone is: moments that are written without a zone, and what clocks show.
import { Temporal } from "./temporal.ts";

/** The zone where neither the request nor the user names one. */
export const UTC = "UTC";

const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * A moment in UTC, within the years that ISO 8601 writes with four digits. A time that a change of clocks skips
 * is moved past the gap; of one that occurs twice, the first is meant.
 *
 * @param text ISO 8601; with `Z` it is the moment that it says, whatever the zone.
 * @param zone IANA name.
 */
export function momentIn(text: string, zone: string): string {
  if (text.endsWith("Z")) return text;
  const { epochMilliseconds } = Temporal.PlainDateTime.from(text).toZonedDateTime(zone);
  return new Date(Math.min(Math.max(epochMilliseconds, FIRST), LAST)).toISOString();
}

/**
 * What clocks in a zone show at a moment, written as if it were UTC: to be compared with days that are the same date
 * everywhere.
 */
export function clockIn(iso: string, zone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(Date.parse(iso));
  const local = instant.toZonedDateTimeISO(zone).toPlainDateTime().toZonedDateTime("UTC");
  return new Date(Math.min(Math.max(local.epochMilliseconds, FIRST), LAST)).toISOString();
}
