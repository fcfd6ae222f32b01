// A ring of parts of a whole, with its legend.
import { useState } from "preact/hooks";
import { compactNumber, percent } from "../../state/format.ts";
import { classes } from "../classes.ts";
import { texts } from "../texts.ts";
import { ChartTable } from "./chart_frame.tsx";
import { plain } from "./data.ts";
import { arcs } from "./scales.ts";

export interface Slice {
  readonly label: string;
  readonly value: number;
}

export interface DonutChartProps {
  title: string;
  slices: readonly Slice[];
  /** What the values are: "Files". */
  unit: string;
  format?: (value: number) => string;
  /** The sum in the middle. @default a short number */
  formatTotal?: (value: number) => string;
}

const RADIUS = 15.915494; // A circle of this radius is 100 around.
/** Of the circle, between two parts. */
const GAP = 0.008;

export function DonutChart(
  { title, slices, unit, format = plain, formatTotal = compactNumber }: DonutChartProps,
) {
  const [active, setActive] = useState(-1);
  const values = slices.map(({ value }) => value);
  const total = values.reduce((sum, value) => sum + value, 0);
  const parts = arcs(values);
  const gap = parts.length > 1 ? GAP : 0;
  const middle = slices[active];
  if (total <= 0) {
    return (
      <figure class="chart">
        <p class="chart-none">{texts().charts.none}</p>
      </figure>
    );
  }
  return (
    <figure class="chart donut">
      <svg class="donut-ring" viewBox="0 0 42 42" aria-hidden="true">
        {parts.map(({ index, from, to }) => (
          <circle
            key={index}
            class={classes(
              "donut-part",
              `series-${index % 6}`,
              active >= 0 && active !== index && "donut-faded",
            )}
            cx="21"
            cy="21"
            r={RADIUS}
            pathLength={1}
            stroke-dasharray={`${Math.max(to - from - gap, 0.002)} 1`}
            stroke-dashoffset={-from - gap / 2}
            onPointerEnter={() => setActive(index)}
            onPointerLeave={() => setActive(-1)}
          />
        ))}
        <text class="donut-total" x="21" y="21.4" text-anchor="middle">
          {formatTotal(middle?.value ?? total)}
        </text>
        <text class="donut-unit" x="21" y="25.4" text-anchor="middle">
          {middle ? percent(middle.value / total) : unit}
        </text>
      </svg>
      <ul class="donut-legend">
        {slices.map(({ label, value }, index) => (
          <li
            key={label}
            class={classes(active === index && "donut-active")}
            onPointerEnter={() => setActive(index)}
            onPointerLeave={() => setActive(-1)}
          >
            <span class={`swatch swatch-${index % 6}`} />
            <span class="cut">{label}</span>
            <span class="number muted">{percent(Math.round((value / total) * 1000) / 1000)}</span>
            <span class="number">{format(value)}</span>
          </li>
        ))}
      </ul>
      <ChartTable
        title={title}
        labels={slices.map(({ label }) => label)}
        series={[{ name: unit, values }]}
        format={format}
      />
    </figure>
  );
}
