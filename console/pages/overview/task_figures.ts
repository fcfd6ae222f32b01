// How many tasks there are in each state, and how many of them are overdue.
import { listTasks } from "../../../client/mod.ts";
import type { ChartData } from "../../parts/charts/data.ts";
import { useQuery } from "../../state/query.ts";
import { TASK_STATUSES, type TaskStatus, taskTexts } from "../../state/tasks.ts";
import { texts } from "./texts.ts";

export interface TaskFigure {
  readonly status: TaskStatus;
  readonly total: number;
  readonly overdue: number;
}

type Query = NonNullable<NonNullable<Parameters<typeof listTasks>[0]>["query"]>;

/** Reads the totals alone: whole, however many tasks there are. */
export function useTaskFigures() {
  return useQuery(["tasks", "figures"], (signal) => {
    const now = new Date().toISOString();
    const count = async (query: Query) =>
      (await listTasks({ query: { ...query, limit: 1 }, signal })).pagination.total;
    return Promise.all(TASK_STATUSES.map(async (status): Promise<TaskFigure> => {
      const [total, overdue] = await Promise.all([
        count({ status: [status] }),
        // What is done is late no more.
        status === "done" ? 0 : count({ status: [status], dueDate_lt: now }),
      ]);
      return { status, total, overdue };
    }));
  });
}

export function taskChart(figures: readonly TaskFigure[]): ChartData {
  const said = texts();
  return {
    title: said.tasksByState,
    labels: figures.map(({ status }) => taskTexts().statuses[status]),
    series: [
      {
        name: said.notOverdue,
        values: figures.map(({ total, overdue }) => Math.max(0, total - overdue)),
      },
      { name: taskTexts().overdue, values: figures.map(({ overdue }) => overdue) },
    ],
  };
}
