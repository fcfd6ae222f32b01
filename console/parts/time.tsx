// A moment, as people say it; the exact one as its tooltip.
import { signal } from "@preact/signals";
import { ago, date, type DateStyle } from "../state/format.ts";

export interface TimeProps {
  /** ISO 8601, milliseconds since 1970 or a Date; nothing is shown without. */
  at: string | number | Date | null | undefined;
  /** Relative: `3 minutes ago`, kept up to date. @default "relative" */
  style?: "relative" | DateStyle;
}

/** Milliseconds between two looks at the clock. */
const BEAT = 20_000;
let timer: ReturnType<typeof setInterval> | undefined;

/** Runs only as long as something shows it. */
const now = signal(Date.now(), {
  watched() {
    now.value = Date.now();
    timer = setInterval(() => now.value = Date.now(), BEAT);
  },
  unwatched: () => clearInterval(timer),
});

export function Time({ at, style = "relative" }: TimeProps) {
  if (at === null || at === undefined || at === "") return null;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return null;
  const text = style === "relative"
    ? ago(moment, Math.max(now.value, latest(moment)))
    : date(at, style);
  return (
    <time class="time" dateTime={moment.toISOString()} title={date(moment, "full")}>{text}</time>
  );
}

/** What came after the last look at the clock is not in the future. */
function latest(moment: Date): number {
  const at = moment.getTime();
  return at <= Date.now() ? at : 0;
}
