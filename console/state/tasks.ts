// What tasks have in common wherever they are shown: their states, and what is said of them.
import type { Task } from "../../client/mod.ts";
import { findPeople, type PersonFound, personOf } from "./people.ts";
import { serves } from "./place.ts";
import { translated } from "./language.ts";
import { can, user } from "./session.ts";

export type TaskStatus = Task["status"];
export type TaskPriority = Task["priority"];

/** In the order in which a task goes through them. */
export const TASK_STATUSES: readonly TaskStatus[] = ["pending", "in_progress", "done"];
export const TASK_PRIORITIES: readonly TaskPriority[] = ["low", "medium", "high", "urgent"];

export const taskTexts = translated({
  en: {
    statuses: { pending: "To do", in_progress: "In progress", done: "Done" },
    priorities: { low: "Low", medium: "Medium", high: "High", urgent: "Urgent" },
    overdue: "Overdue",
    moved: (title: string, status: string) => `${title}: ${status}`,
  },
  zh: {
    statuses: { pending: "待办", in_progress: "进行中", done: "已完成" },
    priorities: { low: "低", medium: "中", high: "高", urgent: "紧急" },
    overdue: "已逾期",
    moved: (title, status) => `${title}：${status}`,
  },
});

/** Whether a task should have been done by now. @param now Milliseconds since 1970. */
export function isOverdue({ status, dueDate }: Pick<Task, "status" | "dueDate">, now: number) {
  return status !== "done" && dueDate !== undefined && Date.parse(dueDate) < now;
}

/** Whether the signed-in user may create, change and delete tasks. */
export function mayChangeTasks(): boolean {
  return can("dashboard:update");
}

/** Who can be given a task: active people, or oneself alone where one may not see others. */
export function findAssignees(
  search: string,
  signal: AbortSignal,
): Promise<readonly PersonFound[]> {
  if (serves("users") && can("users:view")) return findPeople({ status: "active" })(search, signal);
  const self = user.peek();
  const fits = self?.name.toLowerCase().includes(search.toLowerCase());
  return Promise.resolve(self && fits ? [personOf(self)] : []);
}
