// Which row of a table has its menu open, and how the button of a row opens and closes it.
import { useRef, useState } from "preact/hooks";
import type { RowMenuTarget } from "./row_menu.tsx";
import type { TableProps } from "./table_props.ts";
import { texts } from "./texts.ts";

export function useRowMenu<T>(
  { rowId, rowName = rowId, rowActions }: Pick<TableProps<T>, "rowId" | "rowName" | "rowActions">,
) {
  const [target, setTarget] = useState<RowMenuTarget | null>(null);
  const closed = useRef({ id: "", at: 0 });
  /** When the pointer was pressed that is let go now; for keys never. */
  const pressed = useRef(Infinity);
  return {
    /** Null where none is open. */
    target,
    /** Opens the menu of a row at its button, or closes it where it is open. */
    open(row: T, anchor: HTMLElement): void {
      const id = rowId(row);
      if (target?.id === id) return setTarget(null);
      // Where the browser has closed it already by the press, the press does not open it again.
      if (closed.current.id === id && closed.current.at >= pressed.current) return;
      const label = texts().table.actionsFor(rowName(row));
      setTarget({ id, anchor, label, items: rowActions!(row) });
    },
    /** @param chosen Whether something of it was chosen. */
    closed(chosen: boolean): void {
      if (!chosen) closed.current = { id: target?.id ?? "", at: performance.now() };
      setTarget(null);
    },
    /** What the element takes that holds the rows: it tells presses of the pointer from keys. */
    presses: {
      onPointerDownCapture: () => void (pressed.current = performance.now()),
      onKeyDownCapture: () => void (pressed.current = Infinity),
    },
  };
}
