// The figures of the dashboard as its charts take them.
import type { DashboardOverview } from "../../../client/mod.ts";
import type { ChartData } from "../../parts/charts/data.ts";
import { date } from "../../state/format.ts";
import { texts } from "./texts.ts";

export type Visits = DashboardOverview["visits"];
export type Sales = DashboardOverview["sales"];

/** From so many points on, a chart is drawn as a long series. */
export const LONG = 90;

const HOURS = 3_600_000;
/** Months; more than that are not told apart by their names alone. */
const YEAR = 12;

/** A day as a moment that is of that day wherever people are: noon in UTC, from -12 to +11 hours. */
export function noonOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) + 12 * HOURS;
}

export function visitsChart(visits: Visits): ChartData {
  const said = texts();
  return {
    title: said.visitsTitle,
    labels: visits.map((one) => date(one.date, "short")),
    series: [
      { name: said.visits, values: visits.map((one) => one.visits) },
      { name: said.visitors, values: visits.map((one) => one.uniqueVisitors) },
    ],
  };
}

/**
 * Months for a range of days: those that the days are in, and the one before, which growth is told against. All are
 * those of UTC, as the server has them.
 *
 * @param now Milliseconds since 1970.
 */
export function monthsFor(days: number, now: number): number {
  const monthOf = (at: Date) => at.getUTCFullYear() * YEAR + at.getUTCMonth();
  const first = new Date(now - (days - 1) * 24 * HOURS);
  return monthOf(new Date(now)) - monthOf(first) + 2;
}

/** All that is known of visits, for a file. */
export function visitsTable(visits: Visits): ChartData {
  const chart = visitsChart(visits);
  return {
    ...chart,
    labels: visits.map((one) => one.date),
    series: [...chart.series, {
      name: texts().views,
      values: visits.map(({ pageViews }) => pageViews),
    }],
  };
}

export function salesChart(sales: Sales): ChartData {
  const said = texts();
  const style = sales.length > YEAR ? "month" : "monthShort";
  return {
    title: said.salesTitle,
    labels: sales.map(({ month }) => date(`${month}-15`, style)),
    series: [
      { name: said.sales, values: sales.map((one) => one.sales) },
      { name: said.profit, values: sales.map(({ profit }) => profit) },
    ],
  };
}

export function salesTable(sales: Sales): ChartData {
  const chart = salesChart(sales);
  return {
    ...chart,
    labels: sales.map(({ month }) => month),
    series: [...chart.series, {
      name: texts().ordersSeries,
      values: sales.map(({ orders }) => orders),
    }],
  };
}
