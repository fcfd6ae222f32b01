// The charts of the overview; each has its figures as a table and as a file.
import { useMemo, useState } from "preact/hooks";
import { type DashboardOverview, getDashboardVisits } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import {
  BarChart,
  ChartCsv,
  DonutChart,
  LineChart,
  TimeSeries,
} from "../../parts/charts/charts.tsx";
import { RadioGroup } from "../../parts/field.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useParameter } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { RecordSales } from "./record_sales.tsx";
import {
  LONG,
  noonOf,
  rangeOf,
  RANGES,
  salesChart,
  salesTable,
  type Visits,
  visitsChart,
  visitsTable,
} from "./series.ts";
import { texts } from "./texts.ts";

/** Pixels. */
const HEIGHT = 220;
/** As the ring beside it with its legend. */
const VISITS_HEIGHT = 290;

export function VisitsCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  const [text, setText] = useParameter("days", String(RANGES[0]));
  const days = rangeOf(text);
  // The week is among what the overview was read with.
  const apart = days !== RANGES[0];
  const longer = useQuery(
    ["dashboard", "visits", days],
    async (signal) => (await getDashboardVisits({ query: { days }, signal })).data,
    { enabled: apart },
  );
  const visits = apart ? longer.data : data?.visits;
  return (
    <Card
      class="wide"
      title={said.visitsTitle}
      actions={
        <>
          <RadioGroup
            label={said.range}
            hideLabel
            segmented
            name="visits-range"
            value={String(days)}
            onChange={setText}
            options={RANGES.map((one) => ({ value: String(one), label: said.days(one) }))}
          />
          {visits && <ChartCsv data={visitsTable(visits)} name={`visits-${days}-days`} />}
        </>
      }
    >
      {visits
        ? <VisitsChart visits={visits} />
        : longer.error
        ? <Problem error={longer.error} retry={longer.refetch} />
        : <Bones height={VISITS_HEIGHT} />}
    </Card>
  );
}

function VisitsChart({ visits }: { visits: Visits }) {
  const chart = useMemo(() => visitsChart(visits), [visits, language.value]);
  const times = useMemo(() => visits.map((one) => noonOf(one.date)), [visits]);
  return visits.length < LONG
    ? <LineChart {...chart} area height={VISITS_HEIGHT} />
    : <TimeSeries title={chart.title} times={times} series={chart.series} height={VISITS_HEIGHT} />;
}

export function SalesCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  const [recording, setRecording] = useState(false);
  return (
    <Card
      class="wide"
      title={said.salesTitle}
      actions={
        <>
          {can("dashboard:update") && (
            <Button
              size="s"
              kind="quiet"
              icon="plus"
              onClick={() => setRecording(true)}
            >
              {said.record}
            </Button>
          )}
          {data && <ChartCsv data={salesTable(data.sales)} name="sales" />}
        </>
      }
    >
      {data ? <BarChart {...salesChart(data.sales)} height={HEIGHT} /> : <Bones height={HEIGHT} />}
      {recording && <RecordSales onClose={() => setRecording(false)} />}
    </Card>
  );
}

export function FilesCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  const slices = (data?.pie ?? []).map(({ name, value }) => ({
    label: said.fileTypes[name],
    value,
  }));
  const table = {
    title: said.filesTitle,
    labels: slices.map(({ label }) => label),
    series: [{ name: said.files, values: slices.map(({ value }) => value) }],
  };
  return (
    <Card
      title={said.filesTitle}
      actions={data && <ChartCsv data={table} name="files-by-type" />}
    >
      {data
        ? <DonutChart title={said.filesTitle} unit={said.files} slices={slices} />
        : <Bones height={VISITS_HEIGHT} />}
    </Card>
  );
}

/** As high as a chart with its legend. */
function Bones({ height }: { height: number }) {
  return <Skeleton block={`${height + 28}px`} />;
}
