// Metrics: where they are, who may read them, and what they say.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";

const METRICS_TOKEN = "a-token-for-the-scraper";

/** The value of a series; undefined when there is none. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

function requests(method: string, route: string, status: number): string {
  const labels = `method="${method}",route="${route}",status_code="${status}"`;
  return `http_request_duration_seconds_count{${labels}}`;
}

Deno.test("metrics: requests are counted by the pattern of their route", async () => {
  await using h = await harness({ variant: "full" });
  await h.ask("GET", `/api/users/${h.accounts.user.id}`, { as: "super" });
  await h.ask("GET", `/api/users/${h.accounts.other.id}?x=1`, { as: "super" });
  await h.ask("GET", "/api/users/me");
  await h.ask("GET", "/secret/path", { as: "super" });
  await h.ask("FROB", "/api/users");
  const { status, headers, text } = await h.ask("GET", "/metrics");
  assert.equal(status, 200);
  assert.match(headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.match(text, /^# TYPE http_request_duration_seconds histogram$/m);
  assert.equal(valueOf(text, requests("GET", "/api/users/{id}", 200)), 2);
  assert.equal(valueOf(text, requests("GET", "/api/users/me", 401)), 1);
  assert.equal(valueOf(text, requests("GET", "unmatched", 404)), 1);
  assert.equal(
    valueOf(text, requests("other", "unmatched", 405)) ??
      valueOf(text, requests("other", "unmatched", 404)),
    1,
  );
  assert.ok(!text.includes("secret/path"));
  assert.ok(!text.includes(h.accounts.user.id));
  const bucket =
    'http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/api/users/{id}",status_code="200"}';
  assert.equal(valueOf(text, bucket), 2);
});

Deno.test("metrics: the process, the store and the build", async () => {
  await using h = await harness({ variant: "full" });
  await h.ask("GET", "/api/users", { as: "super" });
  await h.ask("PUT", "/api/users/me", { as: "super", body: { bio: "x" } });
  const { text } = await h.ask("GET", "/metrics");
  assert.ok(valueOf(text, "process_resident_memory_bytes")! > 1e6);
  assert.ok(valueOf(text, "process_cpu_seconds_total")! > 0);
  const now = Date.now() / 1000;
  const startedAt = valueOf(text, "process_start_time_seconds")!;
  assert.ok(startedAt > now - 3600 && startedAt <= now);
  assert.ok(valueOf(text, "process_event_loop_lag_seconds")! >= 0);
  assert.match(text, /^quarterdeck_build_info\{version="[\d.]+",deno="[\d.]+"\} 1$/m);
  const operation = (name: string, collection: string) =>
    `store_operation_duration_seconds_count{operation="${name}",collection="${collection}"}`;
  assert.equal(valueOf(text, operation("list", "users")), 1);
  assert.ok(valueOf(text, operation("transact", ""))! >= 1);
});

Deno.test("metrics: each application has its own", async () => {
  await using first = await harness({ variant: "full" });
  await using second = await harness({ variant: "full" });
  await first.ask("GET", "/api/users/me");
  const { text } = await second.ask("GET", "/metrics");
  assert.equal(valueOf(text, requests("GET", "/api/users/me", 401)), undefined);
});

Deno.test("metrics: only with the token where one is set", async () => {
  await using h = await harness({ variant: "full", env: { METRICS_TOKEN } });
  for (const token of [undefined, "wrong", `${METRICS_TOKEN}x`]) {
    const reply = await h.ask("GET", "/metrics", { token });
    assert.equal(reply.status, 401);
    assert.equal(reply.body.error.code, "UNAUTHORIZED");
    assert.equal(reply.headers.get("www-authenticate"), "Bearer");
  }
  assert.equal((await h.ask("GET", "/metrics", { as: "super" })).status, 401);
});

Deno.test("metrics: read with the token", async () => {
  await using h = await harness({ variant: "full", env: { METRICS_TOKEN } });
  assert.equal((await h.ask("GET", "/metrics", { token: METRICS_TOKEN })).status, 200);
});

for (const variant of ["compact", "web", "snippets"]) {
  Deno.test(`metrics: not in ${variant}`, async () => {
    await using h = await harness({ variant });
    assert.equal((await h.ask("GET", "/metrics")).status, 404);
  });
}

Deno.test("metrics: without a token, only who asks directly from a private network gets them", async () => {
  await using h = await harness({ variant: "full" });
  const table: [from: string, headers: Record<string, string>, status: number][] = [
    ["127.0.0.1", {}, 200],
    ["10.1.2.3", {}, 200],
    ["::ffff:192.168.1.9", {}, 200],
    ["fd00::1", {}, 200],
    ["203.0.113.9", {}, 401],
    ["2001:db8::1", {}, 401],
    ["127.0.0.1", { "x-forwarded-for": "203.0.113.9" }, 401],
    ["127.0.0.1", { "x-forwarded-for": "10.0.0.9" }, 401],
    ["10.1.2.3", { forwarded: "for=203.0.113.9" }, 401],
  ];
  for (const [from, headers, status] of table) {
    const answer = await h.ask("GET", "/metrics", { from, headers });
    assert.equal(answer.status, status, `${from} ${JSON.stringify(headers)}`);
    assert.equal(answer.text.includes("http_request_duration_seconds"), status === 200);
  }
});

Deno.test("metrics: each operation of a batch is counted by its own route, atomic or not, done or refused", async () => {
  await using h = await harness({ variant: "full" });
  for (const atomic of [true, false]) {
    const document = { method: "POST", path: "/api/documents", body: { title: "A", content: "a" } };
    const read = { method: "GET", path: "/api/documents/none" };
    const operations = [document, document, { method: "GET", path: "/api/users/me" }];
    const body = { operations: atomic ? operations : [...operations, read], atomic };
    assert.equal((await h.ask("POST", "/api/batch", { as: "super", body })).status, 200);
  }
  const { text } = await h.ask("GET", "/metrics");
  assert.equal(valueOf(text, requests("POST", "/api/documents", 201)), 4);
  assert.equal(valueOf(text, requests("GET", "/api/users/me", 200)), 2);
  assert.equal(valueOf(text, requests("GET", "/api/documents/{id}", 404)), 1);
  assert.equal(valueOf(text, requests("POST", "/api/batch", 200)), 2);
});
