// The board of tasks without its looks: what stands in which column, and where the arrow keys lead.
import type { Task } from "../../../client/mod.ts";
import { TASK_STATUSES, type TaskStatus } from "../../state/tasks.ts";

/** States that were chosen and that the server does not show yet, by the id of the task. */
export type Moves = Readonly<Record<string, TaskStatus>>;

export type Columns = Readonly<Record<TaskStatus, readonly Task[]>>;

/** The tasks by state; what was moved stands first in its new column. */
export function columnsOf(tasks: readonly Task[], moves: Moves): Columns {
  const moved = (status: TaskStatus) =>
    tasks.filter(({ id, status: before }) => moves[id] === status && before !== status)
      .map((task) => ({ ...task, status }));
  const stayed = (status: TaskStatus) =>
    tasks.filter((task) => (moves[task.id] ?? task.status) === status && task.status === status);
  const column = (status: TaskStatus) => [...moved(status), ...stayed(status)];
  return {
    pending: column("pending"),
    in_progress: column("in_progress"),
    done: column("done"),
  };
}

/** How many tasks there are in each state. */
export function countsOf(tasks: readonly Task[]): Readonly<Record<TaskStatus, number>> {
  const counts = { pending: 0, in_progress: 0, done: 0 };
  for (const { status } of tasks) counts[status]++;
  return counts;
}

/** Each task once: one that moves between two answers stands in both, until its move is told and all is read anew. */
export function eachOnce(tasks: readonly Task[]): readonly Task[] {
  return [...new Map(tasks.map((task) => [task.id, task])).values()];
}

/** The state so many columns further; undefined beyond the last. */
export function statusBeside(status: TaskStatus, by: number): TaskStatus | undefined {
  const at = TASK_STATUSES.indexOf(status) + by;
  return at < 0 ? undefined : TASK_STATUSES[at];
}

/**
 * The task that an arrow key leads to.
 *
 * @param across Columns to go; columns without tasks are passed over.
 * @param down Tasks to go in the same column.
 */
export function taskBeside(
  columns: Columns,
  id: string,
  { across = 0, down = 0 }: { readonly across?: number; readonly down?: number },
): Task | undefined {
  const column = TASK_STATUSES.findIndex((status) => columns[status].some((one) => one.id === id));
  if (column < 0) return undefined;
  const row = columns[TASK_STATUSES[column]!].findIndex((one) => one.id === id);
  if (across === 0) return row + down < 0 ? undefined : columns[TASK_STATUSES[column]!][row + down];
  for (let at = column + across; TASK_STATUSES[at] !== undefined; at += across) {
    const tasks = columns[TASK_STATUSES[at]!];
    if (tasks.length > 0) return tasks[Math.min(row, tasks.length - 1)];
  }
  return undefined;
}
