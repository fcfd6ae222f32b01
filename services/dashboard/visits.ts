// Counts visits for the dashboard: kept in memory, written in batches.
import { visitors, visits } from "../../models/dashboard.ts";
import { users } from "../../models/users.ts";
import { tryEach } from "../../core/try_each.ts";
import type { Store } from "../../storage/port.ts";

export interface VisitCounter {
  /** One page view; called for every request of the API. */
  view(): void;
  /** A session of the user started. */
  visit(userId: string): void;
  /**
   * Writes what was counted since the last call, day by day. What cannot be written stays counted; where it is not
   * known whether a commit has happened, its batch may count twice.
   *
   * @throws When a day could not be written; the other days are written all the same.
   */
  flush(): Promise<void>;
}

interface Day {
  views: number;
  visits: number;
  users: Set<string>;
}

/** Users written per commit: each costs two checks, a record and a count. */
const BATCH = 40;

export function createVisitCounter(store: Store, clock: () => Date): VisitCounter {
  let days = new Map<string, Day>();
  // Views count for the day on which they are written: reading the clock for each would cost more than counting it.
  let views = 0;

  function today(): Day {
    const name = clock().toISOString().slice(0, 10);
    const day = days.get(name) ?? { views: 0, visits: 0, users: new Set() };
    days.set(name, day);
    return day;
  }

  return {
    view: () => void views++,
    visit(userId) {
      const day = today();
      day.visits++;
      day.users.add(userId);
    },
    async flush() {
      if (views > 0) today().views += views;
      views = 0;
      const counted = days;
      days = new Map();
      await tryEach([...counted].map(([date, day]) => async () => {
        try {
          await write(store, date, day);
        } catch (error) {
          keepFor(days, date, day);
          throw error;
        }
      }));
    },
  };
}

/** What could not be written is counted with what came since. */
function keepFor(days: Map<string, Day>, date: string, unwritten: Day): void {
  const since = days.get(date);
  days.set(date, {
    views: unwritten.views + (since?.views ?? 0),
    visits: unwritten.visits + (since?.visits ?? 0),
    users: unwritten.users.union(since?.users ?? new Set()),
  });
}

/** Writes a day in batches; what is written is taken out of what was counted. */
async function write(store: Store, date: string, day: Day): Promise<void> {
  do {
    const users = [...day.users].slice(0, BATCH);
    await add(store, date, { views: day.views, visits: day.visits, users });
    day.views = day.visits = 0;
    for (const user of users) day.users.delete(user);
  } while (day.users.size > 0);
}

async function add(
  store: Store,
  date: string,
  counted: { views: number; visits: number; users: readonly string[] },
): Promise<void> {
  await store.transact({ userId: null }, async (tx) => {
    const known = await tx.from(visitors).getMany(counted.users.map((user) => `${date}:${user}`));
    const fresh = counted.users.filter((_, i) => known[i] === null);
    // Whoever was erased since they came is counted, and not named.
    const records = await tx.from(users).getMany(fresh);
    for (const user of records) {
      if (user?.status !== "active") continue;
      tx.insert(visitors, { id: `${date}:${user.id}`, date, userId: user.id });
    }

    const day = await tx.from(visits).get(date);
    if (day) {
      tx.update(visits, day, {
        visits: day.visits + counted.visits,
        uniqueVisitors: day.uniqueVisitors + fresh.length,
        pageViews: day.pageViews + counted.views,
      });
    } else {
      tx.insert(visits, {
        id: date,
        date,
        visits: counted.visits,
        uniqueVisitors: fresh.length,
        pageViews: counted.views,
      });
    }
  });
}
