// The tasks as a list.
import { useSignal } from "@preact/signals";
import { useCallback, useMemo } from "preact/hooks";
import { listTasks, type Task } from "../../../client/mod.ts";
import { listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { moveTask } from "../../parts/move_task.ts";
import { Person } from "../../parts/person.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { TaskDue, TaskPriorityBadge, TaskStatusBadge } from "../../parts/task_marks.tsx";
import { language } from "../../state/language.ts";
import { useQuery } from "../../state/query.ts";
import { TASK_STATUSES, taskTexts } from "../../state/tasks.ts";
import { actionsOf, STATUS_ICONS } from "./actions.ts";
import { moveAll, remove } from "./deeds.ts";
import { texts } from "./texts.ts";
import type { TasksViewProps } from "./view.ts";

export function List({ state, filters, create, toolbar, onOpen }: TasksViewProps) {
  const said = texts();
  const tasks = useQuery(
    ["tasks", state.query, state.limit],
    (signal) => loadList(state, (query) => listTasks({ query, signal })),
  );
  const columns = useMemo(columnsOf, [language.value]);
  const selection = useSignal<Selection>(NOTHING);
  const rowActions = useCallback(
    (task: Task) => actionsOf(task, { edit: (task) => onOpen({ task }), move: moveTask }),
    [language.value],
  );
  const changes = create !== undefined;

  return (
    <ListPage<Task>
      {...listed(tasks)}
      list="tasks"
      title={said.title}
      text={said.text}
      state={state}
      columns={columns}
      filters={filters}
      search={said.search}
      rowId={({ id }) => id}
      rowName={({ title }) => title}
      create={create}
      toolbar={toolbar}
      selection={changes ? selection : undefined}
      onOpen={changes ? (task) => onOpen({ task }) : undefined}
      rowActions={changes ? rowActions : undefined}
      bulkActions={changes
        ? (ids) => bulkActions(ids, tasks.data?.rows ?? [], () => selection.value = NOTHING)
        : undefined}
      exporting={{ name: "tasks", read: (query) => listTasks({ query }) }}
      empty={{ icon: "check", title: said.none, text: said.noneText }}
    />
  );
}

function bulkActions(
  ids: readonly string[],
  rows: readonly Task[],
  clear: () => void,
): readonly Action[] {
  const said = texts();
  return [
    ...TASK_STATUSES.map((status): Action => ({
      label: said.mark(taskTexts().statuses[status]),
      icon: STATUS_ICONS[status],
      run: () => void moveAll(ids, status).then(clear),
    })),
    {
      label: said.delete,
      icon: "trash",
      danger: true,
      run: async () => {
        const chosen = ids.map((id) => rows.find((row) => row.id === id) ?? { id, title: id });
        if (await remove(chosen)) clear();
      },
    },
  ];
}

function columnsOf(): Column<Task>[] {
  const said = texts();
  const { statuses, priorities } = taskTexts();
  return [
    {
      id: "title",
      title: said.task,
      sortable: true,
      render: ({ title }) => <span class="cut">{title}</span>,
      csv: ({ title }) => title,
    },
    {
      id: "status",
      title: said.status,
      width: "8.5rem",
      render: ({ status }) => <TaskStatusBadge status={status} />,
      csv: ({ status }) => statuses[status],
    },
    {
      id: "priority",
      title: said.priority,
      width: "7rem",
      render: ({ priority }) => <TaskPriorityBadge priority={priority} />,
      csv: ({ priority }) => priorities[priority],
    },
    {
      id: "assignee",
      title: said.assignee,
      width: "13rem",
      render: ({ assignee }) =>
        assignee
          ? <Person name={assignee.name} src={assignee.avatar} size="s" />
          : <span class="muted">{said.nobody}</span>,
      csv: ({ assignee }) => assignee?.name,
    },
    {
      id: "dueDate",
      title: said.due,
      sortable: true,
      width: "10rem",
      render: (task) => <TaskDue task={task} />,
      csv: ({ dueDate }) => dueDate,
    },
  ];
}
