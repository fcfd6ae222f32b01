// Pacing: work waits only for the sake of requests that it was in the way of.
import assert from "node:assert/strict";
import { traffic } from "../../../core/traffic.ts";
import { pacer } from "../../../services/accounts/pace.ts";

interface Piece {
  readonly cost?: number;
  /** Milliseconds. */
  readonly takes: number;
  /** Answered beside it. */
  readonly requests?: number;
}

/** Does pieces of work one after the other, on a clock that nothing else moves. @returns How long each of them waited. */
async function waitsOf(...pieces: Piece[]): Promise<number[]> {
  let now = 0;
  const pass = (milliseconds: number) => Promise.resolve(void (now += milliseconds));
  const paced = pacer({ now: () => now, delay: pass });
  const waits: number[] = [];
  for (const { cost = 1, takes, requests = 0 } of pieces) {
    const asked = now;
    await paced(cost, async () => {
      waits.push(now - asked);
      await pass(takes);
      traffic.requests += requests;
    });
  }
  return waits;
}

Deno.test("pace: alone, work never waits, however long it takes", async () => {
  assert.deepEqual(await waitsOf({ takes: 10 }, { takes: 100 }, { takes: 10 }), [0, 0, 0]);
});

Deno.test("pace: beside requests on a core of its own, work does not wait", async () => {
  const undisturbed = { takes: 60, requests: 1000 };
  assert.deepEqual(await waitsOf(undisturbed, undisturbed, { takes: 10 }), [0, 0, 0]);
});

Deno.test("pace: beside requests on a shared core, the next piece waits for a part of what the last took", async () => {
  const slowed = { takes: 120, requests: 1000 };
  assert.deepEqual(await waitsOf({ takes: 20 }, slowed, { takes: 10 }, { takes: 10 }), [
    0,
    0,
    90,
    0,
  ]);
});

Deno.test("pace: few requests, or work that costs as much more, are no reason to wait", async () => {
  assert.deepEqual(await waitsOf({ takes: 20 }, { takes: 120, requests: 120 }, { takes: 10 }), [
    0,
    0,
    0,
  ]);
  const large = { cost: 6, takes: 120, requests: 1000 };
  assert.deepEqual(await waitsOf({ takes: 20 }, large, { takes: 10 }), [0, 0, 0]);
});

Deno.test("pace: an error is passed on", async () => {
  await assert.rejects(pacer()(1, () => Promise.reject(new Error("no"))), /no/);
});
