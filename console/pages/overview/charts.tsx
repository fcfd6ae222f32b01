// The charts of the overview; each has its figures as a table and as a file.
import { useMemo, useState } from "preact/hooks";
import {
  type DashboardOverview,
  getDashboardSales,
  getDashboardVisits,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import {
  BarChart,
  ChartCsv,
  DonutChart,
  LineChart,
  TimeSeries,
} from "../../parts/charts/charts.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useParameter } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { Bones, HEIGHT, wholeNumber } from "./chart_room.tsx";
import { type Range, WEEK } from "./range.tsx";
import { RecordSales } from "./record_sales.tsx";
import { SalesHistory } from "./sales_history.tsx";
import {
  LONG,
  monthsFor,
  noonOf,
  salesChart,
  salesTable,
  type Visits,
  visitsChart,
  visitsTable,
} from "./series.ts";
import { texts } from "./texts.ts";

/** As the ring beside it with its legend. */
const VISITS_HEIGHT = 290;

interface RangedProps {
  readonly data: DashboardOverview | undefined;
  readonly days: Range;
}

export function VisitsCard({ data, days }: RangedProps) {
  const said = texts();
  // The week is among what the overview was read with.
  const apart = days !== WEEK;
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
      actions={visits && (
        <ChartCsv data={visitsTable(visits)} name={`visits-${visits.length}-days`} />
      )}
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
    ? <LineChart {...chart} area height={VISITS_HEIGHT} formatAxis={wholeNumber} />
    : <TimeSeries title={chart.title} times={times} series={chart.series} height={VISITS_HEIGHT} />;
}

export function SalesCard({ data, days }: RangedProps) {
  const said = texts();
  const [recording, setRecording] = useState(false);
  const [shown, show] = useParameter("sales");
  const months = monthsFor(days, Date.now());
  // The overview was read with the last twelve.
  const apart = data !== undefined && months > data.sales.length;
  const longer = useQuery(
    ["dashboard", "sales", months],
    async (signal) => (await getDashboardSales({ query: { months }, signal })).data,
    { enabled: apart },
  );
  const sales = apart ? longer.data : data?.sales.slice(-months);
  return (
    <Card
      class="wide"
      title={said.salesTitle}
      text={said.salesText}
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
          <Button size="s" kind="quiet" icon="menu" onClick={() => show("months")}>
            {said.history}
          </Button>
          {sales && <ChartCsv data={salesTable(sales)} name={`sales-${sales.length}-months`} />}
        </>
      }
    >
      {sales
        ? <BarChart {...salesChart(sales)} height={HEIGHT} />
        : longer.error
        ? <Problem error={longer.error} retry={longer.refetch} />
        : <Bones height={HEIGHT} />}
      {shown === "months" && <SalesHistory onClose={() => show("")} />}
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
