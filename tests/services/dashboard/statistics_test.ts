// The dashboard's figures: growth, months, gaps, and that nothing stale is remembered.
import assert from "node:assert/strict";
import fc from "fast-check";
import { sales, visits } from "../../../models/dashboard.ts";
import {
  dailyVisits,
  growth,
  monthlySales,
  monthsBefore,
  statistics,
} from "../../../services/dashboard/statistics.ts";
import type { Store } from "../../../storage/port.ts";
import { openTestStore } from "../../storage/open.ts";

const server = { userId: null };
const NOW = new Date("2026-11-21T10:00:00.000Z");

async function withStore(test: (store: Store) => Promise<void>): Promise<void> {
  const store = await openTestStore({ clock: () => NOW });
  try {
    await test(store);
  } finally {
    await store.close();
  }
}

Deno.test("growth: percent with one decimal, 0 when there was nothing before", () => {
  const table: [now: number, before: number, growth: number][] = [
    [0, 0, 0],
    [5, 0, 0],
    [0, 5, -100],
    [5, 5, 0],
    [6, 5, 20],
    [1, 3, -66.7],
    [2, 3, -33.3],
    [1001, 1000, 0.1],
    [10001, 10000, 0],
    [9999, 10000, 0],
  ];
  for (const [now, before, expected] of table) {
    assert.equal(growth(now, before), expected, `${now} after ${before}`);
    assert.ok(!Object.is(growth(now, before), -0));
  }
});

Deno.test("months before: across years, whatever the length of months", () => {
  assert.equal(monthsBefore("2026-11", 0), "2026-11");
  assert.equal(monthsBefore("2026-01", 1), "2025-12");
  assert.equal(monthsBefore("2026-03", 1), "2026-02");
  assert.equal(monthsBefore("2026-11", 11), "2025-12");
  assert.equal(monthsBefore("2026-11", 60), "2021-11");
});

Deno.test("visits and sales: as many points as asked for, ascending, each day and month once", async () => {
  await withStore(async (store) => {
    const date = fc.date({
      min: new Date("2000-01-01"),
      max: new Date("2100-01-01"),
      noInvalidDate: true,
    });
    await fc.assert(
      fc.asyncProperty(date, fc.integer({ min: 1, max: 365 }), async (now, n) => {
        const days = (await dailyVisits(store, now, n)).map(({ date }) => date);
        assert.equal(new Set(days).size, n);
        assert.deepEqual(days, days.toSorted());
        assert.equal(days.at(-1), now.toISOString().slice(0, 10));
        const months = (await monthlySales(store, now, n)).map(({ month }) => month);
        assert.equal(new Set(months).size, n);
        assert.deepEqual(months, months.toSorted());
        assert.equal(months.at(-1), now.toISOString().slice(0, 7));
      }),
      { numRuns: 50 },
    );
  });
});

Deno.test("statistics: the same text until something changes, then never the old one", async () => {
  await withStore(async (store) => {
    const first = await statistics(store, NOW);
    await statistics(store, NOW);
    assert.equal(await statistics(store, NOW), await statistics(store, NOW));
    assert.equal(JSON.parse(first.text).totalRevenue, 0);

    let revenue = 0;
    for (const amount of [10, 0.1, 0.2, 99.99]) {
      revenue += amount;
      await store.transact(
        server,
        (tx) => tx.insert(sales, { date: "2026-11-21", amount, orders: 1, cost: 0 }),
      );
      const { totalRevenue } = JSON.parse((await statistics(store, NOW)).text);
      assert.equal(totalRevenue, Math.round(revenue * 100) / 100);
    }

    const counts = { visits: 8, uniqueVisitors: 1, pageViews: 1 };
    await store.transact(
      server,
      (tx) => tx.insert(visits, { id: "2026-11-20", date: "2026-11-20", ...counts }),
    );
    assert.equal(JSON.parse((await statistics(store, NOW)).text).conversionRate, 50);
    await store.transact(server, async (tx) => {
      tx.update(visits, (await tx.from(visits).get("2026-11-20"))!, { visits: 16 });
    });
    assert.equal(JSON.parse((await statistics(store, NOW)).text).conversionRate, 25);
  });
});

Deno.test("statistics: a new month is noticed though no record changed", async () => {
  await withStore(async (store) => {
    await store.transact(
      server,
      (tx) => tx.insert(sales, { date: "2026-11-30", amount: 10, orders: 1, cost: 0 }),
    );
    const at = async (iso: string) =>
      JSON.parse((await statistics(store, new Date(iso))).text).revenueGrowth;
    assert.equal(await at("2026-11-30T23:59:59.999Z"), 0);
    assert.equal(await at("2026-12-01T00:00:00.000Z"), -100);
    assert.equal(await at("2027-01-01T00:00:00.000Z"), 0);
  });
});
