// What charts show.
import { number } from "../../state/format.ts";
import { csvOf } from "../csv.ts";
import { texts } from "../texts.ts";
import type { Value } from "./scales.ts";

export interface Series {
  /** What the values are: "Visits". */
  readonly name: string;
  /** One for each label; null where there is none. */
  readonly values: readonly Value[];
}

export interface ChartData {
  /** What the chart shows: its name. */
  title: string;
  /** Along the axis. */
  labels: readonly string[];
  series: readonly Series[];
  /** Values as people read them. @default numbers of the locale */
  format?: (value: number) => string;
}

export const plain = (value: number) => number(value);

/** A line for each label. */
export function chartCsv({ labels, series }: Pick<ChartData, "labels" | "series">): string {
  return csvOf(
    [texts().charts.label, ...series.map(({ name }) => name)],
    labels.map((label, index) => [label, ...series.map(({ values }) => values[index] ?? null)]),
  );
}

/** The smallest and the largest value; of bars that stand on each other, the largest sum. */
export function bounds(series: readonly Series[], stacked = false): readonly [number, number] {
  if (stacked) {
    const sums = (series[0]?.values ?? []).map((_, index) =>
      series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
    );
    return [0, Math.max(0, ...sums)];
  }
  const values = series.flatMap(({ values }) => values.filter((value) => value !== null));
  return [values.reduce((a, b) => Math.min(a, b), 0), values.reduce((a, b) => Math.max(a, b), 0)];
}

/** In words: "Mar 3: 12 visits, 3 sales". */
export function pointText({ labels, series, format = plain }: ChartData, index: number): string {
  const values = series.map(({ name, values }) => {
    const value = values[index];
    const text = value === null || value === undefined ? "–" : format(value);
    return series.length > 1 ? `${name} ${text}` : text;
  });
  return texts().charts.point(labels[index] ?? "", values.join(", "));
}
