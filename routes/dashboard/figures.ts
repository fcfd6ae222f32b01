// The figures of the dashboard and the caller's events of today, all computed from stored records.
import { z } from "zod";
import { userStatistics } from "../../models/dashboard.ts";
import { statisticsOfUsers } from "../../services/dashboard/statistics.ts";
import { andThen } from "../../core/awaitable.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import {
  pieSlice,
  publicSale,
  publicStats,
  saleCreation,
  sales,
  salesPoint,
  salesQuery,
  visitPoint,
  visitsQuery,
} from "../../models/dashboard.ts";
import { DASHBOARD_ACCESS } from "../../services/access/access.ts";
import { publicEvent, zoneQuery } from "../../models/calendar.ts";
import { zoneOf } from "../../http/zone.ts";
import { shapeEvents } from "../../services/calendar/calendar.ts";
import { dayOf, scheduleOf } from "../../services/calendar/schedule.ts";
import {
  dailyVisits,
  filesByType,
  monthlySales,
  statistics,
} from "../../services/dashboard/statistics.ts";

const tag = "Dashboard";

/** A read of the dashboard. */
function figure<Q extends z.ZodType = z.ZodUndefined, D extends z.ZodType = z.ZodUndefined>(
  declaration: Omit<
    Endpoint<typeof DASHBOARD_ACCESS, string, Q, z.ZodUndefined, D>,
    "method" | "tag" | "access"
  >,
): Endpoint {
  return endpoint({ method: "get", tag, access: DASHBOARD_ACCESS, ...declaration });
}

const stats = figure({
  operationId: "getDashboardStats",
  path: "/dashboard/stats",
  summary: "Statistics",
  description:
    "Growth is in percent against the month before, with one decimal, and 0 when there was nothing before: " +
    "`userGrowth` of all users now against the end of the month before, the others of this month against that " +
    "month. `conversionRate` is orders per visit in percent. Months are those of UTC.",
  data: publicStats,
  handle: (call) => andThen(statistics(call.store, call.services.clock()), (data) => ({ data })),
});

const visits = figure({
  operationId: "getDashboardVisits",
  path: "/dashboard/visits",
  summary: "Visits a day",
  description: "Ascending, today included; days without visits are zeros.",
  query: visitsQuery,
  data: z.array(visitPoint),
  handle: async (call) => ({
    data: await dailyVisits(call.store, call.services.clock(), call.query.days),
  }),
});

const salesTrend = figure({
  operationId: "getDashboardSales",
  path: "/dashboard/sales",
  summary: "Sales a month",
  description: "Ascending, this month included; months without sales are zeros.",
  query: salesQuery,
  data: z.array(salesPoint),
  handle: async (call) => ({
    data: await monthlySales(call.store, call.services.clock(), call.query.months),
  }),
});

const recordSale = endpoint({
  operationId: "recordSales",
  method: "post",
  path: "/dashboard/sales",
  tag,
  summary: "Record sales of a day",
  access: "dashboard:update",
  created: true,
  body: saleCreation,
  data: publicSale,
  async handle(call) {
    const sale = await call.transact((tx) => tx.insert(sales, call.body));
    return { data: sale, message: "The sale is recorded" };
  },
});

const pie = figure({
  operationId: "getFilesByType",
  path: "/dashboard/pie",
  summary: "Files by type",
  data: z.array(pieSlice),
  handle: async (call) => ({ data: await filesByType(call.store) }),
});

const calendar = figure({
  operationId: "getTodaysEvents",
  path: "/dashboard/calendar",
  summary: "One's own events of today",
  description:
    "Those one owns, or attends and has not declined. Today is that of the time zone `tz`, by default of your own, or UTC.",
  query: zoneQuery,
  data: z.array(publicEvent),
  async handle(call) {
    const { id } = call.principal.user;
    const today = dayOf(call.services.clock(), zoneOf(call));
    const found = await scheduleOf(call.store, id, today);
    return { data: await shapeEvents(call.store, id, found) };
  },
});

const userFigures = figure({
  operationId: "getUserStatistics",
  path: "/dashboard/users",
  summary: "User statistics",
  data: userStatistics,
  handle: async (call) => ({
    data: await statisticsOfUsers(call.store, call.services.clock()),
  }),
});

export const figureRoutes = [stats, visits, salesTrend, recordSale, pie, calendar];

/** Apart from the others, because not every variant mounts it. */
export const userFigureRoutes = [userFigures];
