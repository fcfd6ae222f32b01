// The demo's figures: thirteen calendar months of daily visits and sales, today included.
import { sales, visitors, visits } from "../../models/dashboard.ts";
import type { People } from "./people.ts";
import { type World } from "./world.ts";
import { DAY, HOUR } from "../../core/units.ts";

/** Calendar months before the current one. */
const MONTHS = 12;

export function addFigures(world: World, people: People): void {
  const today = new Date(world.now);
  const first = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - MONTHS);
  const days = Math.round((world.midnight(0) - first) / DAY);
  for (let day = -days; day <= 0; day++) addDay(world, people, day, 1 + day / days);
}

/** @param progress From 0 on the first day to 1 today: business grows. */
function addDay(world: World, people: People, day: number, progress: number): void {
  const { random } = world;
  const date = world.date(day);
  const isWeekend = [0, 6].includes(new Date(date).getUTCDay());
  const come = Math.round((8 + 14 * progress + random.int(-3, 3)) * (isWeekend ? 0.4 : 1));
  const unique = Math.max(day === 0 ? 3 : 1, come);
  const count = Math.round(unique * (1.2 + random.fraction() * 0.5));
  const at = Math.min(world.midnight(day) + 20 * HOUR, world.now);
  world.add(visits, at, {
    id: date,
    date,
    visits: count,
    uniqueVisitors: unique,
    pageViews: count * random.int(6, 14),
  });
  if (day === 0) addVisitors(world, people, date, unique);

  const orders = Math.round(count * (0.02 + 0.03 * progress) + random.fraction() * 1.4);
  // Some days have no sales, but today and yesterday always do, so that this month and the last both have some.
  if (orders === 0 && day < -1) return;
  const sold = Math.max(1, orders);
  const amount = Array.from({ length: sold }, () => random.int(40_00, 420_00)).reduce((a, b) =>
    a + b
  );
  const cost = Math.round(amount * (0.55 + random.fraction() * 0.15));
  world.add(sales, at, { date, amount: amount / 100, orders: sold, cost: cost / 100 });
}

/** Records who came today, so that they are not counted again when they sign in later today. */
function addVisitors(world: World, people: People, date: string, count: number): void {
  for (const { id: userId } of people.colleagues.slice(0, count)) {
    world.add(visitors, world.now, { id: `${date}:${userId}`, date, userId });
  }
}
