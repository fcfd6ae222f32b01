// All months of sales that the API tells of, as a list: beyond the range of the charts.
import { useMemo, useState } from "preact/hooks";
import { getDashboardSales } from "../../../client/mod.ts";
import { ChartCsv } from "../../parts/charts/charts.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Pager } from "../../parts/pager.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { date, number } from "../../state/format.ts";
import { language } from "../../state/language.ts";
import { useQuery } from "../../state/query.ts";
import { type Sales, salesTable } from "./series.ts";
import { texts } from "./texts.ts";

/** Months: as many as the API goes back. */
const MOST = 60;
/** Months on a page. */
const YEAR = 12;

type Month = Sales[number];

export function SalesHistory({ onClose }: { onClose: () => void }) {
  const said = texts();
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(
    ["dashboard", "sales", MOST],
    async (signal) => (await getDashboardSales({ query: { months: MOST }, signal })).data,
  );
  const months = useMemo(() => data && fromFirst(data).toReversed(), [data]);
  const columns = useMemo(columnsOf, [language.value]);
  const rows = useMemo(() => months?.slice((page - 1) * YEAR, page * YEAR), [months, page]);
  return (
    <Dialog
      open
      title={said.historyTitle}
      text={said.historyText}
      onClose={onClose}
      footer={data && (
        <ChartCsv
          data={{ ...salesTable(fromFirst(data)), title: said.historyTitle }}
          name="sales"
        />
      )}
    >
      <Table<Month>
        label={said.historyTitle}
        columns={columns}
        rows={rows}
        rowId={({ month }) => month}
        total={months?.length}
        page={page}
        limit={YEAR}
        onPage={setPage}
        error={error ?? undefined}
        retry={refetch}
        footer={<Pager page={page} limit={YEAR} total={months?.length} onPage={setPage} />}
      />
    </Dialog>
  );
}

/** Without the months before anything was sold, but with this one. */
export function fromFirst(sales: Sales): Sales {
  const first = sales.findIndex((one) => one.sales !== 0 || one.orders !== 0 || one.profit !== 0);
  return first < 0 ? sales.slice(-1) : sales.slice(first);
}

function columnsOf(): readonly Column<Month>[] {
  const said = texts();
  const figure = (id: "sales" | "orders" | "profit", title: string): Column<Month> => ({
    id,
    title,
    align: "end",
    render: (row) => <span class="number">{number(row[id])}</span>,
  });
  return [
    {
      id: "month",
      title: said.month,
      render: ({ month }) => <span class="strong">{date(`${month}-15`, "month")}</span>,
    },
    figure("sales", said.sales),
    figure("orders", said.ordersSeries),
    figure("profit", said.profit),
  ];
}
