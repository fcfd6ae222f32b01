// An event as its form has it, and as the API takes it.
import type { CreateEventRequest, Event } from "../../../client/mod.ts";
import { moment, wallTime } from "../../parts/zoned.ts";
import { addDays, type Day, dayIn } from "../../state/calendar_days.ts";

export interface EventValues {
  title: string;
  type: Event["type"];
  allDay: boolean;
  /** Moments, for events with times. */
  start: string;
  end: string;
  /** Days, the last one included, for events of whole days. */
  firstDay: Day;
  lastDay: Day;
  location: string;
  description: string;
}

const HOUR = 3_600_000;
/** When an event of whole days begins as soon as it has times. */
const MORNING = "09:00";

export function valuesOf(event: Event, zone: string): EventValues {
  const { title, type, allDay, start, end, location = "", description = "" } = event;
  const shown = allDay ? "UTC" : zone;
  const last = Math.max(Date.parse(start), Date.parse(end) - 1);
  const firstDay = dayIn(shown, start);
  const morning = moment(`${firstDay}T${MORNING}`, zone);
  return {
    title,
    type,
    allDay,
    ...(allDay ? { start: morning, end: later(morning, HOUR) } : { start, end }),
    firstDay,
    lastDay: dayIn(shown, last),
    location,
    description,
  };
}

/** The same days as whole days, or the same times of the day on them. */
export function spanAs(
  allDay: boolean,
  { start, end, firstDay, lastDay }: EventValues,
  zone: string,
): Partial<EventValues> {
  if (Number.isNaN(Date.parse(start) + Date.parse(end)) || !firstDay || !lastDay) return { allDay };
  if (allDay) {
    const last = Math.max(Date.parse(start), Date.parse(end) - 1);
    return { allDay, firstDay: dayIn(zone, start), lastDay: dayIn(zone, last) };
  }
  const on = (day: Day, time: string) => moment(`${day}T${wallTime(time, zone).slice(11)}`, zone);
  const begins = on(firstDay, start);
  const ends = on(lastDay, end);
  return { allDay, start: begins, end: ends > begins ? ends : later(begins, HOUR) };
}

function later(start: string, by: number): string {
  return new Date(Date.parse(start) + by).toISOString();
}

/** Whole days end with the day after the last one, as in iCalendar (RFC 5545 section 3.6.1). */
export function requestOf(values: EventValues): CreateEventRequest {
  const { title, type, allDay, location, description } = values;
  const span = allDay
    ? {
      start: `${values.firstDay}T00:00:00Z`,
      end: `${addDays(values.lastDay, 1)}T00:00:00Z`,
    }
    : { start: values.start, end: values.end };
  return {
    title,
    type,
    allDay,
    ...span,
    location: location || null,
    description: description || null,
  };
}

/** Whether it ends before it begins. */
export function isReversed({ allDay, start, end, firstDay, lastDay }: EventValues): boolean {
  return allDay ? lastDay < firstDay : Date.parse(end) < Date.parse(start);
}
