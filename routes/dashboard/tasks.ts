// The tasks of the dashboard.
import { z } from "zod";
import { DASHBOARD_ACCESS } from "../../services/access/access.ts";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { existing, invalid } from "../../core/errors.ts";
import {
  publicTask,
  type Task,
  taskCreation,
  taskListQuery,
  tasks,
  taskUpdate,
} from "../../models/dashboard.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import { type User, users } from "../../models/users.ts";
import { listing, pagination } from "../../http/lists.ts";
import { personsById } from "../../services/access/persons.ts";
import { notify, withdraw } from "../../services/messaging/notifications.ts";
import type { Store, Transaction } from "../../storage/port.ts";

const tag = "Dashboard";

const listTasks = endpoint({
  operationId: "listTasks",
  method: "get",
  path: "/dashboard/tasks",
  tag,
  summary: "To-do tasks",
  access: DASHBOARD_ACCESS,
  query: taskListQuery,
  list: true,
  data: z.array(publicTask),
  async handle(call) {
    const paging = listing<Task>(call.query);
    const page = await call.store.from(tasks).list({ ...paging, where: call.query.where });
    return { data: await shapeTasks(call.store, page.rows), pagination: pagination(paging, page) };
  },
});

const getTask = endpoint({
  operationId: "getTask",
  method: "get",
  path: "/dashboard/tasks/{id}",
  tag,
  summary: "Task details",
  access: DASHBOARD_ACCESS,
  data: publicTask,
  errors: ["NOT_FOUND"],
  async handle(call) {
    return await shownTask(
      call.store,
      existing(await call.store.from(tasks).get(call.params.id), "task"),
    );
  },
});

const createTask = endpoint({
  operationId: "createTask",
  method: "post",
  path: "/dashboard/tasks",
  tag,
  summary: "Create a task",
  description: "Whoever it is given to by somebody else is told by notification.",
  access: "dashboard:update",
  created: true,
  makes: "tasks",
  body: taskCreation,
  data: publicTask,
  async handle(call) {
    const { title, status, priority, ...optional } = call.body;
    const task = await call.transact(async (tx) => {
      await assertAssignable(tx, optional.assigneeId);
      const { user } = call.principal;
      const fields = { title, status, priority, createdBy: user.id };
      const task = tx.insert(tasks, { ...fields, ...patchOf(optional) });
      tellAssignee(tx, user, task);
      return task;
    });
    return { ...await shownTask(call.store, task), message: "The task is created" };
  },
});

const updateTask = endpoint({
  operationId: "updateTask",
  method: "put",
  path: "/dashboard/tasks/{id}",
  tag,
  summary: "Change a task",
  description:
    "Takes only the changed fields. Whoever it is given to by somebody else is told by notification.",
  access: "dashboard:update",
  body: taskUpdate,
  data: publicTask,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const task = await call.transact(async (tx) => {
      const task = existing(await tx.from(tasks).get(call.params.id), "task");
      assertMatch(call, task.rev);
      const { assigneeId } = call.body;
      const changed = tx.update(tasks, task, patchOf(call.body));
      // A task that is shown whole can be sent back whole, whatever has become of who has it.
      if (changed.assigneeId === task.assigneeId) return changed;
      await assertAssignable(tx, assigneeId);
      await withdraw(tx, task.id);
      tellAssignee(tx, call.principal.user, changed);
      return changed;
    });
    return { ...await shownTask(call.store, task), message: "The task is saved" };
  },
});

const removeTask = endpoint({
  operationId: "deleteTask",
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
      const task = existing(await tx.from(tasks).get(id), "task");
      assertMatch(call, task.rev);
      tx.remove(tasks, task);
      await withdraw(tx, task.id);
    });
    return { data: { id }, message: "The task is deleted" };
  },
});

/** Tasks as they are shown. */
export async function shapeTasks(store: Pick<Store, "from">, found: readonly Task[]) {
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

/** Reads the assignee within the plan, so that the commit fails if the assignee is deleted at the same time. */
async function assertAssignable(tx: Transaction, assigneeId: string | null | undefined) {
  if (!assigneeId) return;
  const assignee = await tx.from(users).get(assigneeId);
  if (assignee?.status !== "active") {
    throw invalid("assigneeId", `there is no active user '${assigneeId}'`);
  }
}

/** Whoever takes a task is not told of it. */
function tellAssignee(tx: Transaction, by: User, { id, title, assigneeId }: Task): void {
  if (assigneeId === undefined || assigneeId === by.id) return;
  notify(tx, {
    userId: assigneeId,
    type: "task",
    title: `${by.name} gave you a task`,
    content: title,
    link: `/tasks/${id}`,
    subjectId: id,
    aboutId: by.id,
  });
}

export const taskRoutes = [listTasks, getTask, createTask, updateTask, removeTask];
