// Which rows of a long table stand in the page.
import assert from "node:assert/strict";
import { rowWindow, seen, WHOLE } from "../../../console/parts/row_window.ts";

const ROW = 40;
const HEIGHT = 800;

Deno.test("row window: short tables stand there whole", () => {
  assert.deepEqual(seen(WHOLE, ROW, 99_999, HEIGHT), [0, WHOLE]);
  assert.deepEqual(rowWindow(3, [0, 3]), { stretches: [{ gap: 0, from: 0, to: 3 }], rest: 0 });
});

Deno.test("row window: wherever one scrolls to, what is seen is there, and not much more", () => {
  const count = 10_000;
  for (let above = -500; above < count * ROW + 500; above += 137) {
    const [from, to] = seen(count, ROW, above, HEIGHT);
    const first = Math.max(0, Math.min(Math.floor(above / ROW), count - 1));
    const last = Math.min(count, Math.max(0, Math.ceil((above + HEIGHT) / ROW)));
    assert.ok(from <= first && to >= last, `${above}: ${from}–${to} lacks ${first}–${last}`);
    assert.ok(to - from <= 80, `${above}: ${to - from} rows`);
    assert.ok(from >= 0 && to <= count);
  }
});

Deno.test("row window: it moves in steps, so that it is not drawn anew for each pixel", () => {
  const ranges = new Set<string>();
  for (let above = 20_000; above < 20_000 + 40 * ROW; above += 4) {
    ranges.add(seen(10_000, ROW, above, HEIGHT).join("–"));
  }
  assert.ok(ranges.size <= 8, `${ranges.size} windows for 40 rows`);
});

Deno.test("row window: what is left out and what is there make up the whole", () => {
  for (const kept of [-1, 0, 4999, 5020, 9999]) {
    const { stretches, rest } = rowWindow(10_000, [5000, 5050], kept);
    const sum = stretches.reduce((rows, { gap, from, to }) => rows + gap + to - from, rest);
    assert.equal(sum, 10_000);
    if (kept >= 0) assert.ok(stretches.some(({ from, to }) => kept >= from && kept < to));
  }
});

Deno.test("row window: the row with the focus stays though it is scrolled away", () => {
  assert.deepEqual(rowWindow(1000, [500, 540], 2), {
    stretches: [{ gap: 2, from: 2, to: 3 }, { gap: 497, from: 500, to: 540 }],
    rest: 460,
  });
  assert.deepEqual(rowWindow(1000, [500, 540], 999).stretches.at(-1), {
    gap: 459,
    from: 999,
    to: 1000,
  });
});

Deno.test("row window: rows that went away leave no window over the end", () => {
  assert.deepEqual(rowWindow(10, [0, 120]), { stretches: [{ gap: 0, from: 0, to: 10 }], rest: 0 });
  assert.deepEqual(rowWindow(200, [5000, 5050]), {
    stretches: [{ gap: 200, from: 200, to: 200 }],
    rest: 0,
  });
});
