// What marks a task: how far it is, how urgent, and until when.
import type { Task } from "../../client/mod.ts";
import { isOverdue, type TaskPriority, type TaskStatus, taskTexts } from "../state/tasks.ts";
import { Badge, type Tone } from "./badge.tsx";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { Time } from "./time.tsx";

const STATUS_TONES: Readonly<Record<TaskStatus, Tone>> = {
  pending: "neutral",
  in_progress: "accent",
  done: "good",
};

const PRIORITY_TONES: Readonly<Record<TaskPriority, Tone>> = {
  low: "neutral",
  medium: "note",
  high: "warn",
  urgent: "bad",
};

export function TaskStatusBadge({ status }: { status: TaskStatus }) {
  return <Badge tone={STATUS_TONES[status]} dot>{taskTexts().statuses[status]}</Badge>;
}

export function TaskPriorityBadge({ priority }: { priority: TaskPriority }) {
  return <Badge tone={PRIORITY_TONES[priority]}>{taskTexts().priorities[priority]}</Badge>;
}

/** Until when; nothing where it has no end. */
export function TaskDue({ task }: { task: Pick<Task, "status" | "dueDate"> }) {
  const { dueDate } = task;
  if (dueDate === undefined) return null;
  const late = isOverdue(task, Date.now());
  return (
    <span class={classes("task-due", late && "task-late")}>
      <Icon name={late ? "warning" : "clock"} size={14} />
      {late && <span class="unseen">{taskTexts().overdue}</span>}
      <Time at={dueDate} style={late ? "relative" : "short"} />
    </span>
  );
}
