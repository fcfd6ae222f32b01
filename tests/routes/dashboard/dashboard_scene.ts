// Tasks, and sales and visits of known days.
import { sales, tasks, visits } from "../../../models/dashboard.ts";
import type { Harness } from "../../harness.ts";

export const server = { userId: null };

/** It is 2026-11-21T10:00Z. */
export async function arrange(h: Harness) {
  await h.grant("guest", "dashboard:update");
  return await h.store.transact(server, (tx) => {
    for (const [date, amount, orders, cost] of SALES) {
      tx.insert(sales, { date, amount, orders, cost });
    }
    for (const [date, count] of VISITS) {
      const counts = { visits: count, uniqueVisitors: 1, pageViews: 9 };
      tx.insert(visits, { id: date, date, ...counts });
    }
    const base = { createdBy: h.accounts.super.id, priority: "high" as const };
    return {
      pending: tx.insert(tasks, {
        ...base,
        title: "Write",
        status: "pending",
        dueDate: "2026-11-22T00:00:00.000Z",
        assigneeId: h.accounts.user.id,
      }),
      done: tx.insert(tasks, { ...base, title: "Read", status: "done" }),
      user: h.accounts.user.id,
    };
  });
}

export type State = Awaited<ReturnType<typeof arrange>>;

const SALES: readonly [date: string, amount: number, orders: number, cost: number][] = [
  ["2025-11-30", 1000, 10, 900],
  ["2025-12-01", 70.1, 1, 0.05],
  ["2026-10-01", 100, 4, 40],
  ["2026-10-31", 100.2, 1, 0.1],
  ["2026-11-01", 150.15, 5, 50.1],
  ["2026-11-21", 99.95, 1, 10],
];

const VISITS: readonly [date: string, visits: number][] = [
  ["2026-10-31", 50],
  ["2026-11-01", 20],
  ["2026-11-18", 30],
  ["2026-11-21", 50],
];
