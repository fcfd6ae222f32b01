// What is going on: open tasks, today's events, what was done lately, who there is.
import type { ComponentChildren } from "preact";
import {
  type DashboardOverview,
  getUserStatistics,
  listActivities,
  type Task,
  updateTask,
} from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ChartCsv, DonutChart } from "../../parts/charts/charts.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TaskDue, TaskPriorityBadge, TaskStatusBadge } from "../../parts/task_marks.tsx";
import { Time } from "../../parts/time.tsx";
import { date, number } from "../../state/format.ts";
import { serves } from "../../state/place.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { roleLabel, useRoles } from "../../state/roles.ts";
import { mayChangeTasks, type TaskStatus, taskTexts } from "../../state/tasks.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { pageLink } from "./page_link.ts";
import { texts } from "./texts.ts";

/** Lines of each. */
const LINES = 6;

function More({ page, children }: { page: Parameters<typeof pageLink>[0]; children: string }) {
  const href = pageLink(page);
  return href === undefined ? null : <a class="small" href={href}>{children}</a>;
}

function Lines(
  { ready, none, lines }: {
    ready: boolean;
    none: string;
    lines: readonly ComponentChildren[];
  },
) {
  if (!ready) {
    return (
      <div class="glance">
        <Skeleton rows={LINES - 1} />
      </div>
    );
  }
  if (lines.length === 0) return <p class="glance-none">{none}</p>;
  return <ul class="glance">{lines}</ul>;
}

export function TasksCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  // Servers without the log of activities have nothing to stand beside it.
  const shape = serves("activities") ? undefined : "full";
  return (
    <Card
      class={shape}
      title={said.openTasks}
      text={data && said.pending(number(data.stats.pendingTasks))}
      actions={<More page="tasks">{said.allTasks}</More>}
    >
      <Lines
        ready={data !== undefined}
        none={said.noTasks}
        lines={(data?.tasks ?? []).slice(0, LINES).map((task) => (
          <li key={task.id} class="glance-line">
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
                label={said.doneMark(task.title)}
                onClick={() => void setStatus(task, "done")}
              />
            )}
          </li>
        ))}
      />
    </Card>
  );
}

async function setStatus({ id, title, status: before }: Task, status: TaskStatus): Promise<void> {
  const worked = await tried(() => updateTask({ path: { id }, body: { status } }));
  refresh("tasks", "dashboard");
  if (!worked) return;
  const back = () =>
    tried(() => updateTask({ path: { id }, body: { status: before } }))
      .then(() => refresh("tasks", "dashboard"));
  toast({
    text: taskTexts().moved(title, taskTexts().statuses[status]),
    action: { label: texts().undo, run: back },
  });
}

export function TodayCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  const events = [...data?.calendar ?? []].sort((one, other) =>
    Number(other.allDay) - Number(one.allDay) || one.start.localeCompare(other.start)
  );
  return (
    <Card
      title={said.today}
      text={date(Date.now(), "date")}
      actions={<More page="calendar">{said.calendar}</More>}
    >
      <Lines
        ready={data !== undefined}
        none={said.noEvents}
        lines={events.slice(0, LINES).map(({ id, title, start, end, allDay, location }) => (
          <li key={id} class="glance-line">
            <span class="glance-when number">{allDay ? said.allDay : date(start, "time")}</span>
            <span class="glance-words">
              <span class="cut">{title}</span>
              <span class="glance-marks">
                {!allDay && <span class="number">{date(start, "time")} – {date(end, "time")}</span>}
                {location && <span class="cut">{location}</span>}
              </span>
            </span>
          </li>
        ))}
      />
    </Card>
  );
}

export function ActivityCard() {
  const said = texts();
  const acts = useQuery(
    ["dashboard", "activities"],
    async (signal) => (await listActivities({ query: { limit: LINES }, signal })).data,
  );
  return (
    <Card title={said.activity} actions={<More page="audit">{said.audit}</More>}>
      {acts.error && acts.data === undefined
        ? <Problem error={acts.error} retry={acts.refetch} compact />
        : (
          <Lines
            ready={acts.data !== undefined}
            none={said.noActivity}
            lines={(acts.data ?? []).map(({ id, user, action, target, time }) => (
              <li key={id} class="glance-line">
                <Avatar name={user.name} src={user.avatar} />
                <span class="glance-words">
                  <span class="cut">
                    <span class="strong">{user.name}</span>{" "}
                    {said.act(said.acts[action] ?? action, said.kinds[target] ?? target)}
                  </span>
                  <span class="muted small">
                    <Time at={time} />
                  </span>
                </span>
              </li>
            ))}
          />
        )}
    </Card>
  );
}

export function PeopleCard() {
  const said = texts();
  const roles = useRoles();
  const people = useQuery(
    ["dashboard", "users"],
    async (signal) => (await getUserStatistics({ signal })).data,
  );
  const labelOf = (name: string) => roleLabel(name, roles?.find((one) => one.name === name)?.label);
  const slices = (people.data?.byRole ?? []).map(({ role, count }) => ({
    label: labelOf(role),
    value: count,
  }));
  const table = {
    title: said.people,
    labels: slices.map(({ label }) => label),
    series: [{ name: said.users, values: slices.map(({ value }) => value) }],
  };
  return (
    <Card
      title={said.people}
      text={people.data && said.newPeople(people.data.newThisMonth)}
      actions={people.data && <ChartCsv data={table} name="users-by-role" />}
    >
      {people.data
        ? <DonutChart title={said.people} unit={said.users} slices={slices} />
        : people.error
        ? <Problem error={people.error} retry={people.refetch} compact />
        : <Skeleton block="220px" />}
    </Card>
  );
}
