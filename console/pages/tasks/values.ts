// What is filled in of a task, and what of it has to be sent.
import type { Task, UpdateTaskRequest } from "../../../client/mod.ts";
import type { PersonFound } from "../../state/people.ts";
import type { TaskPriority, TaskStatus } from "../../state/tasks.ts";

export interface TaskValues {
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority: TaskPriority;
  /** ISO 8601, or empty. */
  readonly dueDate: string;
  /** One at most. */
  readonly assignee: readonly PersonFound[];
}

/** @param task Null for a new one. */
export function valuesOf(task: Task | null): TaskValues {
  const { title = "", status = "pending", priority = "medium", dueDate = "", assignee } = task ??
    {};
  return {
    title,
    status,
    priority,
    dueDate,
    assignee: assignee ? [chosen(assignee)] : [],
  };
}

function chosen({ id, name, avatar }: NonNullable<Task["assignee"]>): PersonFound {
  return { value: id, label: name, description: "", ...(avatar ? { src: avatar } : {}) };
}

/** The fields that differ: others may have changed the rest meanwhile. An emptied one is removed by null. */
export function changesOf(values: TaskValues, before: TaskValues): UpdateTaskRequest {
  const { title, status, priority, dueDate, assignee } = values;
  const assigneeId = assignee[0]?.value ?? null;
  return {
    ...(title === before.title ? {} : { title }),
    ...(status === before.status ? {} : { status }),
    ...(priority === before.priority ? {} : { priority }),
    ...(dueDate === before.dueDate ? {} : { dueDate: dueDate || null }),
    ...(assigneeId === (before.assignee[0]?.value ?? null) ? {} : { assigneeId }),
  };
}
