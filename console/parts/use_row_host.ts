// What the rows of a table ask of it: one object for as long as the table is there, so that no row is drawn anew because
// the table was.
import { useMemo, useRef } from "preact/hooks";
import type { RowHost } from "./table_row.tsx";

/** @param now What is done as the table stands now. */
export function useRowHost<T>(now: RowHost<T>): RowHost<T> {
  const latest = useRef(now);
  latest.current = now;
  return useMemo<RowHost<T>>(() => ({
    choose: (...args) => latest.current.choose(...args),
    open: (row) => latest.current.open(row),
    focused: (id) => latest.current.focused(id),
    menu: (...args) => latest.current.menu(...args),
  }), []);
}
