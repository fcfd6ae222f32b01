// Commits of requests that were let in together wait for each other, and share an operation.
import assert from "node:assert/strict";
import process from "node:process";
import { admission, ASIDE } from "../../core/admission.ts";
import { delay } from "../../core/delay.ts";
import { openKvStore } from "../../kv/store.ts";
import { sales } from "../../models/dashboard.ts";
import { openSqlStore } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";
import { server } from "./people.ts";

const insert = (store: Store) =>
  store.transact(
    server,
    (tx) => tx.insert(sales, { date: "2026-01-01", amount: 1, orders: 1, cost: 0 }),
  );

/** Longer than what the share of a process's time is measured over, in milliseconds. */
const MEASURED = 150;

/** Has requests let in by a process that seems to have no time to spare. */
async function admitWhileBusy<R>(serve: () => Promise<R>, count: number): Promise<R[]> {
  const told = process.threadCpuUsage;
  // More than the thread has worked by now, which may be longer than this isolate has been there.
  process.threadCpuUsage = () => {
    const { user, system } = told.call(process);
    return { user: user + performance.now() * 1000, system };
  };
  try {
    await admission.admit(() => null);
    await delay(MEASURED);
    await admission.admit(() => null);
    return await Promise.all(Array.from({ length: count }, () => admission.admit(serve)));
  } finally {
    process.threadCpuUsage = told;
    // For the next ones it has time again.
    await delay(MEASURED);
    await admission.admit(() => null);
  }
}

const opens = {
  "Deno KV": () => openKvStore({ path: ":memory:" }),
  SQLite: () => openSqlStore({ url: "sqlite::memory:" }),
};

/** A machine that does something else in between may let a rest pass before anybody waits for it. */
const TRIES = 5;

for (const [engine, open] of Object.entries(opens)) {
  Deno.test(`commits together: on ${engine} the first waits for the last of those let in with it`, async () => {
    const store = await open();
    let waited = false;
    for (let n = 0; n < TRIES && !waited; n++) {
      let others = 0, come = 0;
      await admitWhileBusy(async () => {
        const isFirst = come++ === 0;
        if (!isFirst) await delay(4);
        others += isFirst ? 0 : 1;
        await insert(store);
        if (isFirst) waited = others === 1;
      }, 2);
    }
    await store.close();
    assert.ok(waited);
  });

  Deno.test(`commits together: on ${engine} who waits when the store is closed is told what became of it`, async () => {
    const store = await open();
    let first = true;
    const told = await admitWhileBusy(async () => {
      if (!first) return await store.close();
      first = false;
      return await insert(store).catch((error: Error) => error);
    }, 2);
    const [made] = told;
    assert.ok(made instanceof Error ? made.name === "StoreUnavailable" : made, `${made}`);
  });
}

Deno.test("commits together: on Deno KV those that stepped aside are not overtaken by later ones", async () => {
  const store = await openKvStore({ path: ":memory:" });
  let steppedAside = false;
  for (let n = 0; n < TRIES && !steppedAside; n++) {
    const answered: string[] = [], later: Promise<void>[] = [];
    const told = async (made: Promise<{ readonly rev: string }>) =>
      void answered.push((await made).rev);
    admission.others = 1000;
    await admitWhileBusy(async () => {
      const began = performance.now(), made = insert(store);
      for (let ms = 1; ms < 4 * ASIDE; ms++) {
        later.push(delay(ms).then(() => told(insert(store))));
      }
      await told(made);
      steppedAside ||= performance.now() - began > 2 * ASIDE;
    }, 2);
    await Promise.all(later);
    assert.deepEqual(answered, answered.toSorted());
  }
  await store.close();
  assert.ok(steppedAside);
});

Deno.test("commits together: on Deno KV they are one operation", async () => {
  const store = await openKvStore({ path: ":memory:" });
  let together = false;
  for (let n = 0; n < TRIES && !together; n++) {
    const made = await admitWhileBusy(() => insert(store), 2);
    const stored = await store.from(sales).getMany(made.map(({ id }) => id));
    together = new Set(stored.map((sale) => sale!.rev)).size === 1;
  }
  await store.close();
  assert.ok(together);
});
