// What the menu of a task offers, in the list and on the board.
import type { Task } from "../../../client/mod.ts";
import type { Action } from "../../parts/menu.tsx";
import { TASK_STATUSES, type TaskStatus, taskTexts } from "../../state/tasks.ts";
import type { IconName } from "../../parts/icon.tsx";
import { remove } from "./deeds.ts";
import { texts } from "./texts.ts";

export const STATUS_ICONS: Readonly<Record<TaskStatus, IconName>> = {
  pending: "clock",
  in_progress: "play",
  done: "check",
};

export function actionsOf(
  task: Task,
  { edit, move }: {
    readonly edit: (task: Task) => void;
    readonly move: (task: Task, status: TaskStatus) => void;
  },
): readonly Action[] {
  const said = texts();
  const { statuses } = taskTexts();
  const others = TASK_STATUSES.filter((status) => status !== task.status);
  return [
    { label: said.edit, icon: "edit", run: () => edit(task) },
    ...others.map((status, index): Action => ({
      label: said.moveTo(statuses[status]),
      icon: STATUS_ICONS[status],
      parted: index === 0,
      run: () => move(task, status),
    })),
    {
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      run: () => void remove([task]),
    },
  ];
}
