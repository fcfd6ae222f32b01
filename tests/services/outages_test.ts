// Outages in the log: one line at the beginning, one at the end, and none for each request.
import assert from "node:assert/strict";
import { configure, resetSync } from "@logtape/logtape";
import { notFound } from "../../core/errors.ts";
import { Outages } from "../../services/outages.ts";
import { jsonLines } from "../../core/log.ts";
import { documents } from "../../models/documents.ts";
import { startJobs } from "../../services/jobs.ts";
import { StoreFull, StoreUnavailable } from "../../storage/port.ts";
import { openOnEngine } from "../engine.ts";
import { type Failing, failing } from "../failing.ts";
import { harness } from "../harness.ts";

function outages() {
  let now = 0;
  const lines: string[] = [];
  const told = (level: string) => (text: string, values: Record<string, unknown>) => {
    lines.push(`${level} ${text.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]))}`);
  };
  const log = { error: told("ERROR"), warn: told("WARN") } as ConstructorParameters<
    typeof Outages
  >[0];
  return {
    it: new Outages(log, () => now),
    lines,
    pass: (seconds: number) => void (now += seconds * 1000),
  };
}

const WHAT = "The data store cannot be reached: try again shortly";

Deno.test("outages: a thousand failures are two lines", () => {
  const { it, lines, pass } = outages();
  for (let n = 0; n < 1000; n++) {
    assert.equal(it.counts(new StoreUnavailable("refused")), true);
    pass(0.02);
    it.look();
  }
  assert.deepEqual(lines, [`ERROR Outage begins: ${WHAT} (refused)`]);
  pass(10);
  it.look();
  it.look();
  assert.deepEqual(lines.slice(1), [`WARN Outage ended, 1000 failures in 20 s: ${WHAT}`]);
  it.counts(new StoreUnavailable("again"));
  assert.equal(lines.length, 3);
});

Deno.test("outages: those of another kind are told apart, and the end of the process ends them", () => {
  const { it, lines } = outages();
  it.counts(new StoreUnavailable("refused"));
  it.counts(new StoreFull());
  it.counts(new AggregateError([new StoreUnavailable("one"), new StoreUnavailable("two")]));
  assert.equal(lines.length, 2);
  it.close();
  assert.deepEqual(lines.slice(2).map((line) => /, (\d+) failures/.exec(line)?.[1]), ["2", "1"]);
});

Deno.test("outages: a defect is none, alone or beside one", () => {
  const { it, lines } = outages();
  const defect = new TypeError("x is undefined");
  for (
    const error of [defect, notFound("user"), new AggregateError([defect, new StoreFull()]), null]
  ) {
    assert.equal(it.counts(error), false);
  }
  assert.deepEqual(lines, []);
});

Deno.test("outages: requests and jobs that fail by one are a line together, without a stack", async () => {
  const lines: string[] = [];
  await configure({
    sinks: { lines: (record) => void lines.push(jsonLines(record)) },
    loggers: [
      { category: "quarterdeck", lowestLevel: "warning", sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["lines"] },
    ],
    reset: true,
  });
  try {
    await using h = await harness({
      open: async (clock) => failing(await openOnEngine(clock), clock),
    });
    const store = h.store as Failing;
    const failed = Promise.withResolvers<void>();
    const stop = startJobs(h.app.services, [{
      name: "count documents",
      every: 1,
      run: () =>
        Promise.resolve(store.from(documents).count()).then(() => {}, (error) => {
          failed.resolve();
          throw error;
        }),
    }]);
    store.failFrom(1);
    for (let n = 0; n < 20; n++) {
      const body = { title: "Never told", content: "" };
      assert.equal((await h.ask("POST", "/api/documents", { as: "admin", body })).status, 503);
    }
    await failed.promise;
    store.recover();
    await stop();
  } finally {
    resetSync();
  }
  assert.equal(lines.length, 2, lines.join(""));
  assert.match(lines[0]!, /"ERROR","message":"Outage begins: The data store cannot be reached/);
  assert.match(lines[1]!, /"WARN","message":"Outage ended, (2[1-9]|[3-9]\d|\d{3,}) failures in/);
});
