// The figures of the dashboard as its charts take them.
import type { DashboardOverview } from "../../../client/mod.ts";
import type { ChartData } from "../../parts/charts/data.ts";
import { date } from "../../state/format.ts";
import { texts } from "./texts.ts";

export type Visits = DashboardOverview["visits"];
export type Sales = DashboardOverview["sales"];

/** Days that can be looked at. */
export const RANGES = [7, 30, 90, 365] as const;
export type Range = (typeof RANGES)[number];

export function rangeOf(text: string): Range {
  return RANGES.find((one) => String(one) === text) ?? RANGES[0];
}

/** From so many points on, a chart is drawn as a long series. */
export const LONG = 90;

const HOURS = 3_600_000;

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
  return {
    title: said.salesTitle,
    labels: sales.map(({ month }) => date(`${month}-15`, "monthShort")),
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
