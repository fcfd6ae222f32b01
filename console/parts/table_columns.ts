// The columns of a table, and the order of its rows.
import type { ComponentChildren } from "preact";

export interface Column<T> {
  /** Names it in the sort order, in saved views and in what is hidden. */
  readonly id: string;
  readonly title: string;
  /** What stands in a cell. The first column names the row. */
  readonly render: (row: T) => ComponentChildren;
  /** Rows can be sorted by it; the server's name of the field, where that is not the id. */
  readonly sortable?: boolean | string;
  /** CSS, such as `12rem`; columns without share what is left. */
  readonly width?: string;
  /** @default "start" */
  readonly align?: "start" | "end" | "center";
  /** Whether people may hide it; the first column stays. @default true */
  readonly hideable?: boolean;
  /** Hidden until somebody wants it. */
  readonly hidden?: boolean;
  /** What an exported table has in it; a column without is not exported. */
  readonly csv?: (row: T) => string | number | boolean | null | undefined;
}

/** The field that a column is sorted by; null where it is not. */
export function sortField<T>({ id, sortable }: Column<T>): string | null {
  if (!sortable) return null;
  return typeof sortable === "string" ? sortable : id;
}

/** What `aria-sort` says of a column. */
export function direction(
  field: string | null,
  sort: string,
): "ascending" | "descending" | "none" | undefined {
  if (field === null) return undefined;
  if (sort === field) return "ascending";
  return sort === `-${field}` ? "descending" : "none";
}

/** The order after a press on a column: up, then down, then up again. */
export function nextSort(field: string, sort: string): string {
  return sort === field ? `-${field}` : field;
}

/** @param hidden Ids that were hidden; undefined where nobody has chosen yet. */
export function visibleColumns<T>(
  columns: readonly Column<T>[],
  hidden: readonly string[] | undefined,
): Column<T>[] {
  return columns.filter((column, index) =>
    index === 0 || column.hideable === false ||
    !(hidden ? hidden.includes(column.id) : column.hidden)
  );
}

/** Widths of the columns for the boxes that rows are chosen by, and for the menus of rows. */
const CHECK = "2.5rem";
const ACTIONS = "3rem";

/**
 * What the style sheet knows of a table: the tracks of its rows, how wide it has to be at least (narrower boxes scroll),
 * and how many fields the card of a row has under its name.
 */
export function tableShape<T>(
  columns: readonly Column<T>[],
  choosable: boolean,
  actions: boolean,
): Readonly<Record<`--${string}`, string | number>> {
  const around = (inside: readonly string[]) => [
    ...(choosable ? [CHECK] : []),
    ...inside,
    ...(actions ? [ACTIONS] : []),
  ];
  const shared = columns.some(({ width }) => !width);
  const tracks = columns.map(({ width }, index) =>
    !width ? "minmax(0, 1fr)" : shared || index > 0 ? width : `minmax(${width}, 1fr)`
  );
  const least = columns.map(({ width }, index) =>
    width && !width.endsWith("%") ? width : index === 0 ? "14rem" : "8rem"
  );
  return {
    "--columns": around(tracks).join(" "),
    "--least": `calc(${around(least).join(" + ")})`,
    "--fields": columns.length - 1,
  };
}
