// Choosing rows: one by one, a range with Shift, or all of them.
import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { extended, NOTHING, type Selection, toggle, toggleAll, toggleRange } from "./selection.ts";

export interface RowChoice {
  /** Those that are chosen. */
  readonly chosen: Selection;
  /** The other way round for one row; as a range, for all from the one that was pressed last. */
  readonly choose: (id: string, range: boolean) => void;
  /** With a row its neighbour, where the focus goes; on the way back, the row is let go. */
  readonly extend: (from: string, to: string) => void;
  /** All rows that are shown, or none of them where all were chosen. */
  readonly toggleAll: () => void;
  /** The rows that are shown, and no others. */
  readonly chooseAll: () => void;
  /** @returns Whether there were any. */
  readonly clear: () => boolean;
}

/**
 * @param selection Undefined where rows are not chosen.
 * @param order The ids of the rows.
 * @param onChosen Told of a row that was chosen or let go by itself or by a range.
 */
export function useRowChoice(
  selection: Signal<Selection> | undefined,
  order: readonly string[],
  onChosen?: (id: string) => void,
): RowChoice {
  /** The row that was pressed last: a range begins there. */
  const anchor = useRef<string | null>(null);
  const chosen = selection?.value ?? NOTHING;
  return {
    chosen,
    choose(id, range) {
      if (!selection) return;
      selection.value = range ? toggleRange(chosen, order, anchor.current, id) : toggle(chosen, id);
      anchor.current = id;
      onChosen?.(id);
    },
    extend(from, to) {
      if (!selection) return;
      selection.value = extended(chosen, from, to);
      anchor.current = to;
    },
    toggleAll() {
      if (selection) selection.value = toggleAll(chosen, order);
    },
    chooseAll() {
      if (selection) selection.value = toggleAll(NOTHING, order);
    },
    clear() {
      if (!selection || chosen.size === 0) return false;
      selection.value = NOTHING;
      return true;
    },
  };
}
