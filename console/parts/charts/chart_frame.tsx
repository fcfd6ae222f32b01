// What all charts have around them: their size, the pointer and the keys on them, their figures as a table.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { download } from "../csv.ts";
import { texts } from "../texts.ts";
import { type ListedKeys, useListedKeys } from "../use_listed_keys.ts";
import { chartCsv, type ChartData, plain, pointText } from "./data.ts";

export interface Drawing {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** The label that the pointer or the keys are at; -1 for none. */
  readonly active: number;
}

export interface ChartFrameProps extends ChartData {
  /** Pixels. @default 220 */
  height?: number;
  /** Which label stands at a place, counted from the start of the drawing. */
  labelAt: (x: number, width: number) => number;
  /** Where a label stands. */
  placeOf: (index: number, width: number) => number;
  children: (drawing: Drawing) => ComponentChildren;
}

const KEYS: ListedKeys = [["ArrowLeft ArrowRight", () => texts().charts.shortcut]];

/** Pixels, until it was measured. */
const FIRST_GUESS = 480;

export function ChartFrame({ height = 220, labelAt, placeOf, children, ...data }: ChartFrameProps) {
  const { title, labels, series } = data;
  const id = useId();
  const plot = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_GUESS);
  const [active, setActive] = useState(-1);
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.max(120, Math.round(plot.current!.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(plot.current!);
    return () => observer.disconnect();
  }, []);

  const some = labels.length > 0 &&
    series.some(({ values }) => values.some((value) => value !== null));
  useListedKeys(() => texts().charts.scope, some ? KEYS : []);
  const last = labels.length - 1;
  const keys: Record<string, number> = {
    ArrowRight: Math.min(active + 1, last),
    ArrowLeft: active < 0 ? last : Math.max(active - 1, 0),
    Home: 0,
    End: last,
    Escape: -1,
  };
  return (
    <figure class="chart">
      <div
        ref={plot}
        class="chart-plot"
        dir="ltr"
        role="group"
        tabIndex={some ? 0 : undefined}
        aria-label={title}
        aria-describedby={some ? `${id}-keys` : undefined}
        style={{ blockSize: `${height}px` }}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setActive(Math.max(-1, Math.min(last, labelAt(event.clientX - box.left, width))));
        }}
        onPointerLeave={() => setActive(-1)}
        onBlur={() => setActive(-1)}
        onKeyDown={(event) => {
          const next = keys[event.key];
          if (next === undefined || (next === -1 && active === -1)) return;
          event.preventDefault();
          event.stopPropagation();
          setActive(next);
        }}
      >
        {some
          ? (
            <svg
              width={width}
              height={height}
              viewBox={`0 0 ${width} ${height}`}
              aria-hidden="true"
            >
              {children({ width, height, active })}
            </svg>
          )
          : <p class="chart-none">{texts().charts.none}</p>}
        {active >= 0 && some && (
          <Tooltip {...data} index={active} x={placeOf(active, width)} width={width} />
        )}
        {some && <p class="unseen" id={`${id}-keys`}>{texts().charts.keys}</p>}
        <p class="unseen" role="status">{active >= 0 && some ? pointText(data, active) : ""}</p>
      </div>
      {series.length > 1 && (
        <ul class="legend" aria-hidden="true">
          {series.map(({ name }, index) => (
            <li key={name}>
              <span class={`swatch swatch-${index % 6}`} />
              {name}
            </li>
          ))}
        </ul>
      )}
      <ChartTable {...data} />
    </figure>
  );
}

/** Pixels between it and the place that it tells of. */
const ASIDE = 12;

function Tooltip(
  { labels, series, format = plain, index, x, width }: ChartData & {
    index: number;
    x: number;
    width: number;
  },
) {
  // Beside the line, on the side with more room, so that it hides nothing of what it tells of.
  const place = x > width / 2 ? { right: `${width - x + ASIDE}px` } : { left: `${x + ASIDE}px` };
  return (
    <div class="chart-tip" aria-hidden="true" style={place}>
      <p class="chart-tip-label">{labels[index]}</p>
      {series.map(({ name, values }, at) => (
        <p key={name} class="chart-tip-value">
          <span class={`swatch swatch-${at % 6}`} />
          <span class="cut">{name}</span>
          <strong class="number">
            {values[index] === null || values[index] === undefined ? "–" : format(values[index]!)}
          </strong>
        </p>
      ))}
    </div>
  );
}

/** The figures, for those who have them read out. */
export function ChartTable({ title, labels, series, format = plain }: ChartData) {
  return (
    <div class="unseen">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{texts().charts.label}</th>
            {series.map(({ name }) => <th key={name} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, index) => (
            <tr key={index}>
              <th scope="row">{label}</th>
              {series.map(({ name, values }) => (
                <td key={name}>
                  {values[index] === null || values[index] === undefined
                    ? "–"
                    : format(values[index]!)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Gives the figures of a chart as a file; stands among the actions of its card. */
export function ChartCsv(
  { data, name }: { data: Pick<ChartData, "title" | "labels" | "series">; name: string },
) {
  const said = texts().charts;
  return (
    <Button
      size="s"
      kind="quiet"
      icon="download"
      aria-label={said.download(data.title)}
      title={said.download(data.title)}
      onClick={() => download(`${name}.csv`, chartCsv(data))}
    >
      {said.csv}
    </Button>
  );
}

/** Pixels around the drawing. */
export const EDGE = { top: 12, bottom: 26, right: 8 } as const;

/** Room for the values at the axis, by the longest. */
export function axisWidth(marks: readonly string[]): number {
  return Math.ceil(Math.max(...marks.map((mark) => [...mark].length)) * 6.8) + 12;
}

/** Lines and values of the axis at the side. */
export function ValueAxis(
  { marks, y, left, width }: {
    marks: readonly (readonly [value: number, text: string])[];
    y: (value: number) => number;
    left: number;
    width: number;
  },
) {
  return (
    <g>
      {marks.map(([value, text]) => (
        <g key={value}>
          <line
            class={value === 0 ? "chart-base" : "chart-line"}
            x1={left}
            x2={width - EDGE.right}
            y1={y(value)}
            y2={y(value)}
          />
          <text class="chart-mark" x={left - 8} y={y(value) + 4} text-anchor="end">{text}</text>
        </g>
      ))}
    </g>
  );
}

/** Labels along the bottom. */
export function LabelAxis(
  { labels, indices, x, y, width }: {
    labels: readonly string[];
    indices: readonly number[];
    x: (index: number) => number;
    y: number;
    width: number;
  },
) {
  return (
    <g>
      {indices.map((index) => {
        const half = [...labels[index]!].length * 3.3;
        const at = x(index);
        const anchor = at + half > width ? "end" : "middle";
        return (
          <text
            key={index}
            class="chart-mark"
            x={anchor === "end" ? width : at}
            y={y}
            text-anchor={anchor}
          >
            {labels[index]}
          </text>
        );
      })}
    </g>
  );
}
