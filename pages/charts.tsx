// Charts as inline SVG, each with its figures as a table for those who cannot see it. Styled by classes alone.

export interface Point {
  readonly label: string;
  readonly value: number;
}

interface ChartProps {
  readonly title: string;
  /** What the values are, for the table: "Visits". */
  readonly unit: string;
  readonly points: readonly Point[];
  readonly format?: (value: number) => string;
}

const WIDTH = 640;
const HEIGHT = 270;
const LEFT = 48;
const BOTTOM = 28;
const TOP = 12;
const PLOT = { width: WIDTH - LEFT - 8, height: HEIGHT - BOTTOM - TOP };

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat("en");

/** Round numbers from 0 that cover the values: 1, 2 or 5 times a power of ten apart. */
export function ticks(max: number, count = 4): number[] {
  if (max <= 0) return [0, 1];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  const step = Math.max(factor * power, 1);
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, i) => i * step);
}

function Axis({ scale, points, x }: {
  scale: readonly number[];
  points: readonly Point[];
  x: (index: number) => number;
}) {
  const top = scale.at(-1)!;
  const every = Math.ceil(points.length / 7);
  return (
    <>
      {scale.map((value) => {
        const y = round(TOP + PLOT.height * (1 - value / top));
        return (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH - 8} y1={y} y2={y} />
            <text class="tick" x={LEFT - 8} y={y + 4} text-anchor="end">
              {compact.format(value)}
            </text>
          </>
        );
      })}
      {points.map((point, index) =>
        index % every === 0 && (
          <text class="tick" x={x(index)} y={HEIGHT - 8} text-anchor="middle">{point.label}</text>
        )
      )}
    </>
  );
}

function Figures({ title, unit, points, format = plain.format }: ChartProps) {
  return (
    <details class="figures">
      <summary>Show as a table</summary>
      <div class="scroll" role="region" aria-label={`${title} as a table`} tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{title}</th>
              <th scope="col" class="number">{unit}</th>
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr>
                <th scope="row">{point.label}</th>
                <td class="number">{format(point.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function summary({ title, unit, points, format = plain.format }: ChartProps): string {
  const total = points.reduce((sum, point) => sum + point.value, 0);
  return `${title}: ${format(total)} ${unit.toLowerCase()} in all`;
}

/** Values over time. */
export function AreaChart(props: ChartProps) {
  const { points, format = plain.format } = props;
  const scale = ticks(Math.max(...points.map((point) => point.value)));
  const x = (index: number) =>
    round(LEFT + 12 + (PLOT.width - 24) * index / Math.max(points.length - 1, 1));
  const y = (value: number) => round(TOP + PLOT.height * (1 - value / scale.at(-1)!));
  const line = points.map((point, i) => `${i === 0 ? "M" : "L"}${x(i)} ${y(point.value)}`).join("");
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary(props)}>
        <Axis scale={scale} points={points} x={x} />
        <path class="area" d={`${line}L${x(points.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`} />
        <path class="line" d={line} />
        {points.map((point, index) => (
          <circle class="dot" cx={x(index)} cy={y(point.value)} r={3.5}>
            <title>{`${point.label}: ${format(point.value)}`}</title>
          </circle>
        ))}
      </svg>
      <Figures {...props} />
    </>
  );
}

/** Values by month. */
export function BarChart(props: ChartProps) {
  const { points, format = plain.format } = props;
  const scale = ticks(Math.max(...points.map((point) => point.value)));
  const slot = PLOT.width / points.length;
  const width = round(Math.min(slot * 0.62, 40));
  const x = (index: number) => round(LEFT + slot * (index + 0.5));
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary(props)}>
        <Axis scale={scale} points={points} x={x} />
        {points.map((point, index) => {
          const height = round(PLOT.height * Math.max(point.value, 0) / scale.at(-1)!);
          return (
            <rect
              class="bar"
              x={round(x(index) - width / 2)}
              y={round(TOP + PLOT.height - height)}
              width={width}
              height={height}
              rx={Math.min(4, height)}
            >
              <title>{`${point.label}: ${format(point.value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <Figures {...props} />
    </>
  );
}

export interface Slice extends Point {
  /** CSS colour. */
  readonly color: string;
}

const RADIUS = 60;
const AROUND = 2 * Math.PI * RADIUS;

/** Parts of a whole, with a legend that carries the figures. */
export function Donut({ title, slices }: { title: string; slices: readonly Slice[] }) {
  const total = slices.reduce((sum, slice) => sum + slice.value, 0);
  let before = 0;
  return (
    <div class="donut">
      <svg viewBox="0 0 160 160" role="img" aria-label={`${title}: ${plain.format(total)} in all`}>
        {slices.map((slice) => {
          const length = AROUND * slice.value / total;
          const offset = before;
          before += length;
          return (
            <circle
              class="slice"
              cx={80}
              cy={80}
              r={RADIUS}
              stroke={slice.color}
              stroke-dasharray={`${round(Math.max(length - 2, 0.5))} ${round(AROUND)}`}
              stroke-dashoffset={round(-offset)}
              transform="rotate(-90 80 80)"
            />
          );
        })}
        <text class="donut-total" x={80} y={86} text-anchor="middle">{compact.format(total)}</text>
      </svg>
      <ul class="legend">
        {slices.map((slice) => (
          <li>
            <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="3" fill={slice.color} />
            </svg>
            <span>{slice.label}</span>
            <span class="number">{plain.format(slice.value)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
