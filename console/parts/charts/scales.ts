// The arithmetic of charts: where values stand, and what stands at the axes.

/**
 * Round numbers that cover the values, 0 among them: 1, 2, 2.5 or 5 times a power of ten apart.
 *
 * @param count About as many as are wanted.
 */
export function ticks(min: number, max: number, count = 4): number[] {
  const low = Math.min(0, min);
  const high = Math.max(0, max);
  if (high === low) return [0, 1];
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough * (1 - 1e-9))!;
  const step = factor * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  // Multiplied, not added up, and rounded: 0.1 + 0.2 is no round number.
  return Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step));
}

function tidy(value: number): number {
  return Number(value.toPrecision(12)) + 0;
}

/** From values to pixels and on a straight line between. */
export function linear(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

/** Equal bands beside each other, for bars: where each begins and how wide it is. */
export function bands(
  count: number,
  [start, end]: readonly [number, number],
  /** The part of a band that stays empty between two. */
  gap = 0.3,
  /** Pixels that a band is wide at most; more stays empty. */
  most = Infinity,
): { at: (index: number) => number; width: number; step: number } {
  const step = (end - start) / Math.max(count, 1);
  const width = Math.min(step * (1 - gap), most);
  return { at: (index) => start + step * index + (step - width) / 2, width, step };
}

/** Which labels fit beside each other: every first, second, fifth … of them, from the first on. */
export function fitting(labels: readonly string[], width: number, characterWidth = 6.6): number[] {
  const longest = Math.max(1, ...labels.map((label) => [...label].length));
  const room = Math.max(1, Math.floor(width / (longest * characterWidth + 14)));
  const every = Math.max(1, Math.ceil(labels.length / room));
  return labels.flatMap((_, index) => index % every === 0 ? [index] : []);
}

/** What is not a number leaves a gap in the line. */
export type Value = number | null;

const round = (pixels: number) => Math.round(pixels * 10) / 10;

/** A line through the points, as the `d` of a path. */
export function linePath(
  values: readonly Value[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let path = "";
  values.forEach((value, index) => {
    if (value === null) return;
    const before = values[index - 1];
    const command = index === 0 || before === null || before === undefined ? "M" : "L";
    path += `${command}${round(x(index))} ${round(y(value))}`;
  });
  return path;
}

/** The area between the line and the base; each stretch of values by itself. */
export function areaPath(
  values: readonly Value[],
  x: (index: number) => number,
  y: (value: number) => number,
  base: number,
): string {
  let path = "";
  let start = -1;
  values.forEach((value, index) => {
    if (value === null) {
      start = -1;
      return;
    }
    if (start < 0) {
      start = index;
      path += `M${round(x(index))} ${round(base)}`;
    }
    path += `L${round(x(index))} ${round(y(value))}`;
    const next = values[index + 1];
    if (next === null || next === undefined) path += `L${round(x(index))} ${round(base)}Z`;
  });
  return path;
}

/** A bar, its far end rounded. */
export function barPath(x: number, width: number, base: number, top: number): string {
  const height = Math.abs(base - top);
  const corner = Math.min(3, width / 2, height);
  const turn = top <= base ? 1 : -1;
  const inner = top + corner * turn;
  return `M${round(x)} ${round(base)}V${round(inner)}Q${round(x)} ${round(top)} ${
    round(x + corner)
  } ${round(top)}` +
    `H${round(x + width - corner)}Q${round(x + width)} ${round(top)} ${round(x + width)} ${
      round(inner)
    }V${round(base)}Z`;
}

export interface Arc {
  readonly index: number;
  /** From 0 to 1 around the circle. */
  readonly from: number;
  readonly to: number;
}

/** The parts of a whole around a circle, from the top. */
export function arcs(values: readonly number[]): Arc[] {
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  if (total <= 0) return [];
  let from = 0;
  return values.flatMap((value, index) => {
    if (value <= 0) return [];
    const arc = { index, from, to: from + value / total };
    from = arc.to;
    return [arc];
  });
}

/** Thinned out evenly, first and last kept: for tables of long series. */
export function sampled(length: number, most: number): number[] {
  if (length <= most) return Array.from({ length }, (_, index) => index);
  return Array.from(
    { length: most },
    (_, index) => Math.round((index * (length - 1)) / (most - 1)),
  );
}
