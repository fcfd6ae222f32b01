// Which lines two texts differ in: the fewest that have to go and to come (E. W. Myers, "An O(ND) Difference Algorithm
// and Its Variations", 1986).

export type LineChange = "same" | "gone" | "come";

export interface DiffLine {
  readonly change: LineChange;
  readonly text: string;
}

/** Lines that differ, at most, for which the fewest are looked for; beyond, all between is gone and come. */
const MOST_EDITS = 1000;

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = linesOf(before), now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start && end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) end++;
  return [
    ...marked("same", old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...marked("same", old.slice(old.length - end)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(/\r\n|\r|\n/);
}

function marked(change: LineChange, lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ change, text }));
}

function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const path = old.length === 0 || now.length === 0 ? null : shortestPath(old, now);
  return path ?? [...marked("gone", old), ...marked("come", now)];
}

/** Null where too much differs. */
function shortestPath(old: readonly string[], now: readonly string[]): DiffLine[] | null {
  /** By diagonal (old minus new position): how far in the old text one gets; one map for each number of edits. */
  const rounds: Map<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(old.length + now.length, MOST_EDITS); edits++) {
    rounds.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = comesFromAbove(reach, diagonal, edits);
      let x = down ? reach.get(diagonal + 1)! : reach.get(diagonal - 1)! + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return walkBack(old, now, rounds);
    }
  }
  return null;
}

/** Whether the way to a diagonal adds a line of the new text, rather than leaving one of the old out. */
function comesFromAbove(
  reach: ReadonlyMap<number, number>,
  diagonal: number,
  edits: number,
): boolean {
  return diagonal === -edits ||
    diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}

function walkBack(
  old: readonly string[],
  now: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = old.length, y = now.length;
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const reach = rounds[edits]!;
    const diagonal = x - y;
    const down = comesFromAbove(reach, diagonal, edits);
    const fromDiagonal = down ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : reach.get(fromDiagonal)!;
    const fromY = edits === 0 ? 0 : fromX - fromDiagonal;
    while (x > fromX && y > fromY) {
      lines.push({ change: "same", text: old[x - 1]! });
      x--;
      y--;
    }
    if (edits === 0) break;
    if (down) lines.push({ change: "come", text: now[--y]! });
    else lines.push({ change: "gone", text: old[--x]! });
  }
  return lines.reverse();
}

/** A run of lines, or one that stands for lines that did not change. */
export interface Hunk {
  readonly lines: readonly DiffLine[];
  /** So many lines as before are left out. */
  readonly left: number;
}

/** @param context Lines around each change that are shown. */
export function hunksOf(lines: readonly DiffLine[], context = 3): readonly Hunk[] {
  const near = new Set<number>();
  for (const [at, { change }] of lines.entries()) {
    if (change === "same") continue;
    for (let one = at - context; one <= at + context; one++) near.add(one);
  }
  const hunks: { lines: DiffLine[]; left: number }[] = [];
  for (const [at, line] of lines.entries()) {
    const shown = near.has(at);
    let last = hunks.at(-1);
    if (!last || (last.left > 0) === shown) hunks.push(last = { lines: [], left: 0 });
    if (shown) last.lines.push(line);
    else last.left++;
  }
  return hunks;
}
