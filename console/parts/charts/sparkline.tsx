// A line without axes, beside a figure.
import { areaPath, linear, linePath } from "./scales.ts";

export interface SparklineProps {
  values: readonly number[];
  /** What it shows, where no text says so. */
  label?: string;
  /** Pixels. @default 96 */
  width?: number;
  /** Pixels. @default 28 */
  height?: number;
}

export function Sparkline({ values, label, width = 96, height = 28 }: SparklineProps) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const x = linear([0, Math.max(1, values.length - 1)], [2, width - 4]);
  const y = high === low ? () => height / 2 : linear([low, high], [height - 3, 4]);
  const last = values.at(-1);
  return (
    <svg
      class="sparkline series-0"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
    >
      <path class="series-area" d={areaPath(values, x, y, height)} />
      <path class="series-line" d={linePath(values, x, y)} />
      {last !== undefined && (
        <circle class="sparkline-end" cx={x(values.length - 1)} cy={y(last)} r="2" />
      )}
    </svg>
  );
}
