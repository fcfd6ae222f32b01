// What a user has on one calendar day.
import { type Event, events } from "../../models/calendar.ts";
import type { Store, Where } from "../../storage/port.ts";
import { plannedEvents } from "./calendar.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { Temporal } from "../../core/temporal.ts";
import { DAY } from "../../core/units.ts";

/** One calendar day somewhere: 23 or 25 hours long when the clocks change. */
export interface LocalDay {
  /** `2026-11-21` */
  readonly date: string;
  /** The first moment of the day. ISO 8601, UTC. */
  readonly start: string;
  /** The first moment of the day after. ISO 8601, UTC. */
  readonly end: string;
}

/**
 * The calendar day that a moment falls on.
 *
 * @param zone IANA name.
 */
export function dayOf(at: Date, zone: string): LocalDay {
  const date = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
    .toPlainDate();
  const midnight = (day: Temporal.PlainDate) =>
    new Date(day.toZonedDateTime(zone).epochMilliseconds).toISOString();
  return { date: date.toString(), start: midnight(date), end: midnight(date.add({ days: 1 })) };
}

/**
 * The events of a day that the user owns, or attends and has not declined: first those of the whole day, then the
 * others, each from the earliest on.
 */
export async function scheduleOf(
  source: Pick<Store, "from">,
  userId: string,
  day: LocalDay,
): Promise<Event[]> {
  const own = await plannedEvents(source, userId);
  // Asks for the local day and the day in UTC: a whole-day event is stored in UTC, with the same date in every zone.
  const midnight = Date.parse(day.date);
  const from = [day.start, new Date(midnight).toISOString()].sort()[0]!;
  const until = [day.end, new Date(midnight + DAY).toISOString()].sort()[1]!;
  const where = { ...own, start: { lt: until }, end: { gte: from } } as Where<Event>;
  const found = await everyMatch(source, events, where);
  return found.filter((event) => isOn(event, day)).sort((a, b) =>
    Number(b.allDay) - Number(a.allDay) || a.start.localeCompare(b.start) ||
    a.id.localeCompare(b.id)
  );
}

/** Ends are exclusive, but an event without length is on the day it starts. */
function isOn({ allDay, start, end }: Event, day: LocalDay): boolean {
  if (!allDay) return start < day.end && (end > day.start || start >= day.start);
  const first = start.slice(0, 10);
  const last = end > start ? new Date(Date.parse(end) - 1).toISOString().slice(0, 10) : first;
  return first <= day.date && day.date <= last;
}
