// One row of a table. It is drawn anew only when something of it has changed: a long table has many.
import { Component } from "preact";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import type { Action } from "./menu.tsx";
import type { Column } from "./table_columns.ts";
import { texts } from "./texts.ts";

/** What rows ask of their table. The same object as long as the table is there. */
export interface RowHost<T> {
  choose(id: string, range: boolean): void;
  open(row: T): void;
  /** Opens the menu of the row at its button. */
  menu(row: T, anchor: HTMLElement): void;
  focused(id: string): void;
}

export interface TableRowProps<T> {
  id: string;
  row: T;
  columns: readonly Column<T>[];
  /** Counted from 1, over all pages; the header is the first. */
  index: number;
  /** Whether Tab leads to it. */
  current: boolean;
  /** Undefined where rows are not chosen. */
  chosen: boolean | undefined;
  opens: boolean;
  actions: ((row: T) => readonly Action[]) | undefined;
  /** Whether its menu is open. */
  menuOpen: boolean;
  /** What the row is called. */
  name: string;
  language: string;
  host: RowHost<T>;
}

/** What was pressed does something of its own. */
const OWN = "a, button, input, select, textarea, label, summary, [role=menu], [popover]";

export class TableRow<T> extends Component<TableRowProps<T>> {
  override shouldComponentUpdate(next: TableRowProps<T>): boolean {
    const now = this.props as unknown as Record<string, unknown>;
    return Object.entries(next).some(([key, value]) => now[key] !== value);
  }

  override render(
    { id, row, columns, index, current, chosen, opens, actions, menuOpen, name, host }:
      TableRowProps<T>,
  ) {
    const items = actions?.(row) ?? [];
    return (
      <tr
        role="row"
        data-row={id}
        aria-rowindex={index}
        tabIndex={current ? 0 : -1}
        class={classes("table-row", chosen && "table-row-chosen", opens && "table-row-opens")}
        onFocus={() => host.focused(id)}
        onClick={(event) => {
          const own = (event.target as Element).closest(OWN);
          if (own && event.currentTarget.contains(own)) return;
          if (event.shiftKey && chosen !== undefined) host.choose(id, true);
          else if (opens && getSelection()?.type !== "Range") host.open(row);
        }}
      >
        {chosen !== undefined && (
          <td role="cell" class="cell cell-check">
            <span class="check-target">
              <input
                type="checkbox"
                class="check"
                aria-label={texts().table.select(name)}
                tabIndex={-1}
                checked={chosen}
                // The box has changed by itself already, as the selection does now.
                onClick={(event) => host.choose(id, event.shiftKey)}
              />
            </span>
          </td>
        )}
        {columns.map((column, at) => {
          const shape = classes("cell", column.align && `cell-${column.align}`);
          const inside = <div class="cell-inside">{column.render(row)}</div>;
          return at === 0
            ? (
              <th key={column.id} role="rowheader" scope="row" class={classes(shape, "cell-name")}>
                {inside}
              </th>
            )
            : <td key={column.id} role="cell" class={shape} data-label={column.title}>{inside}</td>;
        })}
        {actions && (
          <td role="cell" class="cell cell-actions">
            {items.length > 0 && (
              <button
                type="button"
                class="button button-quiet button-s icon-button"
                aria-label={texts().table.actionsFor(name)}
                title={texts().table.actionsFor(name)}
                aria-haspopup="menu"
                aria-expanded={menuOpen}
                tabIndex={-1}
                onClick={(event) => host.menu(row, event.currentTarget)}
              >
                <Icon name="more" size={14} />
              </button>
            )}
          </td>
        )}
      </tr>
    );
  }
}

/** Rows of the same size, as long as the first ones are being read. */
export function SkeletonRows(
  { rows, columns, choosable, actions }: {
    rows: number;
    columns: readonly Column<never>[];
    choosable: boolean;
    actions: boolean;
  },
) {
  return Array.from(
    { length: rows },
    (_, index) => (
      <tr key={index} class="table-row" role="row" aria-hidden="true">
        {choosable && <td role="cell" class="cell cell-check" />}
        {columns.map((column, at) => (
          <td
            key={column.id}
            role="cell"
            class={classes("cell", at === 0 && "cell-name", column.align && `cell-${column.align}`)}
          >
            <div class="cell-inside">
              <span
                class="bone"
                style={{ inlineSize: `${[68, 46, 57, 38, 52][(index + at) % 5]}%` }}
              />
            </div>
          </td>
        ))}
        {actions && <td role="cell" class="cell cell-actions" />}
      </tr>
    ),
  );
}
