// A chart of lines, for what changes over time.
import { compactNumber } from "../../state/format.ts";
import { axisWidth, ChartFrame, EDGE, LabelAxis, ValueAxis } from "./chart_frame.tsx";
import { bounds, type ChartData } from "./data.ts";
import { areaPath, fitting, linear, linePath, ticks } from "./scales.ts";

export interface LineChartProps extends ChartData {
  /** Pixels. @default 220 */
  height?: number;
  /** Fills what is under the line. */
  area?: boolean;
  /** Values at the axis. @default short numbers */
  formatAxis?: (value: number) => string;
}

export function LineChart({ area = false, formatAxis = compactNumber, ...chart }: LineChartProps) {
  const { labels, series } = chart;
  const scale = ticks(...bounds(series));
  const marks = scale.map((value) => [value, formatAxis(value)] as const);
  const left = axisWidth(marks.map(([, text]) => text));
  const across = (width: number) =>
    linear([0, Math.max(1, labels.length - 1)], [left + 6, width - EDGE.right - 6]);
  return (
    <ChartFrame
      {...chart}
      placeOf={(index, width) => across(width)(index)}
      labelAt={(place, width) => {
        const from = across(width)(0);
        const step = across(width)(1) - from;
        return Math.max(0, Math.round((place - from) / step));
      }}
    >
      {({ width, height, active }) => {
        const x = across(width);
        const base = height - EDGE.bottom;
        const y = linear([scale[0]!, scale.at(-1)!], [base, EDGE.top]);
        return (
          <>
            <ValueAxis marks={marks} y={y} left={left} width={width} />
            <LabelAxis
              labels={labels}
              indices={fitting(labels, width - left)}
              x={x}
              y={height - 6}
              width={width}
            />
            {active >= 0 && (
              <line class="chart-cross" x1={x(active)} x2={x(active)} y1={EDGE.top} y2={base} />
            )}
            {series.map(({ name, values }, index) => (
              <g key={name} class={`series series-${index % 6}`}>
                {area && <path class="series-area" d={areaPath(values, x, y, y(0))} />}
                <path class="series-line" d={linePath(values, x, y)} />
                {values.length === 1 && values[0] !== null && (
                  <circle class="series-dot" cx={x(0)} cy={y(values[0]!)} r="3.5" />
                )}
                {active >= 0 && values[active] !== null && values[active] !== undefined && (
                  <circle class="series-dot" cx={x(active)} cy={y(values[active]!)} r="4" />
                )}
              </g>
            ))}
          </>
        );
      }}
    </ChartFrame>
  );
}
