// Which of the known names someone meant who wrote another.

/** Characters of a name that are compared: no known name is as long, and more would only take time. */
const COMPARED = 32;

/**
 * The known name that the fewest edits lead to, without regard to case; of equal ones the first.
 *
 * @returns Null where each would need edits of more than half of its characters: it was hardly meant then.
 */
export function nearest(name: string, known: Iterable<string>): string | null {
  const wanted = name.slice(0, COMPARED).toLowerCase();
  let best: string | null = null;
  let least = Infinity;
  for (const one of known) {
    const most = Math.min(least - 1, Math.max(one.length, wanted.length) / 2);
    // As many edits as the lengths differ by are needed at least.
    if (Math.abs(one.length - wanted.length) > most) continue;
    const edits = distance(wanted, one.toLowerCase());
    if (edits > most) continue;
    least = edits;
    best = one;
  }
  return best;
}

/** Levenshtein's edit distance: characters to be put in, left out or replaced. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + Number(a[row - 1] !== b[column - 1]);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[b.length]!;
}
