// The days of a calendar: which stand in a month or a week, and which an event is on. A day is a text, `2026-11-22`;
// nothing here knows of clocks but by name of a time zone.
import type { Event } from "../../client/mod.ts";
import { moment, wallTime } from "../parts/zoned.ts";

export type Day = string;

const DAY = 86_400_000;

/** @param days May be negative. */
export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** The same day of another month, or its last one. */
export function addMonths(day: Day, months: number): Day {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString()
    .slice(0, 10);
}

/** 1 is Monday, 7 is Sunday (ISO 8601). */
export function weekdayOf(day: Day): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
}

/** The first day of weeks where a locale is spoken: 1 is Monday. */
export function firstWeekday(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return known.getWeekInfo?.().firstDay ?? known.weekInfo?.firstDay ?? 1;
}

/** The day that the week of a day begins with. */
export function weekStart(day: Day, first: number): Day {
  return addDays(day, -((weekdayOf(day) - first + 7) % 7));
}

export function daysFrom(first: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, at) => addDays(first, at));
}

/** Six weeks, so that every month is as high: no month has days in more. */
export function monthDays(day: Day, first: number): Day[] {
  return daysFrom(weekStart(`${day.slice(0, 7)}-01`, first), 42);
}

/** The day that it is in a zone. */
export function dayIn(zone: string, at: string | number = Date.now()): Day {
  return wallTime(new Date(at).toISOString(), zone).slice(0, 10);
}

/** The first and the last day of an event. Days of whole days are the same in every zone. */
export function spanOf(
  { start, end, allDay }: Pick<Event, "start" | "end" | "allDay">,
  zone: string,
): [Day, Day] {
  // What ends at midnight is not on the day that begins then.
  const last = Math.max(Date.parse(start), Date.parse(end) - 1);
  return allDay
    ? [dayIn("UTC", start), dayIn("UTC", last)]
    : [dayIn(zone, start), dayIn(zone, last)];
}

/** The events of each of the days: those of whole days first, then by their start. */
export function byDay<E extends Pick<Event, "start" | "end" | "allDay">>(
  events: readonly E[],
  days: readonly Day[],
  zone: string,
): Map<Day, E[]> {
  const found = new Map<Day, E[]>(days.map((day) => [day, []]));
  const inOrder = events.toSorted((a, b) =>
    Number(b.allDay) - Number(a.allDay) || Date.parse(a.start) - Date.parse(b.start)
  );
  for (const event of inOrder) {
    const [first, last] = spanOf(event, zone);
    for (const day of days) {
      if (first <= day && day <= last) found.get(day)!.push(event);
    }
  }
  return found;
}

export interface Placed<E> {
  readonly event: E;
  /** Minutes after midnight at which it begins and ends on this day, by the clock on the wall. */
  readonly from: number;
  readonly to: number;
  /** Its column, of as many as stand side by side there. */
  readonly column: number;
  readonly columns: number;
  /** How many columns it takes: those that nothing else stands in at its time. */
  readonly span: number;
}

/** As short as an event is drawn, in minutes. */
const LEAST = 30;

/** Where events stand on a day: side by side where they are at the same time. */
export function placed<E extends Pick<Event, "start" | "end">>(
  events: readonly E[],
  day: Day,
  zone: string,
): Placed<E>[] {
  // Where clocks are set on this day, what has passed since midnight says something else.
  const minutes = (at: string) => {
    const [on, time] = wallTime(at, zone).split("T") as [Day, string];
    const [hour, minute] = time.split(":").map(Number) as [number, number];
    return on === day ? hour * 60 + minute : on < day ? 0 : 1440;
  };
  const open = events.map((event) => {
    const from = minutes(event.start);
    return { event, from, to: Math.min(1440, Math.max(minutes(event.end), from + LEAST)) };
  }).sort((a, b) => a.from - b.from || b.to - a.to);

  const result: Placed<E>[] = [];
  let group: { event: E; from: number; to: number; column: number }[] = [];
  const close = () => {
    const columns = Math.max(0, ...group.map(({ column }) => column + 1));
    for (const one of group) {
      const beside = group.filter(({ column, from, to }) =>
        column > one.column && from < one.to && one.from < to
      );
      const next = Math.min(columns, ...beside.map(({ column }) => column));
      result.push({ ...one, columns, span: next - one.column });
    }
    group = [];
  };
  for (const one of open) {
    if (group.length > 0 && group.every(({ to }) => to <= one.from)) close();
    const taken = new Set(group.filter(({ to }) => to > one.from).map(({ column }) => column));
    let column = 0;
    while (taken.has(column)) column++;
    group.push({ ...one, column });
  }
  close();
  return result;
}

/** The moments that a row of days reaches over. */
export function windowOf(days: readonly Day[], zone: string): { from: string; to: string } {
  return {
    from: moment(`${days[0]}T00:00`, zone),
    to: moment(`${addDays(days.at(-1)!, 1)}T00:00`, zone),
  };
}
