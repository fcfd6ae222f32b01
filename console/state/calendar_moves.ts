// Where an event begins once it was moved: by whole days, at the same time of the day whatever clocks do between, or by
// minutes; and which day of a month's page a key leads to.
import type { Event } from "../../client/mod.ts";
import { moment, wallTime } from "../parts/zoned.ts";
import { addDays, addMonths, type Day, weekStart } from "./calendar_days.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

export interface Shift {
  readonly days?: number;
  /** Whole days are not moved by them. */
  readonly minutes?: number;
}

/** @returns Where it begins, ISO 8601. */
export function shifted(
  { start, allDay }: Pick<Event, "start" | "allDay">,
  { days = 0, minutes = 0 }: Shift,
  zone: string,
): string {
  const shown = allDay ? "UTC" : zone;
  const [day, time] = wallTime(start, shown).split("T") as [Day, string];
  const at = days === 0
    ? Date.parse(start)
    : Date.parse(moment(`${addDays(day, days)}T${time}`, shown)) + Date.parse(start) % MINUTE;
  return new Date(at + (allDay ? 0 : minutes * MINUTE)).toISOString();
}

/** Days from one to the other; negative where the other is before. */
export function daysBetween(one: Day, other: Day): number {
  return (Date.parse(`${other}T00:00:00Z`) - Date.parse(`${one}T00:00:00Z`)) / DAY;
}

/** What arrow keys do with an event: a day sideways, an hour up and down, a week where it is of whole days. */
export function shiftOf(key: string, allDay: boolean, rtl: boolean): Shift | null {
  if (key === "ArrowLeft" || key === "ArrowRight") {
    return { days: (key === "ArrowRight") === rtl ? -1 : 1 };
  }
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const way = key === "ArrowUp" ? -1 : 1;
  return allDay ? { days: 7 * way } : { minutes: 60 * way };
}

/**
 * The day that a key leads to, as ARIA's authoring practices have it for calendars.
 *
 * @param first The day that weeks begin with: 1 is Monday.
 */
export function dayByKey(key: string, day: Day, first: number, rtl: boolean): Day | null {
  const week = weekStart(day, first);
  const targets: Readonly<Record<string, Day>> = {
    ArrowLeft: addDays(day, rtl ? 1 : -1),
    ArrowRight: addDays(day, rtl ? -1 : 1),
    ArrowUp: addDays(day, -7),
    ArrowDown: addDays(day, 7),
    Home: week,
    End: addDays(week, 6),
    PageUp: addMonths(day, -1),
    PageDown: addMonths(day, 1),
  };
  return targets[key] ?? null;
}
