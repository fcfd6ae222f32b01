// The same done with many records: as many requests as it takes, one at a time, and what became of each record.
import assert from "node:assert/strict";
import { ApiError, connect } from "../../../client/mod.ts";
import { alone, each, far, stopping, together } from "../../../console/state/batches.ts";
import { place } from "../../../console/state/place.ts";
import { proofAsked } from "../../../console/state/transport.ts";
import { until } from "../../until.ts";

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Sent {
  readonly atomic: boolean;
  readonly operations: readonly Operation[];
}

const refusal = (code: string, message: string) => ({ success: false, error: { code, message } });

/** Ids that are refused, by number. */
const REFUSED: Readonly<Record<string, [status: number, body: unknown]>> = {
  "3": [403, refusal("FORBIDDEN", "You cannot manage 3")],
  "150": [404, refusal("NOT_FOUND", "There is no such user")],
};

/** A server that carries out batches. @param fails Status of the request with this number, from 1. */
function server(fails: Readonly<Record<number, number>> = {}) {
  const sent: Sent[] = [];
  let underWay = 0;
  let most = 0;
  connect({
    baseUrl: "http://console.test/api",
    async fetch(input) {
      most = Math.max(most, ++underWay);
      const body: Sent = await (input as Request).json();
      sent.push(body);
      await new Promise((resolve) => setTimeout(resolve));
      underWay--;
      const status = fails[sent.length];
      if (status) return Response.json(refusal("UNAVAILABLE", "Try later"), { status });
      const data = body.operations.map(({ id }) => {
        const [status, answer] = REFUSED[id] ?? [200, { success: true }];
        return { id, status, body: answer };
      });
      return Response.json({ success: true, data });
    },
  });
  return { sent, most: () => most };
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));
const suspend = each((id) => ({
  method: "PATCH",
  path: `/users/${id}`,
  body: { status: "suspended" },
}));

Deno.test("batches: a hundred records in a request, one request after the other, told of on the way", async () => {
  const { sent, most } = server();
  const seen: number[] = [];
  await suspend(ids(250), (count) => seen.push(count));
  assert.deepEqual(sent.map(({ operations }) => operations.length), [100, 100, 50]);
  assert.deepEqual(sent.flatMap(({ operations }) => operations.map(({ id }) => id)), ids(250));
  assert.equal(most(), 1);
  assert.deepEqual(seen, [100, 200, 250]);
  assert.equal(sent[0]!.atomic, false, "one that is refused holds up none of the others");
  assert.deepEqual(sent[2]!.operations[49], {
    id: "249",
    method: "PATCH",
    path: `${place.api}/users/249`,
    body: { status: "suspended" },
  });
});

Deno.test("batches: of each record it is told whether it was done, and why not", async () => {
  server();
  const { done, refused } = await suspend(ids(151));
  assert.deepEqual(done, ids(150).filter((id) => id !== "3"));
  assert.deepEqual(refused, [{ id: "3", message: "You cannot manage 3" }, { id: "150" }]);
});

Deno.test("batches: what was done is told although a later request fails; no more are sent", async () => {
  const { sent } = server({ 2: 503 });
  const seen: number[] = [];
  const { done, refused } = await suspend(ids(250), (count) => seen.push(count));
  assert.equal(sent.length, 2);
  assert.deepEqual(seen, [100]);
  assert.equal(done.length, 99);
  assert.deepEqual(refused[0], { id: "3", message: "You cannot manage 3" });
  assert.deepEqual(refused.slice(1).map(({ id }) => id), ids(250).slice(100));
  assert.deepEqual(refused.at(-1), { id: "249", message: "Try later" });
});

Deno.test("batches: where the first request fails, nothing was done, and the error says so", async () => {
  const { sent } = server({ 1: 503 });
  await assert.rejects(suspend(ids(250)), { name: "ApiError", status: 503, message: "Try later" });
  assert.equal(sent.length, 1);
});

Deno.test("batches: routes for many records say of each what became of it", async () => {
  const asked: string[][] = [];
  const remove = together("deleted", (ids) => {
    asked.push(ids);
    const data = ids.map((id) =>
      id === "3"
        ? { id, status: "forbidden", message: "You cannot delete yourself" }
        : { id, status: id === "4" ? "missing" : "deleted" }
    );
    return Promise.resolve({ data });
  });
  const { done, refused } = await remove(ids(120));
  assert.deepEqual(asked.map(({ length }) => length), [100, 20]);
  assert.equal(done.length, 118);
  assert.deepEqual(refused, [{ id: "3", message: "You cannot delete yourself" }, { id: "4" }]);
});

