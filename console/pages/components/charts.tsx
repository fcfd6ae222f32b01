// The charts.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Card } from "../../parts/card.tsx";
import {
  BarChart,
  ChartCsv,
  DonutChart,
  LineChart,
  StatTile,
  TimeSeries,
} from "../../parts/charts/charts.tsx";
import { compactNumber, date, number } from "../../state/format.ts";
import { wave } from "./samples.ts";
import { texts } from "./texts.ts";

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 10, 22);
const KINDS = [4210, 2380, 1120, 640, 310, 95] as const;
const POINTS = 300;

export function Charts() {
  const said = texts();
  const days = Array.from({ length: 30 }, (_, index) => date(FIRST + (index - 29) * DAY, "short"));
  const months = Array.from(
    { length: 12 },
    (_, index) => date(Date.UTC(2026, index, 15), "short").replace(/\s*\d+\D*$/, ""),
  );
  const visits = {
    title: said.visitsTitle,
    labels: days,
    series: [{ name: said.visits, values: wave(30, 820, 260, 1) }, {
      name: said.visitors,
      values: wave(30, 410, 120, 2),
    }],
  };
  const sales = {
    title: said.salesTitle,
    labels: months,
    series: [{ name: said.online, values: wave(12, 42_000, 12_000, 3) }, {
      name: said.shop,
      values: wave(12, 21_000, 7000, 5),
    }],
  };
  const slices = said.kinds.map((label, index) => ({ label, value: KINDS[index]! }));
  return (
    <section class="stack" id="charts" aria-label={said.charts}>
      <div class="sample-tiles">
        <StatTile
          label={said.revenue}
          value={number(48_250, { style: "currency", currency: "USD", maximumFractionDigits: 0 })}
          change={0.124}
          against={said.againstMonth}
          trend={wave(20, 40, 12, 1)}
        />
        <StatTile
          label={said.newUsers}
          value={number(1284)}
          change={-0.031}
          against={said.againstMonth}
          trend={wave(20, 30, 14, 4)}
          href="#charts"
        />
        <StatTile
          label={said.failures}
          value={number(17)}
          change={-0.42}
          against={said.againstMonth}
          lessIsBetter
          trend={wave(20, 12, 9, 6)}
        />
        <StatTile
          label={said.files}
          value={compactNumber(8755)}
          change={0}
          against={said.againstMonth}
        />
      </div>
      <div class="sample-charts">
        <Card title={said.visitsTitle} actions={<ChartCsv data={visits} name="visits" />}>
          <LineChart {...visits} area />
        </Card>
        <Card title={said.filesTitle}>
          <DonutChart title={said.filesTitle} unit={said.files} slices={slices} />
        </Card>
        <Card title={said.salesTitle} actions={<ChartCsv data={sales} name="sales" />}>
          <BarChart {...sales} />
        </Card>
        <Live />
      </div>
    </section>
  );
}

function Live() {
  const said = texts();
  const [count, setCount] = useState(POINTS);
  useEffect(() => {
    const timer = setInterval(() => setCount((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const values = useMemo(() => wave(POINTS * 4, 60, 22, 7), []);
  const { times, series } = useMemo(() => {
    const from = count - POINTS;
    return {
      times: Array.from({ length: POINTS }, (_, index) => FIRST + (from + index) * 1000),
      series: [{
        name: said.latency,
        values: Array.from(
          { length: POINTS },
          (_, index) => values[(from + index) % values.length]!,
        ),
      }],
    };
  }, [count, said.latency]);
  return (
    <Card title={said.latencyTitle}>
      <TimeSeries
        title={said.latencyTitle}
        times={times}
        series={series}
        format={(value) => number(value, { style: "unit", unit: "millisecond" })}
      />
    </Card>
  );
}
