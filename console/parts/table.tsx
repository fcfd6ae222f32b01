// A table: sorted, chosen from, paged and moved through by keyboard; of any length; cards on a phone.
import { useId, useMemo, useRef } from "preact/hooks";
import { number } from "../state/format.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { classes } from "./classes.ts";
import { Problem } from "./problem.tsx";
import { RowMenu } from "./row_menu.tsx";
import { tableShape } from "./table_columns.ts";
import { TableHead } from "./table_head.tsx";
import { listedKeys } from "./table_keys.ts";
import { onTableKey } from "./table_moves.ts";
import { type TableProps, totalOf } from "./table_props.ts";
import { FirstRows, TableRows } from "./table_rows.tsx";
import { texts } from "./texts.ts";
import { useCurrentRow } from "./use_current_row.ts";
import { texts as keyTexts } from "./table_keys_texts.ts";
import { useListedKeys } from "./use_listed_keys.ts";
import { useFill } from "./use_fill.ts";
import { useRowChoice } from "./use_row_choice.ts";
import { useRowHost } from "./use_row_host.ts";
import { useRowMenu } from "./use_row_menu.ts";

export type { Column } from "./table_columns.ts";
export type { TableProps } from "./table_props.ts";
export type { Selection } from "./selection.ts";

export function Table<T>(props: TableProps<T>) {
  const { columns, rows, rowId, selection, rowActions, loading = false, error, retry } = props;
  const { fill = false, tall = false } = props;
  const said = texts().table;
  const helpId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  useFill(box, fill);
  useListedKeys(
    () => keyTexts().scope,
    listedKeys({
      opens: props.onOpen !== undefined,
      chosen: selection !== undefined,
      acts: rowActions !== undefined,
    }),
  );

  const order = useMemo(() => rows?.map(rowId) ?? [], [rows]);
  const current = useCurrentRow({ frame, box, body }, order, tall);
  const choice = useRowChoice(selection, order, current.focused);
  const menu = useRowMenu(props);
  const host = useRowHost<T>({
    choose: choice.choose,
    open: (row) => props.onOpen?.(row),
    focused: current.focused,
    menu: menu.open,
  });

  const first = rows === undefined && error === undefined;
  const problem = error !== undefined && error !== null && (
    <Problem error={error} retry={retry} busy={loading} compact={rows !== undefined} />
  );
  return (
    <div ref={frame} class={classes("table-frame", fill && "table-fill", tall && "table-tall")}>
      <div
        ref={box}
        class="table-box"
        tabIndex={-1}
        data-empty={rows?.length === 0 || undefined}
        {...menu.presses}
      >
        <table
          class="table"
          role="table"
          aria-label={props.label}
          aria-describedby={helpId}
          aria-rowcount={totalOf(props) + 1}
          aria-busy={loading || first ? "true" : undefined}
          style={tableShape(columns, selection !== undefined, rowActions !== undefined)}
          onKeyDown={onTableKey(props, order, current, choice)}
        >
          <TableHead table={props} order={order} choice={choice} />
          <tbody ref={body} role="rowgroup" class={classes(loading && !first && "table-dimmed")}>
            {first && <FirstRows table={props} />}
            {rows && (
              <TableRows
                table={props}
                order={order}
                current={current}
                chosen={choice.chosen}
                menuAt={menu.target?.id}
                host={host}
              />
            )}
          </tbody>
        </table>
        {rows === undefined && problem}
        {rows?.length === 0 && (loading ? null : props.empty)}
        <p id={helpId} class="unseen">{said.keys}</p>
        <p class="unseen" role="status">{loading && !first ? said.refreshing : ""}</p>
      </div>
      {rows !== undefined && problem}
      {rowActions && <RowMenu target={menu.target} onClosed={menu.closed} />}
      {props.footer && <div class="table-foot">{props.footer}</div>}
      {props.bulkActions && choice.chosen.size > 0 && (
        <BulkBar
          text={said.selected(number(choice.chosen.size))}
          actions={props.bulkActions([...choice.chosen])}
          onClear={() => {
            choice.clear();
            current.focusAt(current.at);
          }}
        />
      )}
    </div>
  );
}
