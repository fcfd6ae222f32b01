// What the full dashboard has beside its figures: recent activities, unread notifications, and the users at a glance.
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { auditLog, type AuditRecord } from "../models/audit.ts";
import { activity, userStatistics } from "../models/dashboard.ts";
import { type Notification, notifications, publicNotification } from "../models/notifications.ts";
import { listQuery } from "../models/requests.ts";
import { toActivities, visibleActivities } from "../services/activities.ts";
import { listing, pagination } from "../services/lists.ts";
import { statisticsOfUsers } from "../services/statistics.ts";
import { DASHBOARD_ACCESS } from "./dashboard.ts";

const tag = "Dashboard";
const query = listQuery({});

const activities = endpoint({
  method: "get",
  path: "/dashboard/activities",
  tag,
  summary: "Recent activities",
  description:
    "Newest first. One's own; with `users:view`, everyone's. Names of what is private to others are left out.",
  access: DASHBOARD_ACCESS,
  query,
  list: true,
  data: z.array(activity),
  async handle(call) {
    const paging = listing<AuditRecord>(call.query);
    const where = visibleActivities(call.principal);
    const page = await call.store.from(auditLog).list({ ...paging, where });
    return {
      data: await toActivities(call.store, call.principal, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

const unread = endpoint({
  method: "get",
  path: "/dashboard/notifications",
  tag,
  summary: "One's own unread notifications",
  description: "Newest first.",
  access: DASHBOARD_ACCESS,
  query,
  list: true,
  data: z.array(publicNotification),
  async handle(call) {
    const paging = listing<Notification>(call.query);
    const where = { userId: call.principal.user.id, read: false };
    const page = await call.store.from(notifications).list({ ...paging, where });
    return { data: [...page.rows], pagination: pagination(paging, page) };
  },
});

const userFigures = endpoint({
  method: "get",
  path: "/dashboard/users",
  tag,
  summary: "User statistics",
  access: DASHBOARD_ACCESS,
  data: userStatistics,
  handle: async (call) => ({
    data: await statisticsOfUsers(call.store, call.services.clock()),
  }),
});

export const dashboardFullRoutes = [activities, unread, userFigures];
