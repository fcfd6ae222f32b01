// The dashboard's figures, all computed from stored records. Days and months are those of UTC.
import type { z } from "zod";
import { JsonText } from "../../core/json.ts";
import {
  pieSlice,
  type PublicStats,
  publicStats,
  sales,
  salesPoint,
  tasks,
  userStatistics,
  visitPoint,
  visits,
} from "../../models/dashboard.ts";
import { documents } from "../../models/documents.ts";
import { type File, files, fileType, storageUsage } from "../../models/files.ts";
import { users, userStatus } from "../../models/users.ts";
import { remembering } from "../../storage/memory/remembered.ts";
import type { Group, Store } from "../../storage/port.ts";
import { personOf } from "../access/persons.ts";
import type { Awaitable } from "../../core/awaitable.ts";
import { DAY, KIB } from "../../core/units.ts";

type Source = Pick<Store, "from">;

/** Users shown as the newest. */
const RECENT = 5;

/** One colour a file type, told apart on light and dark ground. */
const COLORS: Readonly<Record<File["type"], string>> = {
  image: "#4e79a7",
  video: "#e15759",
  audio: "#76b7b2",
  archive: "#f28e2b",
  document: "#59a14f",
  other: "#9c9c9c",
};

/** `2026-11` */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/**
 * A month some months before.
 *
 * @param month `2026-11`
 */
export function monthsBefore(month: string, count: number): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return monthOf(new Date(Date.UTC(year, number - 1 - count)));
}

/** In percent, with one decimal; 0 when there was nothing before. */
export function growth(now: number, before: number): number {
  return before === 0 ? 0 : rounded((now - before) / before * 100, 1);
}

/** Orders per visit, in percent; 0 without visits. */
function conversionRate(orders: number, visits: number): number {
  return visits === 0 ? 0 : orders / visits * 100;
}

function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor || 0;
}

/** What the statistics are computed from. */
function readFigures(store: Source) {
  return [
    store.from(users).aggregate({ by: "status" }),
    store.from(users).aggregate({ by: "month" }),
    store.from(documents).count(),
    store.from(files).count(),
    store.from(storageUsage).aggregate({ sum: ["used"] }),
    store.from(sales).aggregate({ by: "month", on: "date", sum: ["amount", "orders"] }),
    store.from(visits).aggregate({ by: "month", on: "date", sum: ["visits"] }),
    store.from(tasks).count({ status: "pending" }),
  ] as const;
}

type Reads = ReturnType<typeof readFigures>;
type Figures = { readonly [K in keyof Reads]: Awaited<Reads[K]> };

/**
 * @param month The current one, `2026-11`.
 */
function compute(figures: Figures, month: string): PublicStats {
  const [byStatus, byMonth, totalDocuments, totalFiles, usage, sold, visited, pendingTasks] =
    figures;
  const before = monthsBefore(month, 1);
  const totalUsers = countOf(byStatus);
  const orders = (key?: string) => sumOf(sold, "orders", key);
  const rate = (key?: string) => conversionRate(orders(key), sumOf(visited, "visits", key));
  return {
    totalUsers,
    activeUsers: countOf(byStatus, "active"),
    totalDocuments,
    totalFiles,
    storageUsed: sumOf(usage, "used"),
    totalRevenue: rounded(sumOf(sold, "amount"), 2),
    totalOrders: orders(),
    conversionRate: rounded(rate(), 2),
    userGrowth: growth(totalUsers, countOf(byMonth.filter(({ key }) => key < month))),
    revenueGrowth: growth(sumOf(sold, "amount", month), sumOf(sold, "amount", before)),
    orderGrowth: growth(orders(month), orders(before)),
    rateGrowth: growth(rate(month), rate(before)),
    pendingTasks,
  };
}

function countOf(groups: readonly Group[], key?: string): number {
  let count = 0;
  for (const group of groups) if (key === undefined || group.key === key) count += group.count;
  return count;
}

