// What the list and the board of tasks are given.
import type { ComponentChildren } from "preact";
import type { Task } from "../../../client/mod.ts";
import type { Filter } from "../../parts/list_page.tsx";
import type { ListState } from "../../state/address.ts";
import type { TaskStatus } from "../../state/tasks.ts";

/** What the drawer at the side shows: a task, or a new one of a state. */
export type Opened = { readonly task: Task } | { readonly status: TaskStatus };

export interface TasksViewProps {
  readonly state: ListState;
  readonly filters: readonly Filter[];
  /** Absent where one may only look. */
  readonly create: { readonly label: string; readonly run: () => void } | undefined;
  readonly toolbar: ComponentChildren;
  readonly onOpen: (opened: Opened) => void;
}
