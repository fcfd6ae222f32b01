// The focus in a table goes from row to row, also to rows that do not stand in the page yet, and is never lost: where
// what had it goes away, such as a row that was deleted, a row has it, or the table where there is none.
import { useLayoutEffect, useRef } from "preact/hooks";

interface Reference {
  readonly current: HTMLElement | null;
}

/**
 * @param frame The table with all that belongs to it.
 * @param order The ids of the rows.
 * @param currentId The row that has the focus or had it last.
 * @returns Moves the focus to a row, by its place; beyond the ends, to the first or last.
 */
export function useFocusAt(
  frame: Reference,
  order: readonly string[],
  currentId: string | null,
  setCurrentId: (id: string) => void,
): (index: number) => void {
  const wanted = useRef<string | null>(null);
  const last = useRef(0);
  // Asked before anything is drawn: what is gone afterwards went by this drawing, not because somebody left.
  const held = frame.current?.contains(document.activeElement) ?? false;

  const focusWanted = () => {
    const row = wanted.current === null
      ? null
      : frame.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };
  const focusAt = (index: number) => {
    const id = order[Math.max(0, Math.min(index, order.length - 1))];
    if (id === undefined) return;
    wanted.current = id;
    setCurrentId(id);
    focusWanted();
  };

  useLayoutEffect(() => {
    const at = currentId === null ? -1 : order.indexOf(currentId);
    if (at >= 0) last.current = at;
    const lost = held && document.activeElement === document.body;
    if (lost && order.length === 0) {
      frame.current?.querySelector<HTMLElement>("[data-empty]")?.focus();
    } else if (lost && wanted.current === null) focusAt(last.current);
    else focusWanted();
  });

  return focusAt;
}
