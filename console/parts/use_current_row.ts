// The row of a table that has the focus or had it last; where it stands, and which rows stand in the page with it.
import { useState } from "preact/hooks";
import type { RowWindow } from "./row_window.ts";
import { useFocusAt } from "./use_focus_at.ts";
import { useRowWindow } from "./use_row_window.ts";

interface Reference {
  readonly current: HTMLElement | null;
}

/** The elements of a table. */
export interface TableElements {
  /** The table with all that belongs to it. */
  readonly frame: Reference;
  /** What scrolls the rows, where the page does not. */
  readonly box: Reference;
  /** What holds the rows. */
  readonly body: Reference;
}

export interface CurrentRow {
  /** Its place among the rows; the first, where none has had the focus. */
  readonly at: number;
  /** The place of the row that Tab leads to: it stands in the page, wherever the table was scrolled to. */
  readonly stop: number;
  /** The rows that stand in the page. */
  readonly window: RowWindow;
  /** Pixels. */
  readonly rowHeight: number;
  /** Told of a row that has got the focus. The same function each time. */
  readonly focused: (id: string) => void;
  /** Moves the focus to a row, by its place; beyond the ends, to the first or last. */
  readonly focusAt: (index: number) => void;
}

/**
 * @param order The ids of the rows.
 * @param whole Whether all rows stand in the page, however many.
 */
export function useCurrentRow(
  { frame, box, body }: TableElements,
  order: readonly string[],
  whole: boolean,
): CurrentRow {
  const [id, focused] = useState<string | null>(null);
  const at = Math.max(0, id === null ? 0 : order.indexOf(id));
  const { window, rowHeight } = useRowWindow(
    body,
    box,
    order.length,
    id === null ? -1 : at,
    whole,
  );
  const focusAt = useFocusAt(frame, order, id, focused);
  const stop = id === null ? window.stretches[0]!.from : at;
  return { at, stop, window, rowHeight, focused, focusAt };
}
