// The log of requests: the newest first, bounded, and held back while it is paused.
import assert from "node:assert/strict";
import type { RequestReport } from "../../client/mod.ts";
import { added, Arrivals, EMPTY, KEPT, released } from "../../console/state/request_log.ts";

const request = (requestId: string) => ({ requestId }) as RequestReport;
const ids = (rows: readonly RequestReport[]) => rows.map(({ requestId }) => requestId);

Deno.test("request log: the newest stands first", () => {
  const log = added(added(EMPTY, [request("1"), request("2")], false), [request("3")], false);
  assert.deepEqual(ids(log.rows), ["3", "2", "1"]);
});

Deno.test("request log: what comes while it is paused waits, and is shown in its place", () => {
  const paused = added(added(EMPTY, [request("1")], false), [request("2"), request("3")], true);
  assert.deepEqual(ids(paused.rows), ["1"]);
  assert.deepEqual(ids(released(paused).rows), ["3", "2", "1"]);
  assert.deepEqual(released(paused).held, []);
});

Deno.test("request log: no more is kept than can be looked at", () => {
  const many = Array.from({ length: KEPT + 5 }, (_, at) => request(String(at)));
  const log = added(EMPTY, many, false);
  assert.equal(log.rows.length, KEPT);
  assert.equal(log.rows[0]!.requestId, String(KEPT + 4));
  assert.equal(added(EMPTY, many, true).held.length, KEPT);
  assert.equal(released(added(log, many, true)).rows.length, KEPT);
});

Deno.test("request log: what is answered while the stream begins is told once, and in its place", () => {
  const told: RequestReport[] = [];
  const arrivals = new Arrivals((one) => told.push(one));
  arrivals.reading();
  arrivals.came(request("3"));
  arrivals.came(request("4"));
  assert.deepEqual(ids(told), [], "what came before may still be on its way");
  arrivals.list([request("3"), request("2"), request("1")]);
  assert.deepEqual(ids(told), ["1", "2", "3", "4"]);
  arrivals.came(request("5"));
  assert.deepEqual(ids(told), ["1", "2", "3", "4", "5"]);
});

Deno.test("request log: a stream that was interrupted goes on with what it has missed", () => {
  const told: RequestReport[] = [];
  const arrivals = new Arrivals((one) => told.push(one));
  arrivals.came(request("1"));
  arrivals.reading();
  arrivals.came(request("4"));
  arrivals.reading();
  arrivals.list([request("3"), request("2"), request("1")]);
  assert.deepEqual(ids(told), ["1", "2", "3"], "another list is still read");
  arrivals.list([]);
  assert.deepEqual(ids(told), ["1", "2", "3", "4"]);
});

Deno.test("request log: only as many are remembered as can be listed again", () => {
  let told = 0;
  const arrivals = new Arrivals(() => told++);
  for (let at = 0; at < 3 * KEPT; at++) arrivals.came(request(String(at)));
  arrivals.reading();
  arrivals.list([request(String(3 * KEPT - 1)), request("0")]);
  assert.equal(told, 3 * KEPT + 1);
});

Deno.test("request log: nothing new is the same log", () => {
  assert.equal(added(EMPTY, [], false), EMPTY);
});
