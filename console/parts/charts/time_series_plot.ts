// The drawing of a time series by uPlot. Its colours are those of the page, and follow them.
import uPlot from "uplot";
import type { Series } from "./data.ts";

export interface PlotOptions {
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Pixels. */
  readonly height: number;
  readonly format: (value: number) => string;
  readonly formatAxis: (value: number) => string;
  /** A moment in milliseconds, as the axis of a span of so many milliseconds shows it. */
  readonly formatTime: (at: number, span: number) => string;
  /** IANA name. */
  readonly zone: string;
}

export interface Drawn {
  update(times: readonly number[], series: readonly Series[]): void;
  destroy(): void;
}

/** A canvas knows no variables of style sheets: asks what a colour is at present. */
function colour(place: HTMLElement, name: string): string {
  const probe = place.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

const dataOf = (times: readonly number[], series: readonly Series[]) =>
  [
    times.map((time) => time / 1000),
    ...series.map(({ values }) => [...values]),
  ] as uPlot.AlignedData;

export function draw(place: HTMLElement, options: PlotOptions): Drawn {
  const { height, format, formatAxis, formatTime, zone } = options;
  let { times, series } = options;
  const span = () => (times.at(-1) ?? 0) - (times[0] ?? 0);
  let plot = make();

  function make(): uPlot {
    const line = colour(place, "line");
    const muted = colour(place, "muted");
    const font = `12px ${getComputedStyle(place).fontFamily}`;
    const axis = { stroke: muted, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    return new uPlot(
      {
        width: place.clientWidth,
        height,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
        legend: { show: false },
        padding: [8, 20, 0, 0],
        cursor: { points: { size: 7 }, drag: { x: true, y: false } },
        scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 28,
            space: 72,
            values: (_, marks) => marks.map((mark) => formatTime(mark * 1000, span())),
          },
          {
            ...axis,
            size: 48,
            values: (_, marks) => marks.map((mark) => mark === null ? "" : formatAxis(mark)),
          },
        ],
        series: [
          {},
          ...series.map(({ name }, index) => ({
            label: name,
            stroke: colour(place, `chart-${(index % 6) + 1}`),
            width: 1.75,
            points: { show: false },
            value: (_: uPlot, value: number | null) => value === null ? "–" : format(value),
          })),
        ],
      },
      dataOf(times, series),
      place,
    );
  }

  const again = () => {
    plot.destroy();
    plot = make();
  };
  const resize = new ResizeObserver(() => {
    if (place.clientWidth > 0) plot.setSize({ width: place.clientWidth, height });
  });
  resize.observe(place);
  const theme = new MutationObserver(again);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", again);

  return {
    update(nextTimes, nextSeries) {
      times = nextTimes;
      series = nextSeries;
      plot.setData(dataOf(times, series));
    },
    destroy() {
      resize.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", again);
      plot.destroy();
    },
  };
}
