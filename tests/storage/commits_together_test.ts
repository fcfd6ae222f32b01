// Commits of requests that were let in together wait for each other, and share an operation.
import assert from "node:assert/strict";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { sql } from "kysely";
import { admission, ASIDE } from "../../core/admission.ts";
import { delay } from "../../core/delay.ts";
import { GAP } from "../../core/write_delay.ts";
import { openKvStore } from "../../kv/store.ts";
import { sales } from "../../models/dashboard.ts";
import type { Engine } from "../../sql/engine.ts";
import { openSqlStore } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";
import { sqliteFile } from "../sql/databases.ts";
import { server } from "./people.ts";

const insert = (store: Store) =>
  store.transact(
    server,
    (tx) => tx.insert(sales, { date: "2026-01-01", amount: 1, orders: 1, cost: 0 }),
  );

/** Longer than what the share of a process's time is measured over, in milliseconds. */
const MEASURED = 150;

/**
 * Has requests let in together by a process that seems to have no time to spare.
 *
 * @param others How many others have come meanwhile.
 */
async function admitWhileBusy<R>(
  serve: () => Promise<R>,
  count: number,
  others = 0,
): Promise<R[]> {
  const told = process.threadCpuUsage;
  // More than the thread has worked by now, which may be longer than this isolate has been there.
  process.threadCpuUsage = () => {
    const { user, system } = told.call(process);
    return { user: user + performance.now() * 1000, system };
  };
  try {
    await admission.admit(() => null);
    await delay(MEASURED);
    // Where none came for a while, one by one more are waited for.
    await Promise.all(Array.from({ length: MANY }, () => admission.admit(() => null)));
    admission.others = others;
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

/** So many requests at once have the next ones wait for others, whatever was in vain before. */
const MANY = 1000;

/** A machine that does something else in between may let a rest pass before anybody waits for it. */
const TRIES = 5;

for (const [engine, open] of Object.entries(opens)) {
  Deno.test(`commits together: on ${engine} those under way when the store is closed are answered`, async () => {
    for (let n = 0; n < TRIES; n++) {
      const store = await open();
      const made = [1, 2, 3].map(() => insert(store));
      // They have been sent, and some may have been answered.
      await delay(n / 2);
      await store.close();
      await Promise.all(made);
    }
  });

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

  Deno.test(`commits together: on ${engine} who steps aside when the store is closed is told what became of it`, async () => {
    for (let ms = 0; ms <= 3 * ASIDE; ms += 2) {
      const store = await open();
      let come = 0;
      const told = await admitWhileBusy(
        async () => {
          if (come++ < 2) return await insert(store).catch((error: Error) => error);
          // By then the others wait for no commit of this one any more.
          return await delay(GAP + ms).then(() => store.close());
        },
        3,
        MANY,
      );
      for (const made of told.slice(0, 2)) {
        assert.ok(made instanceof Error ? made.name === "StoreUnavailable" : made, `${made}`);
      }
    }
  });

  Deno.test(`commits together: on ${engine} they step aside for a crowd between the steps of their way`, async () => {
    const store = await open();
    for (let n = 0; n < TRIES; n++) {
      await admitWhileBusy(
        async () => {
          const began = performance.now();
          await insert(store);
          // Half a millisecond less, as timers are rounded.
          assert.ok(performance.now() - began > 3 * ASIDE - 0.5);
        },
        2,
        MANY,
      );
    }
    await store.close();
  });

  Deno.test(`commits together: on ${engine} whoever sees the entry of one that steps aside reads what it tells of`, async () => {
    const store = await open();
    for (let n = 0; n < TRIES; n++) {
      const since = store.position();
      let made = 0;
      const look = async () => {
        while (made < 2) {
          const looked = new AbortController();
          setTimeout(() => looked.abort(), 1);
          for await (const { changes } of store.changes({ after: since, signal: looked.signal })) {
            const { rows } = await store.from(sales).list({ sort: "-createdAt", limit: 100 });
            const ids = new Set(rows.map(({ id }) => id));
            for (const { collection, id } of changes) {
              if (collection === "sales") assert.ok(ids.has(id));
            }
          }
        }
      };
      const making = admitWhileBusy(() => insert(store).then(() => made++), 2, MANY);
      await Promise.all([look(), making]);
    }
    await store.close();
  });

  Deno.test(`commits together: on ${engine} those that stepped aside are not overtaken by later ones`, async () => {
    const store = await open();
    for (let n = 0; n < TRIES; n++) {
      const revs: string[] = [];
      const answer = async () => void revs.push((await insert(store)).rev);
      let come = 0, left = 2, later: Promise<void> | null = null;
      await admitWhileBusy(
        async () => {
          if (come++ === 2) return await delay(3 * GAP);
          // When the two no longer wait for the slow third: one after the other, so that each goes alone.
          later ??= delay(GAP).then(async () => {
            while (left > 0) await answer();
          });
          await answer();
          left--;
        },
        3,
        MANY,
      );
      await later;
      assert.deepEqual(revs, revs.toSorted());
    }
    await store.close();
  });
}

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

Deno.test("commits together: on Deno KV those planned for one operation do not send the next one early", async () => {
  const store = await openKvStore({ path: ":memory:" });
  let together = false;
  for (let n = 0; n < TRIES && !together; n++) {
    /** Two that come one after the other while the first three are between planning and sending. */
    let later: Promise<readonly { readonly id: string }[]> | undefined;
    const apart = async () => {
      await delay(2 * ASIDE - 0.5);
      const first = insert(store);
      await delay(1);
      return await Promise.all([first, insert(store)]);
    };
    await admitWhileBusy(
      () => {
        later ??= apart();
        return insert(store);
      },
      3,
      MANY,
    );
    const stored = await store.from(sales).getMany((await later!).map(({ id }) => id));
    together = new Set(stored.map((sale) => sale!.rev)).size === 1;
  }
  await store.close();
  assert.ok(together);
});

Deno.test("commits together: on SQLite they step aside for a crowd between their statements too", async () => {
  const database = await sqliteFile();
  const store = await openSqlStore({ url: database.url });
  const other = new DatabaseSync(database.url.slice("sqlite:".length));
  /** Whether another turn of the event loop finds a transaction open. */
  let open = false, watching = true;
  const watch = (async () => {
    while (watching) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      try {
        other.exec("begin immediate; rollback");
      } catch {
        open = true;
      }
    }
  })();
  const many = () =>
    store.transact(server, (tx) => {
      for (let n = 0; n < 100; n++) {
        tx.insert(sales, { date: "2026-01-01", amount: n, orders: 1, cost: 0 });
      }
    });
  for (let n = 0; n < TRIES && !open; n++) await admitWhileBusy(many, 3, MANY);
  const { total } = await store.from(sales).list({ limit: 1 });
  watching = false;
  await watch;
  other.close();
  await store.close();
  await database.drop();
  assert.ok(open);
  assert.equal(total % 300, 0);
});

Deno.test("commits together: on SQLite it is known whether reads wait for the connection that writes", async () => {
  const store = await openSqlStore({ url: "sqlite::memory:" });
  const { own } = store as unknown as { readonly own: Engine };
  await own.rows(sql`select 1`);
  assert.equal(own.hasRead(), true);
  assert.equal(own.hasRead(), false);
  await store.close();
});
