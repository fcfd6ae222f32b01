// Which rows of a table are chosen, and how a click or a key changes that.

/** By the ids of the rows. */
export type Selection = ReadonlySet<string>;

export const NOTHING: Selection = new Set();

/** The other way round for one row. */
export function toggle(selection: Selection, id: string): Selection {
  const next = new Set(selection);
  if (!next.delete(id)) next.add(id);
  return next;
}

/**
 * A range as Shift makes it: from the row that was pressed last to this one, all as this one becomes.
 *
 * @param order The ids of all rows, as they stand.
 * @param anchor The row that was pressed last; where it is gone, this row alone changes.
 */
export function toggleRange(
  selection: Selection,
  order: readonly string[],
  anchor: string | null,
  id: string,
): Selection {
  const from = anchor === null ? -1 : order.indexOf(anchor);
  const to = order.indexOf(id);
  if (from < 0 || to < 0) return toggle(selection, id);
  const next = new Set(selection);
  const choose = !selection.has(id);
  for (const one of order.slice(Math.min(from, to), Math.max(from, to) + 1)) {
    if (choose) next.add(one);
    else next.delete(one);
  }
  return next;
}

/**
 * As Shift and an arrow make it: both rows are chosen. Where both were, it goes back over what was chosen before, and
 * lets go of the row that it comes from.
 */
export function extended(selection: Selection, from: string, to: string): Selection {
  const next = new Set(selection);
  if (from !== to && selection.has(from) && selection.has(to)) next.delete(from);
  else next.add(from).add(to);
  return next;
}

/** All rows that are shown, or none of them where all were chosen; others that were chosen stay. */
export function toggleAll(selection: Selection, order: readonly string[]): Selection {
  const next = new Set(selection);
  const whole = order.every((id) => selection.has(id));
  for (const id of order) {
    if (whole) next.delete(id);
    else next.add(id);
  }
  return next;
}

/** Of the rows that are shown: none, some or all. */
export function extent(selection: Selection, order: readonly string[]): "none" | "some" | "all" {
  const count = order.filter((id) => selection.has(id)).length;
  return count === 0 ? "none" : count === order.length ? "all" : "some";
}
