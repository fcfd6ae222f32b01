// Where what floats stands.
import assert from "node:assert/strict";
import { placeAt } from "../../../console/parts/floating.ts";

const WINDOW = { width: 1000, height: 800 };
const anchor = (left: number, top: number) => ({ left, top, right: left + 100, bottom: top + 32 });

Deno.test("floating: below its anchor, in line with its start or end", () => {
  const box = { width: 240, height: 200 };
  assert.deepEqual(placeAt(anchor(300, 100), box, WINDOW, "left"), {
    left: 300,
    top: 136,
    room: 656,
    above: false,
  });
  assert.equal(placeAt(anchor(300, 100), box, WINDOW, "right").left, 160);
});

Deno.test("floating: above where there is more room, cut to what there is", () => {
  const placed = placeAt(anchor(300, 700), { width: 240, height: 200 }, WINDOW, "left");
  assert.deepEqual(placed, { left: 300, top: 496, room: 688, above: true });
  const tall = placeAt(anchor(300, 200), { width: 240, height: 2000 }, WINDOW, "left");
  assert.equal(tall.above, false);
  assert.equal(tall.room, 556);
});

Deno.test("floating: never outside the window", () => {
  for (const left of [-200, 0, 900, 1200]) {
    for (const side of ["left", "right"] as const) {
      const placed = placeAt(anchor(left, 100), { width: 240, height: 100 }, WINDOW, side);
      assert.ok(placed.left >= 8 && placed.left + 240 <= 992, `${left} ${side}`);
    }
  }
});
