// The dashboard: figures, tasks and the day of the caller. All from stored records.
import { z } from "zod";
import { andThen } from "../awaitable.ts";
import { assertMatch } from "../conditional.ts";
import { endpoint, type Permission } from "../endpoint.ts";
import { invalid, notFound } from "../errors.ts";
import {
  pieSlice,
  publicSale,
  publicStats,
  publicTask,
  saleCreation,
  sales,
  salesPoint,
  salesQuery,
  type Task,
  taskCreation,
  taskListQuery,
  tasks,
  taskUpdate,
  todayQuery,
  visitPoint,
  visitsQuery,
} from "../models/dashboard.ts";
import { publicEvent } from "../models/calendar.ts";
import { deleted, patchOf } from "../models/requests.ts";
import { users } from "../models/users.ts";
import { shapeEvents } from "../services/calendar.ts";
import { listing, pagination } from "../services/lists.ts";
import { personsById } from "../services/persons.ts";
import { dayOf, scheduleOf } from "../services/schedule.ts";
import { dailyVisits, filesByType, monthlySales, statistics } from "../services/statistics.ts";
import { timeZone } from "../services/streaks.ts";
import type { Store, Transaction } from "../store.ts";

const tag = "Dashboard";

/** Whoever holds one of these sees the dashboard. */
export const DASHBOARD_ACCESS: readonly Permission[] = [
  "dashboard:view",
  "users:view",
  "documents:view",
];

const stats = endpoint({
  method: "get",
  path: "/dashboard/stats",
  tag,
  summary: "Statistics",
  description:
    "Growth is in percent against the month before, with one decimal, and 0 when there was nothing before: " +
    "`userGrowth` of all users now against the end of the month before, the others of this month against that " +
    "month. `conversionRate` is orders per visit in percent. Months are those of UTC.",
  access: DASHBOARD_ACCESS,
  data: publicStats,
  handle: (call) => andThen(statistics(call.store, call.services.clock()), (data) => ({ data })),
});

const visits = endpoint({
  method: "get",
  path: "/dashboard/visits",
  tag,
  summary: "Visits a day",
  description: "Ascending, today included; days without visits are zeros.",
  access: DASHBOARD_ACCESS,
  query: visitsQuery,
  data: z.array(visitPoint),
  handle: async (call) => ({
    data: await dailyVisits(call.store, call.services.clock(), call.query.days),
  }),
});

const salesTrend = endpoint({
  method: "get",
  path: "/dashboard/sales",
  tag,
  summary: "Sales a month",
  description: "Ascending, this month included; months without sales are zeros.",
  access: DASHBOARD_ACCESS,
  query: salesQuery,
  data: z.array(salesPoint),
  handle: async (call) => ({
    data: await monthlySales(call.store, call.services.clock(), call.query.months),
  }),
});

const recordSale = endpoint({
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

const pie = endpoint({
  method: "get",
  path: "/dashboard/pie",
  tag,
  summary: "Files by type",
  access: DASHBOARD_ACCESS,
  data: z.array(pieSlice),
  handle: async (call) => ({ data: await filesByType(call.store) }),
});

const calendar = endpoint({
  method: "get",
  path: "/dashboard/calendar",
  tag,
  summary: "One's own events of today",
  description:
    "Those one owns, or attends and has not declined. Today is that of the time zone `tz`.",
  access: DASHBOARD_ACCESS,
  query: todayQuery,
  data: z.array(publicEvent),
  async handle(call) {
    const today = dayOf(call.services.clock(), timeZone(call.query.tz));
    const { id } = call.principal.user;
    const found = await scheduleOf(call.store, id, today);
    return { data: await shapeEvents(call.store, id, found) };
  },
});

const listTasks = endpoint({
  method: "get",
  path: "/dashboard/tasks",
  tag,
  summary: "To-do tasks",
  access: DASHBOARD_ACCESS,
  query: taskListQuery,
  list: true,
  data: z.array(publicTask),
  async handle(call) {
    const { status, priority, assigneeId } = call.query;
    const paging = listing<Task>(call.query);
    const page = await call.store.from(tasks).list({
      ...paging,
      where: { status, priority, assigneeId },
    });
    return { data: await shapeTasks(call.store, page.rows), pagination: pagination(paging, page) };
  },
});

const createTask = endpoint({
  method: "post",
  path: "/dashboard/tasks",
  tag,
  summary: "Create a task",
  access: "dashboard:update",
  created: true,
  body: taskCreation,
  data: publicTask,
  async handle(call) {
    const { title, status, priority, ...optional } = call.body;
    const task = await call.transact(async (tx) => {
      await assertAssignable(tx, optional.assigneeId);
      const createdBy = call.principal.user.id;
      return tx.insert(tasks, { title, status, priority, createdBy, ...patchOf(optional) });
    });
    return { ...await shownTask(call.store, task), message: "The task is created" };
  },
});

const updateTask = endpoint({
  method: "put",
  path: "/dashboard/tasks/{id}",
  tag,
  summary: "Change a task",
  description: "Takes only the changed fields.",
  access: "dashboard:update",
  body: taskUpdate,
  data: publicTask,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const task = await call.transact(async (tx) => {
      const task = await existing(tx, call.params.id);
      assertMatch(call, task.rev);
      await assertAssignable(tx, call.body.assigneeId);
      return tx.update(tasks, task, patchOf(call.body));
    });
    return { ...await shownTask(call.store, task), message: "The task is saved" };
  },
});

const removeTask = endpoint({
  method: "delete",
  path: "/dashboard/tasks/{id}",
  tag,
  summary: "Delete a task",
  access: "dashboard:update",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const task = await existing(tx, id);
      assertMatch(call, task.rev);
      tx.remove(tasks, task);
    });
    return { data: { id }, message: "The task is deleted" };
  },
});

async function shapeTasks(store: Pick<Store, "from">, found: readonly Task[]) {
  const persons = await personsById(store, found.flatMap(({ assigneeId }) => assigneeId ?? []));
  return found.map((task) => ({
    ...task,
    assignee: task.assigneeId === undefined ? undefined : persons.get(task.assigneeId),
  }));
}

async function shownTask(store: Pick<Store, "from">, task: Task) {
  const [data] = await shapeTasks(store, [task]);
  return { data: data!, etag: task.rev };
}

/** Read in the plan: the assignee cannot be deleted meanwhile. */
async function assertAssignable(tx: Transaction, assigneeId: string | null | undefined) {
  if (!assigneeId) return;
  const assignee = await tx.from(users).get(assigneeId);
  if (assignee?.status !== "active") {
    throw invalid("assigneeId", `there is no active user '${assigneeId}'`);
  }
}

async function existing(tx: Transaction, id: string): Promise<Task> {
  const task = await tx.from(tasks).get(id);
  if (!task) throw notFound("task");
  return task;
}

export const dashboardRoutes = [
  stats,
  visits,
  salesTrend,
  recordSale,
  pie,
  calendar,
  listTasks,
  createTask,
  updateTask,
  removeTask,
];
