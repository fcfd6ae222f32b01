// The rows of a table that stand in the page, and what stands for the others.
import { language } from "../state/language.ts";
import type { Selection } from "./selection.ts";
import type { TableProps } from "./table_props.ts";
import { type RowHost, SkeletonRows, TableRow } from "./table_row.tsx";
import type { CurrentRow } from "./use_current_row.ts";

interface TableRowsProps<T> {
  table: TableProps<T>;
  /** The ids of the rows. */
  order: readonly string[];
  current: Pick<CurrentRow, "stop" | "window" | "rowHeight">;
  chosen: Selection;
  /** The row whose menu is open. */
  menuAt: string | undefined;
  host: RowHost<T>;
}

export function TableRows<T>({ table, order, current, chosen, menuAt, host }: TableRowsProps<T>) {
  const { columns, rows = [], rowId, rowName = rowId, page = 1, limit = "all" } = table;
  const { stop, window, rowHeight } = current;
  const offset = limit === "all" ? 0 : (page - 1) * limit;
  return (
    <>
      {window.stretches.flatMap(({ gap, from, to }) => [
        gap > 0 && <Gap key={`gap${from}`} height={gap * rowHeight} />,
        ...rows.slice(from, to).map((row, at) => {
          const id = order[from + at]!;
          return (
            <TableRow
              key={id}
              id={id}
              row={row}
              columns={columns}
              index={offset + from + at + 2}
              current={from + at === stop}
              chosen={table.selection ? chosen.has(id) : undefined}
              opens={table.onOpen !== undefined}
              actions={table.rowActions}
              menuOpen={menuAt === id}
              name={rowName(row)}
              language={language.value}
              host={host as RowHost<unknown> as never}
            />
          );
        }),
      ])}
      {window.rest > 0 && <Gap height={window.rest * rowHeight} />}
    </>
  );
}

/** In place of rows that are scrolled out of sight. */
function Gap({ height }: { height: number }) {
  return (
    <tr
      class="table-gap"
      role="presentation"
      aria-hidden="true"
      style={{ blockSize: `${height}px` }}
    />
  );
}

/** Rows that stand for those that are being read. */
const BONES = 12;

/** In place of the first rows, as long as they are being read. */
export function FirstRows<T>(
  { table: { columns, limit = "all", selection, rowActions } }: { table: TableProps<T> },
) {
  return (
    <SkeletonRows
      rows={limit === "all" ? BONES : Math.min(limit, BONES)}
      columns={columns}
      choosable={selection !== undefined}
      actions={rowActions !== undefined}
    />
  );
}
