// How the time of a parser grows with the length of what it is given: ratios of equal stretches of work, which a slow
// or busy machine does not change.
import assert from "node:assert/strict";

/** Text of a given length, hostile in one way. */
export type Shape = (length: number) => string;

/** A unit, again and again. */
export function repeated(unit: string, { before = "", after = "" } = {}): Shape {
  return (length) => {
    const room = Math.max(0, length - before.length - after.length);
    return before + unit.repeat(Math.ceil(room / unit.length)).slice(0, room) + after;
  };
}

/** What `piece` makes of 0, 1, 2, …, joined. */
export function counted(piece: (index: number) => string): Shape {
  return (length) => {
    let text = "";
    for (let i = 0; text.length < length; i++) text += piece(i);
    return text.slice(0, length);
  };
}

/** How many times longer the long text is, and how often the short one is parsed for one time of the long one. */
const STEP = 8;
/** What is linear takes as long, what is quadratic 8 times: the geometric mean is between them. */
const MAX_RATIO = 3;
/** Milliseconds below which the clock and the collector say more than the parser. */
const FLOOR = 4;
/** A pause of the machine falls into one measurement, not into every one. */
const TRIES = 12;

/**
 * @param length Characters of the longer text.
 * @throws When the time grows faster than in proportion, at every try.
 */
export async function assertLinear(
  name: string,
  shape: Shape,
  length: number,
  parse: (text: string) => unknown,
): Promise<void> {
  await assertLinearIn(name, shape, length, { prepare: (text) => text, parse });
}

/** The same for what takes no text as it is: what `prepare` takes is not counted. */
export async function assertLinearIn<T>(
  name: string,
  shape: Shape,
  length: number,
  { prepare, parse }: { prepare: (text: string) => T; parse: (input: T) => unknown },
): Promise<void> {
  const short = shape(length / STEP);
  const long = shape(length);
  const shorts = () => Array.from({ length: STEP }, () => prepare(short));
  let [before, after] = [Infinity, Infinity];
  for (let i = 0; i < TRIES; i++) {
    after = Math.min(after, await timed(parse, [prepare(long)]));
    if (after <= MAX_RATIO * FLOOR) return;
    // The first time counts for what is compiled and loaded.
    if (i === 0) await timed(parse, shorts());
    // As much work at a stretch as the long one: a busy machine interrupts both alike.
    before = Math.min(before, await timed(parse, shorts()));
    if (after <= MAX_RATIO * before) return;
  }
  const ratio = (STEP * after / Math.max(FLOOR, before)).toFixed(0);
  assert.fail(`${name}: ${STEP} times the length takes ${ratio} times as long`);
}

/** Milliseconds. That the text is refused is as good as any other outcome. */
async function timed<T>(parse: (input: T) => unknown, inputs: readonly T[]): Promise<number> {
  const started = performance.now();
  for (const input of inputs) {
    try {
      const parsed = parse(input);
      if (parsed instanceof Promise) await parsed;
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
  return performance.now() - started;
}

/** Milliseconds that nothing else could run while `work` did, at the longest. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
    look();
  }
  return longest;
}
