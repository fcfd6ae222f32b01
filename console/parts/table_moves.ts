// What a table does at a key that is pressed on one of its rows.
import { pagesOf } from "./pager.tsx";
import { takeKey } from "./table_keys.ts";
import { type TableProps, totalOf } from "./table_props.ts";
import type { CurrentRow } from "./use_current_row.ts";
import type { RowChoice } from "./use_row_choice.ts";

/** Rows that PageDown and PageUp go by, where there are no pages. */
const LEAP = 10;

/** @param order The ids of the rows. */
export function onTableKey<T>(
  table: TableProps<T>,
  order: readonly string[],
  { at, focusAt }: Pick<CurrentRow, "at" | "focusAt">,
  { choose, extend, chooseAll, clear }: Pick<
    RowChoice,
    "choose" | "extend" | "chooseAll" | "clear"
  >,
): (event: KeyboardEvent) => void {
  return (event) => {
    const element = event.target as HTMLElement;
    const row = table.rows?.[at];
    if (!element.matches("[data-row]") || !row) return;
    const taken = takeKey(event, {
      move: (step) => focusAt(at + step),
      edge: (which) => focusAt(which === "first" ? 0 : order.length - 1),
      page: (step) => turn(table, step, () => focusAt(at + step * LEAP)),
      open: () => table.onOpen?.(row),
      choose: (range) => choose(order[at]!, range),
      extend(step) {
        extend(order[at]!, order[at + step] ?? order[at]!);
        focusAt(at + step);
      },
      chooseAll,
      clear,
      menu: () => element.querySelector<HTMLElement>(".cell-actions button")?.click(),
    });
    if (!taken) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** To the page before or after, where there is one. */
function turn<T>(table: TableProps<T>, step: 1 | -1, leap: () => void): void {
  const { page = 1, limit = "all", onPage } = table;
  if (limit === "all" || !onPage) return leap();
  const next = page + step;
  if (next >= 1 && next <= pagesOf(totalOf(table), limit)) onPage(next);
}
