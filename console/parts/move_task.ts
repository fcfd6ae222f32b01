// Giving a task another state, wherever it is shown.
import { getTask, type Task, updateTask, versioned } from "../../client/mod.ts";
import { queries, refresh } from "../state/query.ts";
import { type TaskStatus, taskTexts } from "../state/tasks.ts";
import { toast } from "../state/toasts.ts";
import { changeShown } from "./change_shown.ts";
import { texts } from "./texts.ts";
import type { Versioned } from "./use_versioned_form.ts";

export async function readTask(id: string, signal?: AbortSignal): Promise<Versioned<Task>> {
  const answer = getTask({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Task, etag };
}

/**
 * Gives a task another state, and offers the way back. Ends when the new state has been read again.
 *
 * @param task As it is shown.
 */
export async function moveTask(
  { id, title, status: before }: Pick<Task, "id" | "title" | "status">,
  status: TaskStatus,
): Promise<void> {
  try {
    const moved = await changeShown({
      read: () => readTask(id),
      // Where somebody else was faster with the same, there is nothing to ask.
      isAsShown: (task) => task.status === before || task.status === status,
      valueOf: (task) => taskTexts().statuses[task.status],
      save: (etag) => updateTask({ path: { id }, body: { status }, headers: { "If-Match": etag } }),
    });
    if (moved) {
      toast({
        text: taskTexts().moved(title, taskTexts().statuses[status]),
        action: {
          label: texts().list.undo,
          run: () => void moveTask({ id, title, status }, before),
        },
      });
    }
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
  }
  refresh("dashboard");
  await queries.invalidateQueries({ queryKey: ["tasks"] });
}
