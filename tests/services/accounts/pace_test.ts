// Pacing: work waits only for the sake of requests that it was in the way of.
import assert from "node:assert/strict";
import { pacer, traffic } from "../../../services/accounts/pace.ts";

/** Does a piece of work of so many milliseconds, beside so many requests. @returns How long it waited before it began. */
async function piece(
  paced: ReturnType<typeof pacer>,
  { cost = 1, takes, requests = 0 }: { cost?: number; takes: number; requests?: number },
): Promise<number> {
  const asked = performance.now();
  let waited = 0;
  await paced(cost, async () => {
    waited = performance.now() - asked;
    await new Promise((resolve) => setTimeout(resolve, takes));
    traffic.requests += requests;
  });
  return waited;
}

Deno.test("pace: alone, work never waits, however long it takes", async () => {
  const paced = pacer();
  await piece(paced, { takes: 10 });
  await piece(paced, { takes: 100 });
  assert.ok(await piece(paced, { takes: 10 }) < 40);
});

Deno.test("pace: beside requests on a core of its own, work does not wait", async () => {
  const paced = pacer();
  await piece(paced, { takes: 60, requests: 1000 });
  await piece(paced, { takes: 60, requests: 1000 });
  assert.ok(await piece(paced, { takes: 10 }) < 40);
});

Deno.test("pace: beside requests on a shared core, the next piece waits for a part of what the last took", async () => {
  const paced = pacer();
  await piece(paced, { takes: 20 });
  await piece(paced, { takes: 120, requests: 1000 });
  const waited = await piece(paced, { takes: 10 });
  assert.ok(waited > 60 && waited < 500, `waited ${waited}`);
});

Deno.test("pace: an error is passed on", async () => {
  await assert.rejects(pacer()(1, () => Promise.reject(new Error("no"))), /no/);
});
