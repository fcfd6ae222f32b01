// What people have done within a range: read in few requests, and counted by hour, day or week.
import { type Activity, listActivities } from "../../../client/mod.ts";
import type { ChartData } from "../../parts/charts/data.ts";
import { moment, wallTime } from "../../parts/zoned.ts";
import { date, number, timeZone } from "../../state/format.ts";
import { queries, useQuery } from "../../state/query.ts";
import type { Range } from "./range.tsx";
import { texts } from "./texts.ts";

/** Acts of one request: as many as the server gives. */
const PAGE = 100;
/** Requests for one chart, at most: what is older is left out, and the chart says so. */
const MOST_PAGES = 5;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What was read of a range. */
export interface Recent {
  readonly days: Range;
  /** Newest first. */
  readonly acts: readonly Activity[];
  /** Those of the whole range, also where not all were read. */
  readonly total: number;
  /** From when on all were read, in milliseconds since 1970: from the start of the range, or from the oldest act. */
  readonly from: number;
  /** When it was read. */
  readonly now: number;
}

/** One page of acts, newest first. @param cursor Of the page before. */
export type ReadPage = (cursor?: string) => Promise<{
  readonly data: readonly Activity[];
  readonly pagination: { readonly total: number; readonly nextCursor?: string | null };
}>;

/** The day before another, so many times. @param day `2026-11-22` */
function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(day) - count * DAY).toISOString().slice(0, 10);
}

/** When a range begins: so many days ago, today counted, by the clocks of the zone. */
export function startOf(days: number, now: number, zone: string): number {
  const today = wallTime(new Date(now).toISOString(), zone).slice(0, 10);
  return midnightOf(daysBefore(today, days - 1), zone);
}

function midnightOf(day: string, zone: string): number {
  return Date.parse(moment(`${day}T00:00`, zone));
}

/**
 * Reads pages until all is there, or what was read before goes on from there, or it is enough.
 *
 * @param known What was read before, newest first.
 */
export async function gather(
  read: ReadPage,
  known: readonly Activity[],
): Promise<Pick<Recent, "acts" | "total">> {
  const before = new Set(known.map(({ id }) => id));
  const acts: Activity[] = [];
  let total = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { data, pagination } = await read(cursor);
    if (page === 0) total = pagination.total;
    acts.push(...data);
    cursor = pagination.nextCursor ?? undefined;
    if (cursor === undefined) break;
    const last = data.at(-1);
    if (last && before.has(last.id)) {
      acts.push(...known.slice(known.findIndex(({ id }) => id === last.id) + 1));
      break;
    }
  }
  return { acts: acts.slice(0, MOST_PAGES * PAGE), total };
}

/** What was done lately; every card that shows it shares the reading. */
export function useRecent(days: Range) {
  const zone = timeZone.value;
  const key = ["dashboard", "activities", days, zone];
  return useQuery<Recent>(key, async (signal) => {
    const now = Date.now();
    const start = startOf(days, now, zone);
    const createdAt_gte = new Date(start).toISOString();
    const known = queries.getQueryData<Recent>(key)?.acts ?? [];
    const { acts, total } = await gather(
      (cursor) => {
        const query = { createdAt_gte, limit: PAGE, ...(cursor ? { cursor } : {}) };
        return listActivities({ query, signal });
      },
      known.filter(({ time }) => Date.parse(time) >= start),
    );
    const oldest = acts.at(-1);
    return {
      days,
      acts,
      total,
      from: oldest && acts.length < total ? Date.parse(oldest.time) : start,
      now,
    };
  });
}

/** What one bar stands for. */
export type Step = "hour" | "day" | "week";

/** Milliseconds up to which bars stand for hours, or for days. */
const HOURS_UP_TO = 2 * DAY;
const DAYS_UP_TO = 32 * DAY;

export function stepOf(from: number, now: number): Step {
  const span = now - from;
  return span <= HOURS_UP_TO ? "hour" : span <= DAYS_UP_TO ? "day" : "week";
}

/** When each bar begins, in milliseconds since 1970, ascending. Weeks are those that end today. */
export function startsOf(step: Step, from: number, now: number, zone: string): number[] {
  const wall = (at: number) => wallTime(new Date(at).toISOString(), zone);
  if (step === "hour") {
    const first = Date.parse(moment(`${wall(from).slice(0, 13)}:00`, zone));
    return Array.from(
      { length: Math.floor((now - first) / HOUR) + 1 },
      (_, index) => first + index * HOUR,
    );
  }
  const [first, today] = [wall(from).slice(0, 10), wall(now).slice(0, 10)];
  const width = step === "day" ? 1 : 7;
  const starts: number[] = [];
  for (let day = daysBefore(today, width - 1);; day = daysBefore(day, width)) {
    starts.unshift(midnightOf(day > first ? day : first, zone));
    if (day <= first) return starts;
  }
}

/** What is told apart; the rest is signing in, exports and the like. */
const KINDS: Readonly<Record<string, Kind>> = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  purge: "deleted",
  erased: "deleted",
};
const ORDER = ["created", "changed", "deleted", "other"] as const;
type Kind = (typeof ORDER)[number];

/** How many acts of each kind there were from each start to the next. */
export function countActs(
  acts: readonly Pick<Activity, "action" | "time">[],
  starts: readonly number[],
): Record<Kind, number[]> {
  const none = () => starts.map(() => 0);
  const counts = { created: none(), changed: none(), deleted: none(), other: none() };
  for (const { action, time } of acts) {
    const at = Date.parse(time);
    const kind = Object.hasOwn(KINDS, action) ? KINDS[action]! : "other";
    const bar = starts.findLastIndex((start) => start <= at);
    if (bar >= 0) counts[kind][bar]!++;
  }
  return counts;
}

/** The chart, and the same for a file: its labels are moments and days as programs read them. */
export function activityCharts(
  { acts, from, now }: Recent,
  zone: string,
): { chart: ChartData; table: ChartData } {
  const said = texts();
  const step = stepOf(from, now);
  const starts = startsOf(step, from, now, zone);
  const counts = countActs(acts, starts);
  const series = ORDER.map((kind) => ({ name: said.actKinds[kind], values: counts[kind] }));
  const title = said.activityBy[step];
  const hours = step === "hour";
  return {
    chart: {
      title,
      labels: acts.length === 0
        ? []
        : starts.map((start) => date(start, hours ? "dateTime" : "short")),
      series,
    },
    table: {
      title,
      labels: starts.map((start) =>
        hours
          ? new Date(start).toISOString()
          : wallTime(new Date(start).toISOString(), zone).slice(0, 10)
      ),
      series,
    },
  };
}

/** What the chart covers, in words. */
export function coverage({ days, acts, total, from, now }: Recent): string {
  const said = texts();
  if (acts.length >= total) return said.actsIn(total, number(total), days, stepOf(from, now));
  return said.newestActs(number(acts.length), number(total), date(from, "dateTime"));
}
