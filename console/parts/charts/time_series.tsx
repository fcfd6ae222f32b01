// Long or live series, drawn by uPlot, which is loaded when the first one is shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { compactNumber, date, timeZone } from "../../state/format.ts";
import { Skeleton } from "../skeleton.tsx";
import { ChartTable } from "./chart_frame.tsx";
import { plain, type Series } from "./data.ts";
import { sampled } from "./scales.ts";
import { texts } from "../texts.ts";

export interface TimeSeriesProps {
  title: string;
  /** Milliseconds since 1970, ascending. */
  times: readonly number[];
  /** A value for each time. */
  series: readonly Series[];
  format?: (value: number) => string;
  /** Pixels. @default 220 */
  height?: number;
}

/** Milliseconds up to which the axis shows times; longer spans show days. */
const TIMES = 2 * 86_400_000;
/** Lines of the table for those who have it read out; more would be no help. */
const MOST_LINES = 60;

export function TimeSeries(
  { title, times, series, format = plain, height = 220 }: TimeSeriesProps,
) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<import("./time_series_plot.ts").Drawn | null>(null);
  const [ready, setReady] = useState(false);
  const latest = useRef({ times, series });
  latest.current = { times, series };
  const names = series.map(({ name }) => name).join("\n");

  useEffect(() => {
    let gone = false;
    void import("./time_series_plot.ts").then(({ draw }) => {
      if (gone) return;
      drawn.current = draw(place.current!, {
        ...latest.current,
        height,
        format,
        formatAxis: compactNumber,
        formatTime: (at, span) => date(at, span > TIMES ? "short" : "time"),
        zone: timeZone.peek(),
      });
      setReady(true);
    });
    return () => {
      gone = true;
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [names, height, timeZone.value]);
  useEffect(() => drawn.current?.update(times, series), [times, series]);

  const rows = sampled(times.length, MOST_LINES);
  return (
    <figure class="chart">
      <div
        class="chart-plot time-series"
        dir="ltr"
        ref={place}
        style={{ blockSize: `${height}px` }}
        aria-hidden="true"
      >
        {!ready && <Skeleton block={`${height}px`} />}
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
      {times.length === 0 && <p class="chart-none">{texts().charts.none}</p>}
      <ChartTable
        title={title}
        labels={rows.map((row) => date(times[row]!, "dateTime"))}
        series={series.map(({ name, values }) => ({
          name,
          values: rows.map((row) => values[row] ?? null),
        }))}
        format={format}
      />
    </figure>
  );
}
