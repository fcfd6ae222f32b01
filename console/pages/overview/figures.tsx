// The figures at the top, with their change against the month before.
import type { ComponentChildren } from "preact";
import type { DashboardOverview } from "../../../client/mod.ts";
import { StatTile } from "../../parts/charts/charts.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { compactNumber, fileSize, number } from "../../state/format.ts";
import { pageLink } from "./page_link.ts";
import { texts } from "./texts.ts";

interface Figure {
  readonly label: string;
  readonly value: ComponentChildren;
  /** Percent. */
  readonly growth?: number;
  readonly trend?: readonly number[];
  readonly href?: string;
}

const COUNT = 8;
/** Numbers from here on are shortened. */
const LONG = 1e6;

const figure = (value: number) => value >= LONG ? compactNumber(value) : number(value);
const amount = (value: number) =>
  value >= LONG ? compactNumber(value) : number(value, { maximumFractionDigits: 0 });

export function Figures({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  return (
    <div class="figures">
      {data
        ? figuresOf(data).map(({ growth, ...rest }) => (
          <StatTile
            key={rest.label}
            {...rest}
            {...(growth === undefined ? {} : { change: growth / 100, against: said.against })}
          />
        ))
        : Array.from(
          { length: COUNT },
          (_, index) => (
            <div key={index} class="stat">
              <Skeleton lines={2} />
            </div>
          ),
        )}
    </div>
  );
}

function figuresOf({ stats, sales }: DashboardOverview): readonly Figure[] {
  const said = texts();
  return [
    {
      label: said.users,
      value: figure(stats.totalUsers),
      growth: stats.userGrowth,
      href: pageLink("users"),
    },
    {
      label: said.revenue,
      value: amount(stats.totalRevenue),
      growth: stats.revenueGrowth,
      trend: sales.map((one) => one.sales),
    },
    {
      label: said.orders,
      value: figure(stats.totalOrders),
      growth: stats.orderGrowth,
      trend: sales.map(({ orders }) => orders),
    },
    {
      label: said.conversion,
      // The server's figure is in percent, with two decimals.
      value: number(stats.conversionRate / 100, { style: "percent", maximumFractionDigits: 2 }),
      growth: stats.rateGrowth,
    },
    { label: said.activeUsers, value: figure(stats.activeUsers) },
    { label: said.documents, value: figure(stats.totalDocuments), href: pageLink("documents") },
    { label: said.files, value: figure(stats.totalFiles), href: pageLink("files") },
    { label: said.storage, value: fileSize(stats.storageUsed) },
  ];
}
