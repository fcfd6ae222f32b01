// What a table is given.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Action } from "./menu.tsx";
import type { Selection } from "./selection.ts";
import type { Column } from "./table_columns.ts";

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

/** How many rows there are on all pages. */
export function totalOf<T>({ total, rows }: Pick<TableProps<T>, "total" | "rows">): number {
  return total ?? rows?.length ?? 0;
}
