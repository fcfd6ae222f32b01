// Jobs: each on its own interval, never twice at once, on after a failure; stopping finishes and writes what was counted.
import assert from "node:assert/strict";
import { type Job, startJobs } from "../../services/jobs.ts";
import { MINUTE } from "../../core/units.ts";
import { visits } from "../../models/dashboard.ts";
import { harness } from "../harness.ts";
import { interposedHarness, killed } from "../interposed.ts";

/** Milliseconds between runs in these tests: no test waits for a time, only for runs. */
const SOON = 1;
/** Milliseconds that are long against that. */
const EVERY = 500;

Deno.test("jobs: a job runs again and again, never twice at once", async () => {
  await using h = await harness();
  let running = 0, most = 0, runs = 0;
  const done = Promise.withResolvers<void>();
  const job: Job = {
    name: "count",
    every: SOON,
    async run() {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 3));
      running--;
      if (++runs === 5) done.resolve();
    },
  };
  const stop = startJobs(h.app.services, [job]);
  await done.promise;
  await stop();
  assert.equal(most, 1);
});

Deno.test("jobs: a job may tell when it is to run again", async () => {
  await using h = await harness();
  const done = Promise.withResolvers<void>();
  const began = performance.now();
  let runs = 0;
  const job: Job = {
    name: "hurry",
    every: EVERY,
    run: () => Promise.resolve(++runs < 10 ? SOON : done.resolve()),
  };
  const stop = startJobs(h.app.services, [job]);
  await done.promise;
  await stop();
  assert.equal(runs, 10);
  assert.ok(performance.now() - began < 10 * EVERY);
});

Deno.test("jobs: one that runs seldom may run soon after the start", async () => {
  await using h = await harness();
  const ran = Promise.withResolvers<void>();
  const began = performance.now();
  let runs = 0;
  const job: Job = {
    name: "sweep",
    every: EVERY,
    first: SOON,
    run: () => Promise.resolve(void (runs++, ran.resolve())),
  };
  const stop = startJobs(h.app.services, [job]);
  await ran.promise;
  await stop();
  assert.equal(runs, 1);
  assert.ok(performance.now() - began < EVERY);
});

Deno.test("jobs: what has expired is removed soon after the start, in servers too that do not run for an hour", async () => {
  await using h = await harness();
  const { setTimeout } = globalThis;
  const waits: (number | undefined)[] = [];
  let stop;
  try {
    globalThis.setTimeout = ((run: () => void, after?: number) => {
      waits.push(after);
      return setTimeout(run, after);
    }) as typeof setTimeout;
    stop = startJobs(h.app.services);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  await stop();
  assert.ok(Math.max(...waits.map(Number)) <= 5 * MINUTE, String(waits));
});

Deno.test("jobs: one that fails runs again, and does not hold up another", async () => {
  await using h = await harness();
  const failed = Promise.withResolvers<void>(), worked = Promise.withResolvers<void>();
  let failures = 0, runs = 0;
  const failing: Job = {
    name: "fail",
    every: SOON,
    run() {
      if (++failures === 3) failed.resolve();
      throw new Error("not today");
    },
  };
  const working: Job = {
    name: "work",
    every: SOON,
    run: () => Promise.resolve(++runs === 3 ? worked.resolve() : undefined),
  };
  const stop = startJobs(h.app.services, [failing, working]);
  await Promise.all([failed.promise, worked.promise]);
  await stop();
});

Deno.test("jobs: one that an installation has no need of does not run", async () => {
  await using h = await harness();
  const ran: string[] = [];
  const done = Promise.withResolvers<void>();
  const job = (name: string, needed: boolean): Job => ({
    name,
    every: SOON,
    isNeeded: () => needed,
    run() {
      if (ran.push(name) === 5) done.resolve();
      return Promise.resolve();
    },
  });
  const stop = startJobs(h.app.services, [job("needless", false), job("needed", true)]);
  await done.promise;
  await stop();
  assert.deepEqual([...new Set(ran)], ["needed"]);
  assert.equal(h.app.services.limiter.shared, h.store.shared);
});

Deno.test("jobs: stopping waits for what runs, starts nothing more, and writes the counts", async () => {
  await using h = await harness();
  const started = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
  let runs = 0, finished = false;
  const slow: Job = {
    name: "be slow",
    every: SOON,
    async run() {
      runs++;
      started.resolve();
      await release.promise;
      finished = true;
    },
  };
  const stop = startJobs(h.app.services, [slow]);
  await started.promise;
  h.app.services.visits.visit(h.accounts.user.id);
  const stopped = stop();
  release.resolve();
  await stopped;
  assert.ok(finished);
  assert.equal((await h.store.from(visits).get("2026-11-21"))?.visits, 1);
  await new Promise((resolve) => setTimeout(resolve, 10 * SOON));
  assert.equal(runs, 1);
});

Deno.test("jobs: views of documents are written at the end though visits cannot be", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const body = { title: "Log", content: "" };
  const { data } = await h.ask("POST", "/api/documents", { as: "super", body });
  h.app.services.visits.visit(h.accounts.user.id);
  h.app.services.documentViews.open(data.id, h.accounts.user.id);
  store.beforeCommit = (changes) => {
    if (changes.some(({ collection }) => collection === "visits")) throw killed();
  };
  const stop = startJobs(h.app.services, []);
  await assert.rejects(stop(), { name: "StoreUnavailable" });
  assert.equal(h.app.services.documentViews.pending(data.id), 0);
});
