// Prometheus metrics of one application: its requests, store operations and process. Loaded only where mounted.
import process from "node:process";
import { setImmediate } from "node:timers";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Observed } from "../http/exchange.ts";
import type { MetricsPage } from "../services/services.ts";
import type { StoreObserver } from "../storage/observed.ts";

/** What is measured of one application. */
export interface Metrics extends MetricsPage {
  /** Counts an answered request. */
  readonly request: (observed: Observed) => void;
  /** Counts a store operation. */
  readonly operation: StoreObserver;
}

/** Upper bounds in seconds: from an answer out of memory to a password hash in a queue. */
const REQUEST_BUCKETS = [
  0.0005,
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
];
const OPERATION_BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];
/** RFC 9110 section 9, and RFC 5789. Any other word is `other`: clients must not make label values. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

/**
 * Metrics with a registry of their own: one process may run many applications.
 *
 * The text format: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createMetrics({ version }: { version: string }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time until the answer was made, by route pattern; unmatched: there is no such route.",
    labelNames: ["method", "route", "status_code"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const operations = new Histogram({
    name: "store_operation_duration_seconds",
    help: "Time that store operations took. Records read at once from memory are not counted.",
    labelNames: ["operation", "collection"],
    buckets: OPERATION_BUCKETS,
    registers,
  });
  new Gauge({
    name: "quarterdeck_build_info",
    help: "Always 1; what runs is in the labels.",
    labelNames: ["version", "deno"],
    registers,
  }).set({ version, deno: Deno.version.deno }, 1);
  registerProcess(registers);

  return {
    contentType: registry.contentType,
    expose: () => registry.metrics(),
    request({ method, route = "unmatched", status, duration }) {
      const labels = { method: METHODS.has(method) ? method : "other", route, status_code: status };
      requests.observe(labels, duration / 1000);
    },
    operation: (operation, collection, seconds) =>
      operations.observe({ operation, collection }, seconds),
  };
}

/** Those of the client library's default metrics that Deno can tell; the names are theirs. */
function registerProcess(registers: Registry[]): void {
  gauge(
    "process_resident_memory_bytes",
    "Resident memory size in bytes.",
    () => Deno.memoryUsage().rss,
  );
  gauge(
    "process_heap_used_bytes",
    "JavaScript heap in use, in bytes.",
    () => Deno.memoryUsage().heapUsed,
  );
  gauge(
    "process_start_time_seconds",
    "Start of the process, in seconds since the epoch.",
    () => performance.timeOrigin / 1000,
  );
  gauge("process_event_loop_lag_seconds", "How late a task ran that was due at once.", lag);
  new Counter({
    name: "process_cpu_seconds_total",
    help: "User and system CPU time spent, in seconds.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });

  function gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  }
}

/** In seconds: how long a task waits that could run now. */
function lag(): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    setImmediate(() => resolve((performance.now() - startedAt) / 1000));
  });
}
