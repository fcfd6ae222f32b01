// The dashboard in one request: what the first page of a front end shows.
import { endpoint } from "../../http/endpoint.ts";
import { zoneOf } from "../../http/zone.ts";
import { zoneQuery } from "../../models/calendar.ts";
import { overview as overviewShape, tasks } from "../../models/dashboard.ts";
import { DASHBOARD_ACCESS } from "../../services/access/access.ts";
import { shapeEvents } from "../../services/calendar/calendar.ts";
import { dayOf, scheduleOf } from "../../services/calendar/schedule.ts";
import {
  dailyVisits,
  filesByType,
  monthlySales,
  statistics,
} from "../../services/dashboard/statistics.ts";
import { shapeTasks } from "./tasks.ts";

/** How much of each the overview holds: what the routes of the parts hold where nothing is asked. */
const HELD = { days: 7, months: 12, tasks: 10 };

const overview = endpoint({
  operationId: "getDashboardOverview",
  method: "get",
  path: "/dashboard/overview",
  tag: "Dashboard",
  summary: "The parts of the dashboard in one answer",
  description:
    "As `/dashboard/stats`, `/visits`, `/sales`, `/pie`, `/tasks` (the newest that are not done) and `/calendar` give " +
    "them. Today is that of the time zone `tz`, by default of your own, or UTC.",
  access: DASHBOARD_ACCESS,
  query: zoneQuery,
  data: overviewShape,
  async handle(call) {
    const { store, services } = call;
    const { id } = call.principal.user;
    const now = services.clock();
    const open = { where: { status: ["pending", "in_progress"] }, limit: HELD.tasks };
    const [stats, visits, sales, pie, { rows }, today] = await Promise.all([
      statistics(store, now),
      dailyVisits(store, now, HELD.days),
      monthlySales(store, now, HELD.months),
      filesByType(store),
      store.from(tasks).list(open),
      scheduleOf(store, id, dayOf(now, zoneOf(call))),
    ]);
    return {
      data: {
        stats: JSON.parse(stats.text),
        visits,
        sales,
        pie,
        tasks: await shapeTasks(store, rows),
        calendar: await shapeEvents(store, id, today),
      },
    };
  },
});

export const overviewRoutes = [overview];
