// A chart of bars, for amounts beside each other.
import { compactNumber } from "../../state/format.ts";
import { axisWidth, ChartFrame, EDGE, LabelAxis, ValueAxis } from "./chart_frame.tsx";
import { bounds, type ChartData } from "./data.ts";
import { bands, barPath, fitting, linear, ticks } from "./scales.ts";

export interface BarChartProps extends ChartData {
  /** Pixels. @default 220 */
  height?: number;
  /** Several series on each other, not beside each other. */
  stacked?: boolean;
  /** Values at the axis. @default short numbers */
  formatAxis?: (value: number) => string;
}

/** Pixels: few bars are no walls. */
const MOST_WIDE = 48;

export function BarChart({ stacked = false, formatAxis = compactNumber, ...chart }: BarChartProps) {
  const { labels, series } = chart;
  const scale = ticks(...bounds(series, stacked));
  const marks = scale.map((value) => [value, formatAxis(value)] as const);
  const left = axisWidth(marks.map(([, text]) => text));
  const most = MOST_WIDE * (stacked ? 1 : series.length);
  const across = (width: number) => bands(labels.length, [left, width - EDGE.right], 0.3, most);
  const middle = (index: number, width: number) =>
    across(width).at(index) + across(width).width / 2;
  return (
    <ChartFrame
      {...chart}
      placeOf={middle}
      labelAt={(place, width) =>
        place < left ? -1 : Math.floor((place - left) / across(width).step)}
    >
      {({ width, height, active }) => {
        const { at, width: band, step } = across(width);
        const base = height - EDGE.bottom;
        const y = linear([scale[0]!, scale.at(-1)!], [base, EDGE.top]);
        return (
          <>
            {active >= 0 && (
              <rect
                class="chart-band"
                x={left + step * active}
                y={EDGE.top}
                width={step}
                height={base - EDGE.top}
              />
            )}
            <ValueAxis marks={marks} y={y} left={left} width={width} />
            <LabelAxis
              labels={labels}
              indices={fitting(labels, width - left)}
              x={(index) => middle(index, width)}
              y={height - 6}
              width={width}
            />
            {series.map(({ name, values }, which) => (
              <g key={name} class={`series series-${which % 6}`}>
                {values.map((value, index) => {
                  if (value === null || value === 0) {
                    return null;
                  }
                  const below = stacked
                    ? series.slice(0, which).reduce((sum, one) =>
                      sum + (one.values[index] ?? 0), 0)
                    : 0;
                  const slim = stacked ? band : band / series.length;
                  const gap = !stacked && series.length > 1 ? 1 : 0;
                  const start = at(index) + (stacked ? 0 : slim * which);
                  return (
                    <path
                      key={index}
                      class="series-bar"
                      d={barPath(start, slim - gap, y(below), y(below + value))}
                    />
                  );
                })}
              </g>
            ))}
          </>
        );
      }}
    </ChartFrame>
  );
}
