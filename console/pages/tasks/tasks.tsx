// The tasks, as a list or as a board.
import { useMemo, useState } from "preact/hooks";
import type { Task } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { RadioGroup } from "../../parts/field.tsx";
import type { Filter } from "../../parts/list_page.tsx";
import { readTask } from "../../parts/move_task.ts";
import { type ListState, useListState, useParameter } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { user } from "../../state/session.ts";
import {
  findAssignees,
  mayChangeTasks,
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskStatus,
  taskTexts,
} from "../../state/tasks.ts";
import { tried } from "../../state/use_busy.ts";
import { Board } from "./board.tsx";
import { CreateTask, EditTask } from "./form.tsx";
import { List } from "./list.tsx";
import { texts } from "./texts.ts";
import type { Opened } from "./view.ts";

const FILTERS = ["status", "priority", "assigneeId", "dueDate_gte", "dueDate_lte"];

/** At the side: a task as it was read for being changed, or the state of a new one. */
type Form = { readonly record: Versioned<Task> } | { readonly status: TaskStatus };

export default function TasksPage() {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const [view, setView] = useParameter("view", "list");
  const [open, setOpen] = useState<Form | null>(null);
  const close = () => setOpen(null);
  // The list knows no versions, and may have been read some time ago.
  const onOpen = async (opened: Opened) => {
    if ("status" in opened) return setOpen(opened);
    await tried(async () => setOpen({ record: await readTask(opened.task.id) }));
  };
  const filters = useMemo(filtersOf, [language.value]);
  const create = mayChangeTasks()
    ? { label: said.create, run: () => setOpen({ status: "pending" }) }
    : undefined;
  const View = view === "board" ? Board : List;
  return (
    <>
      <View
        state={state}
        filters={filters}
        create={create}
        toolbar={<Switches state={state} view={view} onView={setView} />}
        onOpen={onOpen}
      />
      {open && ("record" in open
        ? <EditTask record={open.record} onClose={close} />
        : <CreateTask status={open.status} onClose={close} />)}
    </>
  );
}

/** List or board, everybody's or one's own. */
function Switches(
  { state, view, onView }: { state: ListState; view: string; onView: (view: string) => void },
) {
  const said = texts();
  const self = user.value?.id;
  const mine = state.filters.assigneeId === self;
  return (
    <>
      <Button
        icon="user"
        aria-pressed={mine}
        onClick={() => state.set({ filters: { assigneeId: mine ? undefined : self } })}
      >
        {said.mine}
      </Button>
      <RadioGroup
        label={said.view}
        hideLabel
        segmented
        name="tasks-view"
        value={view}
        onChange={onView}
        options={[{ value: "list", label: said.list }, { value: "board", label: said.board }]}
      />
    </>
  );
}

function filtersOf(): Filter[] {
  const said = texts();
  const { statuses, priorities } = taskTexts();
  return [
    {
      id: "status",
      label: said.status,
      kind: "choice",
      options: TASK_STATUSES.map((value) => ({ value, label: statuses[value] })),
    },
    {
      id: "priority",
      label: said.priority,
      kind: "choice",
      options: TASK_PRIORITIES.map((value) => ({ value, label: priorities[value] })),
    },
    {
      id: "assigneeId",
      label: said.assignee,
      kind: "person",
      load: findAssignees,
      nameOf: (id) => id === user.peek()?.id ? user.peek()?.name : undefined,
    },
    { id: "dueDate_gte", label: said.dueFrom, kind: "date" },
    { id: "dueDate_lte", label: said.dueTo, kind: "date" },
  ];
}
