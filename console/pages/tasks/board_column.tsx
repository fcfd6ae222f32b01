// A column of the board, and its cards.
import { useState } from "preact/hooks";
import type { Task } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { IconButton } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { Menu } from "../../parts/menu.tsx";
import { TaskDue, TaskPriorityBadge } from "../../parts/task_marks.tsx";
import { number } from "../../state/format.ts";
import { type TaskStatus, taskTexts } from "../../state/tasks.ts";
import { actionsOf } from "./actions.ts";
import { texts } from "./texts.ts";
import type { Opened } from "./view.ts";

/** What is dragged says what it is, so that nothing else is taken. */
const KIND = "application/x-quarterdeck-task";

export interface BoardColumnProps {
  readonly status: TaskStatus;
  readonly tasks: readonly Task[];
  /** How many more there are than a column shows. */
  readonly more: number;
  readonly changes: boolean;
  readonly onKey: (event: KeyboardEvent, task: Task) => void;
  readonly onFocus: (task: Task) => void;
  readonly onOpen: (opened: Opened) => void;
  readonly onMove: (task: Task, status: TaskStatus) => void;
  readonly taskOf: (id: string) => Task | undefined;
}

export function BoardColumn(props: BoardColumnProps) {
  const { status, tasks, more, changes, onOpen, onMove, taskOf } = props;
  const [over, setOver] = useState(false);
  const said = texts();
  const label = taskTexts().statuses[status];
  const id = `board-${status}`;
  return (
    <section
      class={classes("board-column", over && "board-over")}
      aria-labelledby={id}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(KIND)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const task = taskOf(event.dataTransfer?.getData(KIND) ?? "");
        if (!task) return;
        event.preventDefault();
        onMove(task, status);
      }}
    >
      <header class="board-head">
        <h2 id={id}>{label}</h2>
        <span class="muted number">{number(tasks.length + Math.max(more, 0))}</span>
        {changes && (
          <IconButton
            class="board-add"
            icon="plus"
            size="s"
            label={`${said.create}: ${label}`}
            onClick={() => onOpen({ status })}
          />
        )}
      </header>
      {tasks.length === 0
        ? <p class="board-none muted small">{said.columnEmpty}</p>
        : (
          <ul class="board-cards">
            {tasks.map((task) => <TaskCard key={task.id} {...props} task={task} />)}
          </ul>
        )}
      {more > 0 && (
        <a class="small" href={`/tasks?status=${status}&limit=100&page=2`}>
          {said.more(number(more))}
        </a>
      )}
    </section>
  );
}

function TaskCard(
  { task, changes, onKey, onFocus, onOpen, onMove }: BoardColumnProps & { task: Task },
) {
  const { id, title, assignee, priority } = task;
  const inside = (
    <>
      <span class="board-title">{title}</span>
      <span class="board-marks">
        <TaskPriorityBadge priority={priority} />
        <TaskDue task={task} />
        {assignee && (
          <span class="board-assignee" title={assignee.name}>
            <Avatar name={assignee.name} src={assignee.avatar} size="s" />
            <span class="unseen">{assignee.name}</span>
          </span>
        )}
      </span>
    </>
  );
  return (
    <li
      class="board-card"
      draggable={changes}
      onFocusIn={() => onFocus(task)}
      onDragStart={(event) => {
        event.dataTransfer?.setData(KIND, id);
        event.dataTransfer!.effectAllowed = "move";
      }}
    >
      {changes
        ? (
          <>
            <button
              type="button"
              class="board-open"
              data-task={id}
              aria-describedby="board-keys"
              onClick={() => onOpen({ task })}
              onKeyDown={(event) => onKey(event, task)}
            >
              {inside}
            </button>
            <div class="board-menu">
              <Menu
                label={texts().actionsOf(title)}
                icon="more"
                iconOnly
                align="end"
                button={{ size: "s" }}
                items={actionsOf(task, { edit: (one) => onOpen({ task: one }), move: onMove })}
              />
            </div>
          </>
        )
        : <div class="board-open" tabIndex={-1}>{inside}</div>}
    </li>
  );
}
