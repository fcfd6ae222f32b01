// The tasks: how many there are in each state, and the newest that are open.
import { useMemo } from "preact/hooks";
import type { DashboardOverview, Task } from "../../../client/mod.ts";
import { IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { BarChart, ChartCsv } from "../../parts/charts/charts.tsx";
import { classes } from "../../parts/classes.ts";
import { moveTask } from "../../parts/move_task.ts";
import { Problem } from "../../parts/problem.tsx";
import { TaskDue, TaskPriorityBadge, TaskStatusBadge } from "../../parts/task_marks.tsx";
import { number } from "../../state/format.ts";
import { language } from "../../state/language.ts";
import { serves } from "../../state/place.ts";
import { mayChangeTasks } from "../../state/tasks.ts";
import { Bones, TALL, wholeNumber } from "./chart_room.tsx";
import { LINES, Lines, More } from "./lines.tsx";
import { taskChart, useTaskFigures } from "./task_figures.ts";
import { texts } from "./texts.ts";

export function TasksCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  const figures = useTaskFigures();
  const chart = useMemo(
    () => figures.data && taskChart(figures.data),
    [figures.data, language.value],
  );
  return (
    <Card
      // Servers without the log of activities have nothing to stand beside it.
      class={classes("tasks-card", serves("activities") ? "wide" : "full")}
      title={said.tasks}
      text={data ? said.pending(number(data.stats.pendingTasks)) : "\u00a0"}
      actions={
        <>
          <More page="tasks">{said.allTasks}</More>
          {chart && <ChartCsv data={chart} name="tasks-by-state" />}
        </>
      }
    >
      <div class="tasks-halves">
        <div class="tasks-chart">
          {chart
            ? (
              <BarChart
                {...chart}
                // Without a task there are no bars to label.
                labels={figures.data!.some(({ total }) => total > 0) ? chart.labels : []}
                stacked
                height={TALL}
                formatAxis={wholeNumber}
              />
            )
            : figures.error
            ? <Problem error={figures.error} retry={figures.refetch} compact />
            : <Bones height={TALL} />}
        </div>
        <section aria-label={said.openTasks}>
          <Lines
            ready={data !== undefined}
            none={said.noTasks}
            lines={(data?.tasks ?? []).slice(0, LINES).map((task) => (
              <OpenTask key={task.id} task={task} />
            ))}
          />
        </section>
      </div>
    </Card>
  );
}

function OpenTask({ task }: { task: Task }) {
  return (
    <li class="glance-line">
      <span class="glance-words">
        <span class="cut">{task.title}</span>
        <span class="glance-marks">
          <TaskStatusBadge status={task.status} />
          <TaskDue task={task} />
        </span>
      </span>
      {task.priority !== "medium" && <TaskPriorityBadge priority={task.priority} />}
      {mayChangeTasks() && (
        <IconButton
          icon="check"
          size="s"
          label={texts().doneMark(task.title)}
          onClick={() => void moveTask(task, "done")}
        />
      )}
    </li>
  );
}
