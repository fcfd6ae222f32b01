// What waits to be read: a deadline that grows with what arrives, and a sum over all bodies.
import assert from "node:assert/strict";
import { ApiError } from "../../core/errors.ts";
import { type Arrival, Intake, type IntakeLimits } from "../../http/intake.ts";

/** An intake with a clock that the test moves, and bodies that arrive when the test says so. */
function slow(limits: IntakeLimits) {
  let now = 0;
  const intake = new Intake({ ...limits, now: () => now });
  function begin() {
    let arrival: Arrival | undefined;
    let finish = () => {};
    const end = new Promise<void>((resolve) => finish = resolve);
    const outcome = intake.reading(async (it) => {
      arrival = it;
      await end;
    }).then(() => "complete", (error) => error instanceof ApiError ? error.code : String(error));
    return { add: (bytes: number) => arrival!.add(bytes), finish, outcome };
  }
  return { intake, begin, pass: (milliseconds: number) => void (now += milliseconds) };
}

Deno.test("intake: a body that never comes is given up after its grace, one that arrives is not", async () => {
  const { intake, begin, pass } = slow({ grace: 20_000, rate: 4096 });
  const [silent, steady] = [begin(), begin()];
  for (let second = 0; second < 60; second++) {
    pass(1000);
    steady.add(4096);
    intake.cutLate();
  }
  assert.equal(intake.size, 1);
  assert.equal(await silent.outcome, "REQUEST_TIMEOUT");
  steady.finish();
  assert.equal(await steady.outcome, "complete");
  assert.deepEqual([intake.size, intake.bytes], [0, 0]);
});

Deno.test("intake: a drip buys no time", async () => {
  const { intake, begin, pass } = slow({ grace: 20_000, rate: 4096 });
  const drip = begin();
  for (let second = 0; second < 21; second++) {
    pass(1000);
    drip.add(1);
    intake.cutLate();
  }
  assert.equal(intake.size, 0);
  assert.equal(await drip.outcome, "REQUEST_TIMEOUT");
});

Deno.test("intake: where the sum is reached the slowest is given up, and the fair one gets through", async () => {
  const { intake, begin, pass } = slow({ bytes: 10_000, settled: 1000 });
  const stalled = [begin(), begin()];
  for (const one of stalled) one.add(4000);
  pass(5000);
  const fair = begin();
  fair.add(9000);
  assert.ok(intake.bytes <= 10_000);
  for (const one of stalled) assert.equal(await one.outcome, "UNAVAILABLE");
  fair.finish();
  assert.equal(await fair.outcome, "complete");
  assert.equal(intake.bytes, 0);
});

Deno.test("intake: many at once never hold more than the sum", async () => {
  const { intake, begin } = slow({ bytes: 64_000 });
  const bodies = Array.from({ length: 300 }, begin);
  for (let round = 0; round < 10; round++) {
    for (const body of bodies) body.add(100);
    assert.ok(intake.bytes <= 64_000, `${intake.bytes}`);
  }
  for (const body of bodies) body.finish();
  const outcomes = await Promise.all(bodies.map((body) => body.outcome));
  assert.ok(outcomes.includes("complete") && outcomes.includes("UNAVAILABLE"));
});

Deno.test("intake: what is passed on counts to its share alone", () => {
  const { intake, begin } = slow({ bytes: 10_000, bytesOfOne: 1000 });
  const upload = begin();
  for (let i = 0; i < 1000; i++) upload.add(1000);
  assert.equal(intake.bytes, 1000);
  upload.finish();
});

Deno.test("intake: when connections are short, all are given up", async () => {
  const { intake, begin } = slow({});
  const bodies = [begin(), begin()];
  intake.cutAll();
  for (const { outcome } of bodies) assert.equal(await outcome, "UNAVAILABLE");
  assert.deepEqual([intake.size, intake.bytes], [0, 0]);
});

Deno.test("intake: when the server stops, all are given up and no more are taken", async () => {
  const { intake, begin } = slow({});
  const body = begin();
  intake.stop();
  assert.equal(await body.outcome, "UNAVAILABLE");
  let read = false;
  await assert.rejects(
    intake.reading(() => Promise.resolve(read = true)),
    (error) => error instanceof ApiError && /is stopping/.test(error.message),
  );
  assert.equal(read, false);
});
