// What waits to be sent: shares of one sum, and readers that take nothing.
import assert from "node:assert/strict";
import { Outflow } from "../../core/outflow.ts";

Deno.test("outflow: the more read at once, the less each holds, and never less than one piece", () => {
  const outflow = new Outflow(1000);
  const first = outflow.open(() => {});
  assert.equal(first.pieces(100), 10);
  const others = Array.from({ length: 4 }, () => outflow.open(() => {}));
  assert.equal(first.pieces(100), 2);
  for (let i = 0; i < 100; i++) outflow.open(() => {});
  assert.equal(first.pieces(100), 1);
  for (const flow of others) {
    flow.close();
    flow.close();
  }
  assert.equal(outflow.size, 101);
});

Deno.test("outflow: a reader that takes nothing is broken off, one that takes is not", () => {
  let now = 0;
  const outflow = new Outflow(1000, () => now);
  const cut: string[] = [];
  outflow.open(() => cut.push("stalled"));
  const steady = outflow.open(() => cut.push("steady"));
  now = 50_000;
  steady.taken();
  now = 61_000;
  outflow.cutStalled(60_000);
  assert.deepEqual(cut, ["stalled"]);
  assert.equal(outflow.size, 1);
});
