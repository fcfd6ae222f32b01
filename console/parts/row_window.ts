// Which rows of a long table stand in the page: those that are seen, some around them, and the one with the focus.

/** Rows from `from` up to but without `to`, after `gap` rows that are left out. */
export interface Stretch {
  readonly gap: number;
  readonly from: number;
  readonly to: number;
}

export interface RowWindow {
  readonly stretches: readonly Stretch[];
  /** Rows that are left out after the last stretch. */
  readonly rest: number;
}

/** Rows kept ready above and below what is seen; and the step in which the window moves, so that it moves seldom. */
const SPARE = 8;
const STEP = 6;

/** As many rows are shown whole, without a window. */
export const WHOLE = 120;

/** The rows that are seen, with the spare ones; the same for all positions within a step. */
export function seen(
  count: number,
  rowHeight: number,
  /** Pixels of the rows that are scrolled out above. */
  above: number,
  /** Pixels of the rows that are seen. */
  height: number,
): readonly [from: number, to: number] {
  if (count <= WHOLE || rowHeight <= 0) return [0, count];
  const first = Math.floor(Math.max(0, above) / rowHeight / STEP) * STEP;
  const rows = Math.ceil(height / rowHeight);
  const from = Math.max(0, Math.min(first - SPARE, count - rows - SPARE));
  const to = Math.min(count, first + STEP + rows + SPARE);
  return [from, Math.max(from, to)];
}

/** @param kept The row that must not go, as it has the focus; -1 for none. */
export function rowWindow(
  count: number,
  [from, to]: readonly [number, number],
  kept = -1,
): RowWindow {
  // Fewer rows may be there than when the window was computed.
  const main = { from: Math.min(from, count), to: Math.min(to, count) };
  const apart = kept >= 0 && kept < count && (kept < main.from || kept >= main.to);
  const parts = apart
    ? [main, { from: kept, to: kept + 1 }].sort((a, b) => a.from - b.from)
    : [main];
  let end = 0;
  const stretches = parts.map((part) => {
    const stretch = { gap: part.from - end, ...part };
    end = part.to;
    return stretch;
  });
  return { stretches, rest: Math.max(0, count - end) };
}
