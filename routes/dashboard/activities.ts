// What is new to the caller: recent activities, unread notifications.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { auditLog, type AuditRecord } from "../../models/audit.ts";
import { activity } from "../../models/dashboard.ts";
import {
  type Notification,
  notifications,
  publicNotification,
  unreadListQuery,
} from "../../models/notifications.ts";
import { listQuery } from "../../models/list_query.ts";
import { toActivities, visibleActivities } from "../../services/dashboard/activities.ts";
import { listing, pagination } from "../../http/lists.ts";
import { DASHBOARD_ACCESS } from "../../services/access/access.ts";

const tag = "Dashboard";
const activityListQuery = listQuery(auditLog, {
  hidden: ["actorId", "action", "target", "targetId", "impersonatorId", "ip", "updatedAt"],
});

const activities = endpoint({
  operationId: "listActivities",
  method: "get",
  path: "/dashboard/activities",
  tag,
  summary: "Recent activities",
  description:
    "Newest first. One's own; with `users:view`, everyone's. Names of what is private to others are left out.",
  access: DASHBOARD_ACCESS,
  query: activityListQuery,
  list: true,
  data: z.array(activity),
  async handle(call) {
    const paging = listing<AuditRecord>(call.query);
    const where = { ...call.query.where, ...visibleActivities(call.principal) };
    const page = await call.store.from(auditLog).list({ ...paging, where });
    return {
      data: await toActivities(call.store, call.principal, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

const unread = endpoint({
  operationId: "listUnreadNotifications",
  method: "get",
  path: "/dashboard/notifications",
  tag,
  summary: "One's own unread notifications",
  description: "Newest first.",
  access: DASHBOARD_ACCESS,
  // As where they are listed: they show pieces of messages, which a key for the dashboard does not open.
  scope: "notifications:view",
  query: unreadListQuery,
  list: true,
  data: z.array(publicNotification),
  async handle(call) {
    const paging = listing<Notification>(call.query);
    const where = { ...call.query.where, userId: call.principal.user.id, read: false };
    const page = await call.store.from(notifications).list({ ...paging, where });
    return { data: [...page.rows], pagination: pagination(paging, page) };
  },
});

export const activityRoutes = [activities, unread];