Deno.test("batches: none of nothing", async () => {
  const { sent } = server();
  assert.deepEqual(await suspend([]), { done: [], refused: [] });
  assert.equal(sent.length, 0);
});

/** Answers by id: with an error, or that it was done. */
function acting(refusals: Readonly<Record<string, ApiError>>) {
  const asked: string[] = [];
  const bulk = alone((id) => {
    asked.push(id);
    return refusals[id] ? Promise.reject(refusals[id]) : Promise.resolve();
  });
  return { asked, bulk };
}

Deno.test("batches: of what the server takes one by one, what is refused is told by record", async () => {
  const { bulk } = acting({
    system: new ApiError("built in", 409, "CONFLICT"),
    theirs: new ApiError("not yours", 403, "FORBIDDEN"),
    gone: new ApiError("no such role", 404, "NOT_FOUND"),
    changed: new ApiError("changed meanwhile", 412, "PRECONDITION_FAILED"),
  });
  const seen: number[] = [];
  const outcome = await bulk(
    ["one", "system", "theirs", "gone", "changed", "two"],
    (count) => seen.push(count),
  );
  assert.deepEqual(outcome, {
    done: ["one", "two"],
    refused: [
      { id: "system", message: "built in" },
      { id: "theirs", message: "not yours" },
      { id: "gone" },
      { id: "changed", message: "changed meanwhile" },
    ],
  });
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
});

Deno.test("batches: one by one, what is wrong with all of them is asked for once", async () => {
  for (
    const error of [
      new ApiError("prove who you are", 403, "STEP_UP_REQUIRED"),
      new ApiError("the server did not answer", 0, "NETWORK_ERROR"),
      new ApiError("too many", 429, "RATE_LIMITED"),
    ]
  ) {
    const first = acting({ one: error });
    await assert.rejects(first.bulk(["one", "two"]), error);
    assert.deepEqual(first.asked, ["one"]);
    const { asked, bulk } = acting({ two: error });
    const { message } = error;
    assert.deepEqual(await bulk(["one", "two", "three"]), {
      done: ["one"],
      refused: [{ id: "two", message }, { id: "three", message }],
    });
    assert.deepEqual(asked, ["one", "two"]);
  }
});

for (const proof of [true, false]) {
  Deno.test(`batches: what waits for a proof is ${proof ? "done after" : "left without"} one`, async () => {
    const sent: Sent[] = [];
    connect({
      baseUrl: "http://console.test/api",
      async fetch(input) {
        const body: Sent = await (input as Request).json();
        const answer = sent.push(body) === 1
          ? { status: 403, body: refusal("STEP_UP_REQUIRED", "Prove it") }
          : { status: 200, body: { success: true } };
        return Response.json({
          success: true,
          data: body.operations.map(({ id }) => ({ id, ...answer })),
        });
      },
    });
    const outcome = suspend(["1", "2"]);
    outcome.catch(() => {});
    await until(() => proofAsked.peek() !== null, "the question");
    proofAsked.peek()!.answer(proof);
    if (proof) assert.deepEqual(await outcome, { done: ["1", "2"], refused: [] });
    else await assert.rejects(outcome, { code: "STEP_UP_REQUIRED" });
    assert.equal(sent.length, proof ? 2 : 1);
    assert.deepEqual(sent.at(-1), sent[0]);
  });
}

Deno.test("batches: how far many are is to be seen, and nothing once they are done or fail", async () => {
  const seen: (number | null)[] = [];
  const stop = far.subscribe((value) => seen.push(value));
  const bulk = alone(() => Promise.resolve());
  await bulk(ids(20));
  assert.deepEqual(seen, [null], "a few are done at once");
  await bulk(ids(25));
  assert.deepEqual([seen[1], seen[2], seen.at(-2), seen.at(-1)], [0, 1 / 25, 1, null]);
  await assert.rejects(alone(() => Promise.reject(new Error("gone")))(ids(25)), /gone/);
  assert.equal(far.value, null);
  await bulk(ids(25), () => assert.equal(far.value, null, "whoever asks shows it"));
  stop();
});

Deno.test("batches: who stops them leaves the rest as it is, after the request that is under way", async () => {
  const { sent } = server();
  const work = suspend(ids(250));
  stopping.value = true;
  assert.deepEqual((await work).done.length, 99);
  assert.equal(sent.length, 1);
  assert.equal(far.value, null);
  assert.equal((await suspend(ids(250))).done.length, 248, "what is begun later is not stopped");
  const { done, refused } = await suspend(ids(250), (count) => count < 200);
  assert.deepEqual([done.length, refused.length], [198, 2]);
});
