// Numbers, sizes, dates and times as the locale and the time zone have them.
import { computed } from "@preact/signals";
import { locale } from "./language.ts";
import { wallTime } from "../parts/zoned.ts";
import { preferences } from "./preferences.ts";

/** IANA name. */
export const timeZone = computed<string>(() =>
  preferences.value.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
);

const cached = <O extends object, F>(make: (locale: string, options: O) => F) => {
  const made = new Map<string, F>();
  return (options: O): F => {
    const key = locale.value + JSON.stringify(options);
    let format = made.get(key);
    if (!format) made.set(key, format = make(locale.value, options));
    return format;
  };
};

const numbers = cached((at: string, options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat(at, options)
);
const dates = cached((at: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(at, options)
);
const relative = cached((at: string, options: Intl.RelativeTimeFormatOptions) =>
  new Intl.RelativeTimeFormat(at, options)
);

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return numbers(options).format(value);
}

/** `12.3K` */
export function compactNumber(value: number): string {
  return number(value, { notation: "compact", maximumFractionDigits: 1 });
}

/** @param part 0.25 is 25 % */
export function percent(part: number): string {
  return number(part, { style: "percent", maximumFractionDigits: 1 });
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** @param bytes Thousand bytes are a kilobyte, as the API counts. */
export function fileSize(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return number(bytes / 1000 ** step, {
    style: "unit",
    unit: UNITS[step]!,
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
}

export type DateStyle =
  | "date"
  | "short"
  | "shortTime"
  | "time"
  | "dateTime"
  | "full"
  | "long"
  | "month"
  | "monthShort"
  | "weekday";

const STYLES: Readonly<Record<DateStyle, Intl.DateTimeFormatOptions>> = {
  date: { dateStyle: "medium" },
  short: { month: "short", day: "numeric" },
  shortTime: { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" },
  time: { timeStyle: "short" },
  dateTime: { dateStyle: "medium", timeStyle: "short" },
  full: { dateStyle: "full", timeStyle: "long" },
  long: { weekday: "long", day: "numeric", month: "long" },
  month: { year: "numeric", month: "long" },
  monthShort: { month: "short" },
  weekday: { weekday: "short" },
};

/** @param at ISO 8601, milliseconds since 1970 or a Date; a date without a time (`2026-11-22`) is one everywhere. */
export function date(at: string | number | Date, style: DateStyle = "date"): string {
  const whole = typeof at === "string" && at.length <= 10;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return "";
  return dates({ ...STYLES[style], timeZone: whole ? "UTC" : timeZone.value }).format(moment);
}

/** Days from one to another, `29 Nov – 28 Dec 2026`; both as a date without a time (`2026-11-29`). */
export function dayRange(first: string, last: string): string {
  return dates({ ...STYLES.date, timeZone: "UTC" }).formatRange(new Date(first), new Date(last));
}

/** The times of day between which something is; with the days, where they are different ones. */
export function timeRange(start: string, end: string): string {
  const style = dayOf(start) === dayOf(end) ? "time" : "shortTime";
  return `${date(start, style)} – ${date(end, style)}`;
}

const SPANS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** `3 minutes ago`, `yesterday`, `in 2 days`. */
export function ago(at: string | number | Date, now = Date.now()): string {
  const moment = new Date(at).getTime();
  const seconds = (moment - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  const [unit, size] = SPANS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  const count = Math.trunc(seconds / size);
  if (unit === "second") return relative(WORDS).format(Math.abs(count) < 10 ? 0 : count, unit);
  // Yesterday is the day before today, not what is 24 to 48 hours ago; last week may be two weeks ago, by the calendar.
  if (unit === "day") return relative(WORDS).format(daysBetween(now, moment), unit);
  return relative({ numeric: "always" }).format(count, unit);
}

const WORDS = { numeric: "auto" } as const;

function daysBetween(from: number, to: number): number {
  return (Date.parse(dayOf(to)) - Date.parse(dayOf(from))) / 86_400_000;
}

/** The day that it is in one's zone, `2026-11-22`. */
function dayOf(at: string | number): string {
  return wallTime(new Date(at).toISOString(), timeZone.value).slice(0, 10);
}

/** Milliseconds as `850 ms`, `1.2 s`, `3 min`. */
export function duration(milliseconds: number): string {
  const [value, unit] = milliseconds < 1000
    ? [milliseconds, "millisecond"]
    : milliseconds < 60_000
    ? [milliseconds / 1000, "second"]
    : milliseconds < 3_600_000
    ? [milliseconds / 60_000, "minute"]
    : milliseconds < 86_400_000
    ? [milliseconds / 3_600_000, "hour"]
    : [milliseconds / 86_400_000, "day"];
  return number(value as number, {
    style: "unit",
    unit: unit as string,
    unitDisplay: "short",
    maximumFractionDigits: 1,
  });
}

/** `A, B and C` */
export function listed(texts: readonly string[]): string {
  return new Intl.ListFormat(locale.value, { type: "conjunction" }).format(texts);
}
