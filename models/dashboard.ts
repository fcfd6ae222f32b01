// The dashboard's own records (sales, tasks, daily visits) and the shapes of the figures that it shows.
import { z } from "zod";
import { publicEvent } from "./calendar.ts";
import { listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { fileType } from "./files.ts";
import { eitherCase, label, moment, person, removable, wholeUpTo } from "./requests.ts";

export const sales = collection("sales", {
  /** `2026-11-21` */
  date: z.iso.date(),
  /** Revenue, in the currency's main unit. */
  amount: z.number(),
  orders: z.number().int(),
  cost: z.number(),
}, {
  filter: ["date"],
  sort: ["date", "amount"],
  sum: ["amount", "orders", "cost"],
});

export type Sale = RecordOf<typeof sales>;

export const taskStatus = z.enum(["pending", "in_progress", "done"]);
export const taskPriority = z.enum(["low", "medium", "high", "urgent"]);

export const tasks = collection("tasks", {
  title: z.string(),
  status: taskStatus,
  priority: taskPriority,
  dueDate: timestamp.optional(),
  assigneeId: z.string().optional(),
  createdBy: z.string(),
}, {
  filter: ["status", "priority", "assigneeId", "createdBy", "dueDate"],
  sort: ["dueDate", "priority", "status", "title"],
  search: ["title"],
  references: { assigneeId: "users", createdBy: "users" },
  audit: (task) => task.title,
  audited: ["title", "status", "priority", "dueDate", "assigneeId"],
});

export type Task = RecordOf<typeof tasks>;

/** One per day; the id is the date. */
export const visits = collection("visits", {
  date: z.iso.date(),
  /** Sessions started. */
  visits: z.number().int(),
  uniqueVisitors: z.number().int(),
  pageViews: z.number().int(),
}, {
  filter: ["date"],
  sort: ["date"],
  sum: ["visits", "uniqueVisitors", "pageViews"],
});

export type Visits = RecordOf<typeof visits>;

/** One record for each day and each user who came on it, to count unique visitors; the id is `date:userId`. */
export const visitors = collection("visitors", {
  date: z.iso.date(),
  userId: z.string(),
}, { filter: ["date", "userId"] });

export type Visitor = RecordOf<typeof visitors>;

/**
 * Growth is in percent, with one decimal, and 0 when there was nothing before. Months are calendar months in UTC.
 */
export const publicStats = z.object({
  totalUsers: z.number().int(),
  activeUsers: z.number().int(),
  totalDocuments: z.number().int(),
  totalFiles: z.number().int(),
  /** Bytes, all versions of files counted. */
  storageUsed: z.number().int(),
  /** The sum of all sales ever recorded. */
  totalRevenue: z.number(),
  totalOrders: z.number().int(),
  /** All orders per visit, in percent, with two decimals; 0 without visits. */
  conversionRate: z.number(),
  /** Users now, against those at the end of the month before. */
  userGrowth: z.number(),
  /** This month's revenue, against that of the month before. */
  revenueGrowth: z.number(),
  orderGrowth: z.number(),
  /** This month's conversion rate, against that of the month before. */
  rateGrowth: z.number(),
  /** Tasks whose status is pending. */
  pendingTasks: z.number().int(),
}).meta({ id: "DashboardStats" });

export type PublicStats = z.infer<typeof publicStats>;

export const visitPoint = z.object({
  date: z.iso.date(),
  visits: z.number().int(),
  uniqueVisitors: z.number().int(),
  pageViews: z.number().int(),
});

export const salesPoint = z.object({
  /** `2026-11` */
  month: z.string(),
  sales: z.number(),
  orders: z.number().int(),
  /** Sales less cost. */
  profit: z.number(),
});

export const pieSlice = z.object({
  name: fileType,
  /** Files of this type. */
  value: z.number().int(),
  color: z.string(),
});

export const publicTask = z.object({
  id: z.string(),
  title: z.string(),
  status: taskStatus,
  priority: taskPriority,
  dueDate: timestamp.optional(),
  assignee: person.optional(),
}).meta({ id: "Task" });

export const publicSale = z.object({
  id: z.string(),
  date: z.iso.date(),
  amount: z.number(),
  orders: z.number().int(),
  cost: z.number(),
  createdAt: timestamp,
}).meta({ id: "Sale" });

export const activity = z.object({
  id: z.string(),
  user: person,
  /** `created`, `updated`, `deleted`, or a named act such as `login`. */
  action: z.string(),
  /** What the changed record was called at that time. */
  target: z.string(),
  time: timestamp,
}).meta({ id: "Activity" });

export const userStatistics = z.object({
  total: z.number().int(),
  active: z.number().int(),
  inactive: z.number().int(),
  suspended: z.number().int(),
  newThisMonth: z.number().int(),
  byRole: z.array(z.object({ role: z.string(), count: z.number().int() })),
  /** Newest first. */
  recent: z.array(person.extend({ createdAt: timestamp })),
}).meta({ id: "UserStatistics" });

/** All that the first page of a front end shows. */
export const overview = z.object({
  stats: publicStats,
  visits: z.array(visitPoint),
  sales: z.array(salesPoint),
  pie: z.array(pieSlice),
  tasks: z.array(publicTask),
  /** One's own events of today. */
  calendar: z.array(publicEvent),
}).meta({ id: "DashboardOverview" });

export const visitsQuery = z.object({ days: wholeUpTo(365, 7) });
export const salesQuery = z.object({ months: wholeUpTo(60, 12) });

export const taskListQuery = listQuery(tasks, { hidden: ["createdBy"] });

export const taskCreation = z.object({
  title: label,
  status: eitherCase(taskStatus).default("pending"),
  priority: eitherCase(taskPriority).default("medium"),
  dueDate: removable(moment),
  assigneeId: removable(z.string().max(128)),
});

export const taskUpdate = z.object({
  title: label.optional(),
  status: eitherCase(taskStatus).optional(),
  priority: eitherCase(taskPriority).optional(),
  dueDate: removable(moment),
  assigneeId: removable(z.string().max(128)),
});

/** Far above what a day sells; sums of a century of them are still exact to the cent. */
const MAX_AMOUNT = 1e9;
const money = z.number().min(0).max(MAX_AMOUNT);

export const saleCreation = z.object({
  /** A date, or a moment whose date in UTC counts. */
  date: moment.transform((at) => at.slice(0, 10)),
  amount: money,
  orders: z.number().int().min(0).max(1e6).default(1),
  cost: money.default(0),
});
