// What is read from the server: kept, read again when it has changed, tried again when it did not arrive.
import assert from "node:assert/strict";
import { QueryObserver } from "@tanstack/query-core";
import { ApiError } from "../../../client/mod.ts";
import { deleting, onlineManager, queries, refresh } from "../../../console/state/query.ts";
import { until } from "../../until.ts";

/** Counts the readings of a key; shown, or read once and kept. */
function reading(key: readonly unknown[], { shown = true } = {}) {
  const counter = { count: 0, stop: () => {} };
  const options = { queryKey: key, queryFn: () => ++counter.count };
  const show = () => void (counter.stop = new QueryObserver(queries, options).subscribe(() => {}));
  if (shown) show();
  return { counter, show, read: () => queries.fetchQuery(options) };
}

/** All that was asked for has been answered. */
const settled = () => until(() => queries.isFetching() === 0, "the end of all readings");

function after(...readings: readonly { counter: { stop(): void } }[]) {
  for (const { counter } of readings) counter.stop();
  queries.clear();
}

Deno.test("query: a collection that changed is read again in each of its forms, others are not", async () => {
  const page1 = reading(["users", { page: 1 }]);
  const one = reading(["users", "u1"]);
  const documents = reading(["documents"]);
  await settled();
  refresh("users", "teams");
  await settled();
  assert.deepEqual([page1, one, documents].map(({ counter }) => counter.count), [2, 2, 1]);
  after(page1, one, documents);
});

Deno.test("query: what nobody looks at is read again when it is shown next, and not before", async () => {
  const users = reading(["users"], { shown: false });
  await users.read();
  await users.read();
  assert.equal(users.counter.count, 1, "it is kept while it is fresh");
  refresh("users");
  await settled();
  assert.equal(users.counter.count, 1);
  users.show();
  await settled();
  assert.equal(users.counter.count, 2);
  after(users);
});

Deno.test("query: what one deletes is not read again on the way to another page; what stayed is", async () => {
  const gone = reading(["users", "gone"]);
  const list = reading(["users", {}]);
  await settled();
  await deleting(["users", "gone"], () => {
    refresh("users");
    return Promise.resolve();
  });
  refresh("users");
  await settled();
  assert.equal(gone.counter.count, 1);
  assert.ok(list.counter.count > 1);

  const refused = new ApiError("You may not", 403, "FORBIDDEN");
  const stays = reading(["users", "stays"]);
  await settled();
  await assert.rejects(deleting(["users", "stays"], () => Promise.reject(refused)), refused);
  refresh("users");
  await settled();
  assert.equal(stays.counter.count, 2);
  after(gone, list, stays);
});

Deno.test("query: what did not arrive is tried again three times, what was refused is not", async () => {
  const cases: readonly [status: number, tries: number][] = [
    [0, 4],
    [502, 4],
    [503, 4],
    [400, 1],
    [403, 1],
    [404, 1],
    [500, 1],
  ];
  for (const [status, expected] of cases) {
    let tries = 0;
    const asked = queries.fetchQuery({
      queryKey: ["things", status],
      queryFn: () => {
        tries++;
        return Promise.reject(new ApiError("no", status, "NO"));
      },
      retryDelay: 0,
    });
    await assert.rejects(asked, { name: "ApiError", status });
    assert.equal(tries, expected, `status ${status}`);
  }
  let tries = 0;
  const flaky = queries.fetchQuery({
    queryKey: ["flaky"],
    queryFn: () =>
      ++tries < 3
        ? Promise.reject(new ApiError("no", 0, "NETWORK_ERROR"))
        : Promise.resolve("there"),
    retryDelay: 0,
  });
  assert.equal(await flaky, "there");
  queries.clear();
});

Deno.test("query: without a network nothing is asked, and all of it once it is back", async () => {
  onlineManager.setOnline(false);
  try {
    const users = reading(["users"]);
    assert.equal(users.counter.count, 0);
    assert.equal(queries.getQueryState(["users"])?.fetchStatus, "paused");
    onlineManager.setOnline(true);
    await until(() => users.counter.count === 1, "the reading");
    after(users);
  } finally {
    onlineManager.setOnline(true);
  }
});
