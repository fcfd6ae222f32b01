// A table: sorted, chosen from, paged and moved through by keyboard; of any length; cards on a phone.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { number } from "../state/format.ts";
import { language } from "../state/language.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { CheckBox } from "./choice_fields.tsx";
import { classes } from "./classes.ts";
import type { Action } from "./menu.tsx";
import { pagesOf } from "./pager.tsx";
import { Problem } from "./problem.tsx";
import { RowMenu, type RowMenuTarget } from "./row_menu.tsx";
import { extent, NOTHING, type Selection, toggle, toggleAll, toggleRange } from "./selection.ts";
import { type Column, tableShape } from "./table_columns.ts";
import { Gap, Head } from "./table_head.tsx";
import { takeKey } from "./table_keys.ts";
import { type RowHost, SkeletonRows, TableRow } from "./table_row.tsx";
import { texts } from "./texts.ts";
import { useFill } from "./use_fill.ts";
import { useFocusAt } from "./use_focus_at.ts";
import { useRowWindow } from "./use_row_window.ts";

export type { Column } from "./table_columns.ts";
export type { Selection } from "./selection.ts";

export interface TableProps<T> {
  /** What the rows are: the table's name. */
  label: string;
  /** Those that are shown, in order. The same array, as long as they are the same. */
  columns: readonly Column<T>[];
  /** Undefined as long as none were read. */
  rows: readonly T[] | undefined;
  rowId: (row: T) => string;
  /** What a row is called, for its checkbox and its menu. @default the id */
  rowName?: (row: T) => string;
  /** A field; with a minus in front, from the last to the first. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** The ids of the rows that are chosen; absent where none can be. */
  selection?: Signal<Selection>;
  /** By a click on a row, or Enter. */
  onOpen?: (row: T) => void;
  /** What the menu of a row has. The same function, as long as it gives the same. */
  rowActions?: (row: T) => readonly Action[];
  /** What can be done with the chosen rows. */
  bulkActions?: (ids: readonly string[]) => readonly Action[];
  /** Stands where there are no rows. */
  empty?: ComponentChildren;
  /** While other rows are being read, those before stay, dimmed. */
  loading?: boolean;
  error?: unknown;
  retry?: () => unknown;
  /** Of all pages. @default as many as there are rows */
  total?: number;
  /** @default 1 */
  page?: number;
  /** @default "all" */
  limit?: number | "all";
  onPage?: (page: number) => void;
  /** Reaches to the end of the window and scrolls there, under its header. */
  fill?: boolean;
  /** Rows are as tall as what they hold, and all of them stand in the page: for few rows of long texts. */
  tall?: boolean;
  /** Under the rows, inside the frame. */
  footer?: ComponentChildren;
}

/** Rows that stand for those that are being read. */
const BONES = 12;

