// The arithmetic of charts.
import assert from "node:assert/strict";
import {
  arcs,
  areaPath,
  bands,
  barPath,
  fitting,
  linear,
  linePath,
  sampled,
  ticks,
} from "../../../../console/parts/charts/scales.ts";

Deno.test("scales: round numbers cover the values", () => {
  const cases: readonly [min: number, max: number, expected: readonly number[]][] = [
    [0, 0, [0, 1]],
    [0, 1, [0, 0.25, 0.5, 0.75, 1]],
    [0, 7, [0, 2, 4, 6, 8]],
    [0, 100, [0, 25, 50, 75, 100]],
    [12, 1430, [0, 500, 1000, 1500]],
    [-30, 60, [-50, -25, 0, 25, 50, 75]],
    [0, 0.3, [0, 0.1, 0.2, 0.3]],
    [-4, -1, [-4, -3, -2, -1, 0]],
  ];
  for (const [min, max, expected] of cases) {
    assert.deepEqual(ticks(min, max), expected, `${min} to ${max}`);
  }
});

/** What binary fractions are off by. */
const SLACK = 1 - 1e-9;

Deno.test("scales: any values lie between the first and the last round number, 0 among them", () => {
  for (let power = -6; power < 12; power++) {
    for (const factor of [1, 1.1, 2.49, 2.5, 3, 7.7, 9.99]) {
      const max = factor * 10 ** power;
      const scale = ticks(-max / 3, max);
      assert.ok(
        scale.includes(0) && scale[0]! <= -max / 3 * SLACK && scale.at(-1)! >= max * SLACK,
        `${max}: ${scale}`,
      );
      assert.ok(scale.length >= 3 && scale.length <= 8, `${max}: ${scale}`);
    }
  }
});

Deno.test("scales: from values to pixels", () => {
  const y = linear([0, 200], [100, 0]);
  assert.deepEqual([0, 50, 200].map(y), [100, 75, 0]);
  assert.equal(linear([5, 5], [10, 20])(5), 10, "one value is no division by zero");
});

Deno.test("scales: bands fill the width and keep gaps", () => {
  const { at, width, step } = bands(4, [40, 440], 0.25);
  assert.equal(step, 100);
  assert.equal(width, 75);
  assert.deepEqual([0, 3].map(at), [52.5, 352.5]);
  const few = bands(2, [0, 400], 0.3, 50);
  assert.equal(few.width, 50, "as wide as it may be");
  assert.deepEqual([0, 1].map(few.at), [75, 275], "in the middle");
});

Deno.test("scales: as many labels as fit, evenly", () => {
  const days = Array.from({ length: 30 }, (_, index) => `Nov ${index + 1}`);
  const wide = fitting(days, 2000);
  assert.equal(wide.length, 30);
  const narrow = fitting(days, 300);
  assert.ok(narrow.length >= 3 && narrow.length <= 7);
  assert.equal(new Set(narrow.slice(1).map((index, at) => index - narrow[at]!)).size, 1);
  assert.deepEqual(fitting(["only"], 1), [0]);
});

Deno.test("scales: a line leaves gaps where there are no values", () => {
  const x = (index: number) => index * 10;
  const y = (value: number) => value;
  assert.equal(linePath([1, 2, null, 4, 5], x, y), "M0 1L10 2M30 4L40 5");
  assert.equal(areaPath([1, 2, null, 4], x, y, 9), "M0 9L0 1L10 2L10 9ZM30 9L30 4L30 9Z");
});

Deno.test("scales: a bar stands on its base, upwards and downwards", () => {
  assert.match(barPath(10, 20, 100, 40), /^M10 100V43Q10 40 13 40H27Q30 40 30 43V100Z$/);
  assert.match(barPath(10, 20, 100, 160), /^M10 100V157/);
});

Deno.test("scales: parts of a whole go once around", () => {
  const parts = arcs([1, 0, 3]);
  assert.deepEqual(parts, [{ index: 0, from: 0, to: 0.25 }, { index: 2, from: 0.25, to: 1 }]);
  assert.deepEqual(arcs([0, 0]), []);
});

Deno.test("scales: a long series is thinned out, its ends kept", () => {
  assert.deepEqual(sampled(3, 10), [0, 1, 2]);
  const rows = sampled(1000, 60);
  assert.equal(rows.length, 60);
  assert.equal(rows[0], 0);
  assert.equal(rows.at(-1), 999);
});