function sumOf(groups: readonly Group[], field: string, key?: string): number {
  let sum = 0;
  for (const group of groups) {
    if (key === undefined || group.key === key) sum += group.sums[field] ?? 0;
  }
  return sum;
}

/** By month. It rests on every collection that `readFigures` reads. */
const remembered = remembering<JsonText>(
  [users, documents, files, storageUsage, sales, visits, tasks],
  { maxBytes: 16 * KIB, bytesOf: (json) => 2 * json.text.length },
);

/** The statistics as JSON: made anew only when a record that they rest on, or the month, is another one. */
export function statistics(store: Source, now: Date): Awaitable<JsonText> {
  const month = monthOf(now);
  return remembered(store).through(month, () => compile(store, month));
}

async function compile(store: Source, month: string): Promise<JsonText> {
  const figures = await Promise.all(readFigures(store)) as unknown as Figures;
  return new JsonText(JSON.stringify(publicStats.parse(compute(figures, month))));
}

/** The visits of the last days, today included, without gaps. */
export async function dailyVisits(
  store: Source,
  now: Date,
  days: number,
): Promise<z.infer<typeof visitPoint>[]> {
  const dates = Array.from(
    { length: days },
    (_, i) => new Date(now.getTime() - (days - 1 - i) * DAY).toISOString().slice(0, 10),
  );
  const groups = await store.from(visits).aggregate({
    by: "day",
    on: "date",
    sum: ["visits", "uniqueVisitors", "pageViews"],
    where: { date: { gte: dates[0] } },
  });
  return dates.map((date) => ({
    date,
    visits: sumOf(groups, "visits", date),
    uniqueVisitors: sumOf(groups, "uniqueVisitors", date),
    pageViews: sumOf(groups, "pageViews", date),
  }));
}

/** The sales of the last months, the current one included, without gaps. */
export async function monthlySales(
  store: Source,
  now: Date,
  count: number,
): Promise<z.infer<typeof salesPoint>[]> {
  const current = monthOf(now);
  const months = Array.from({ length: count }, (_, i) => monthsBefore(current, count - 1 - i));
  const groups = await store.from(sales).aggregate({
    by: "month",
    on: "date",
    sum: ["amount", "orders", "cost"],
    where: { date: { gte: `${months[0]}-01` } },
  });
  return months.map((month) => {
    const amount = sumOf(groups, "amount", month);
    return {
      month,
      sales: rounded(amount, 2),
      orders: sumOf(groups, "orders", month),
      profit: rounded(amount - sumOf(groups, "cost", month), 2),
    };
  });
}

/** How many files there are of each type; types without files are left out. */
export async function filesByType(store: Source): Promise<z.infer<typeof pieSlice>[]> {
  const groups = await store.from(files).aggregate({ by: "type" });
  return fileType.options
    .map((name) => ({ name, value: countOf(groups, name), color: COLORS[name] }))
    .filter(({ value }) => value > 0);
}

export async function statisticsOfUsers(
  store: Source,
  now: Date,
): Promise<z.infer<typeof userStatistics>> {
  const [byStatus, byMonth, byRole, newest] = await Promise.all([
    store.from(users).aggregate({ by: "status" }),
    store.from(users).aggregate({ by: "month" }),
    store.from(users).aggregate({ by: "role" }),
    store.from(users).list({ limit: RECENT }),
  ]);
  const [active, inactive, suspended] = userStatus.options.map((status) =>
    countOf(byStatus, status)
  ) as [number, number, number];
  return {
    total: countOf(byStatus),
    active,
    inactive,
    suspended,
    newThisMonth: countOf(byMonth, monthOf(now)),
    byRole: byRole.map(({ key, count }) => ({ role: key, count })),
    recent: newest.rows.map((user) => ({ ...personOf(user), createdAt: user.createdAt })),
  };
}