export function Table<T>(props: TableProps<T>) {
  const {
    label,
    columns,
    rows,
    rowId,
    rowName = rowId,
    sort = "",
    onSort,
    selection,
    onOpen,
    rowActions,
  } = props;
  const {
    bulkActions,
    empty,
    loading = false,
    error,
    retry,
    page = 1,
    limit = "all",
    onPage,
    fill,
    tall = false,
    footer,
  } = props;
  const total = props.total ?? rows?.length ?? 0;
  const said = texts().table;
  const helpId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const anchor = useRef<string | null>(null);
  const [currentId, setCurrentId] = useState<string | null>(null);
  useFill(box, fill ?? false);

  const order = useMemo(() => rows?.map(rowId) ?? [], [rows]);
  const chosen = selection?.value ?? NOTHING;
  const current = Math.max(0, currentId === null ? 0 : order.indexOf(currentId));
  const { window, rowHeight } = useRowWindow(
    body,
    box,
    order.length,
    currentId === null ? -1 : current,
    tall,
  );

  const choose = (id: string, range: boolean) => {
    if (!selection) return;
    selection.value = range ? toggleRange(chosen, order, anchor.current, id) : toggle(chosen, id);
    anchor.current = id;
    setCurrentId(id);
  };
  const [menu, setMenu] = useState<RowMenuTarget | null>(null);
  const closed = useRef({ id: "", at: 0 });
  /** When the pointer was pressed that is let go now; for keys never. */
  const pressed = useRef(Infinity);
  const openMenu = (row: T, anchor: HTMLElement) => {
    const id = rowId(row);
    if (menu?.id === id) return setMenu(null);
    // Where the browser has closed it already by the press, the press does not open it again.
    if (closed.current.id === id && closed.current.at >= pressed.current) return;
    setMenu({ id, anchor, label: said.actionsFor(rowName(row)), items: rowActions!(row) });
  };
  const now: RowHost<T> = {
    choose,
    open: (row) => onOpen?.(row),
    focused: setCurrentId,
    menu: openMenu,
  };
  const latest = useRef(now);
  latest.current = now;
  const host = useMemo<RowHost<T>>(() => ({
    choose: (...args) => latest.current.choose(...args),
    open: (row) => latest.current.open(row),
    focused: (id) => latest.current.focused(id),
    menu: (...args) => latest.current.menu(...args),
  }), []);

  // Tab leads to a row that stands in the page, wherever the table was scrolled to.
  const stop = currentId === null ? window.stretches[0]!.from : current;

  const focusAt = useFocusAt(frame, order, currentId, setCurrentId);
  const onKeyDown = (event: KeyboardEvent) => {
    const row = event.target as HTMLElement;
    if (!row.matches("[data-row]") || !rows?.[current]) return;
    const turn = (step: 1 | -1) => {
      const next = page + step;
      if (limit === "all" || !onPage) focusAt(current + step * 10);
      else if (next >= 1 && next <= pagesOf(total, limit)) onPage(next);
    };
    const taken = takeKey(event, {
      move: (step) => focusAt(current + step),
      edge: (which) => focusAt(which === "first" ? 0 : order.length - 1),
      page: turn,
      open: () => onOpen?.(rows[current]!),
      choose: (range) => choose(order[current]!, range),
      chooseAll: () => selection && (selection.value = toggleAll(NOTHING, order)),
      clear: () => {
        if (!selection || chosen.size === 0) return false;
        selection.value = NOTHING;
        return true;
      },
      menu: () => row.querySelector<HTMLElement>(".cell-actions button")?.click(),
    });
    if (!taken) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const all = extent(chosen, order);
  const first = rows === undefined && error === undefined;
  const offset = limit === "all" ? 0 : (page - 1) * limit;
  const shape = tableShape(columns, selection !== undefined, rowActions !== undefined);
  return (
    <div ref={frame} class={classes("table-frame", fill && "table-fill", tall && "table-tall")}>
      <div
        ref={box}
        class="table-box"
        tabIndex={-1}
        data-empty={rows?.length === 0 || undefined}
        onPointerDownCapture={() =>
          pressed.current = performance.now()}
        onKeyDownCapture={() =>
          pressed.current = Infinity}
      >
        <table
          class="table"
          role="table"
          aria-label={label}
          aria-describedby={helpId}
          aria-rowcount={total + 1}
          aria-busy={loading || first ? "true" : undefined}
          style={shape}
          onKeyDown={onKeyDown}
        >
          <thead role="rowgroup">
            <tr role="row" aria-rowindex={1} data-sort-by={said.sortBy}>
              {selection && (
                <th role="columnheader" scope="col" class="head head-check">
                  <label class="head-all">
                    <CheckBox
                      label={said.selectAll}
                      value={all === "all"}
                      mixed={all === "some"}
                      disabled={order.length === 0}
                      onChange={() => selection.value = toggleAll(chosen, order)}
                    />
                    <span class="head-all-text" aria-hidden="true">{said.selectAll}</span>
                  </label>
                </th>
              )}
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sort} onSort={onSort} />
              ))}
              {rowActions && (
                <th role="columnheader" scope="col" class="head">
                  <span class="unseen">{said.actions}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody ref={body} role="rowgroup" class={classes(loading && !first && "table-dimmed")}>
            {first && (
              <SkeletonRows
                rows={limit === "all" ? BONES : Math.min(limit, BONES)}
                columns={columns}
                choosable={selection !== undefined}
                actions={rowActions !== undefined}
              />
            )}
            {rows && window.stretches.flatMap(({ gap, from, to }) => [
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
                    chosen={selection ? chosen.has(id) : undefined}
                    opens={onOpen !== undefined}
                    actions={rowActions}
                    menuOpen={menu?.id === id}
                    name={rowName(row)}
                    language={language.value}
                    host={host as RowHost<unknown> as never}
                  />
                );
              }),
            ])}
            {rows && window.rest > 0 && <Gap height={window.rest * rowHeight} />}
          </tbody>
        </table>
        {error !== undefined && error !== null && rows === undefined && (
          <Problem error={error} retry={retry} busy={loading} />
        )}
        {rows?.length === 0 && (loading ? null : empty)}
        <p id={helpId} class="unseen">{said.keys}</p>
        <p class="unseen" role="status">{loading && !first ? said.refreshing : ""}</p>
      </div>
      {error !== undefined && error !== null && rows !== undefined && (
        <Problem error={error} retry={retry} busy={loading} compact />
      )}
      {rowActions && (
        <RowMenu
          target={menu}
          onClosed={(chosen) => {
            if (!chosen) closed.current = { id: menu?.id ?? "", at: performance.now() };
            setMenu(null);
          }}
        />
      )}
      {footer && <div class="table-foot">{footer}</div>}
      {selection && bulkActions && chosen.size > 0 && (
        <BulkBar
          text={said.selected(number(chosen.size))}
          actions={bulkActions([...chosen])}
          onClear={() => {
            selection.value = NOTHING;
            focusAt(current);
          }}
        />
      )}
    </div>
  );
}
