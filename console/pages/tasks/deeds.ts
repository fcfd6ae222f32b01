// What is done to tasks from the list and the board.
import { deleteTask, getTask, type Task, updateTask, versioned } from "../../../client/mod.ts";
import { changeShown } from "../../parts/change_shown.ts";
import type { Versioned } from "../../parts/conflict.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { queries, refresh } from "../../state/query.ts";
import { type TaskStatus, taskTexts } from "../../state/tasks.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** Requests at a time, where many tasks are changed. */
const AT_A_TIME = 4;

export async function readTask(id: string, signal?: AbortSignal): Promise<Versioned<Task>> {
  const answer = getTask({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Task, etag };
}

/** Gives a task another state, and offers the way back. Ends when the new state has been read again. */
export async function move(
  { id, title, status: before }: Pick<Task, "id" | "title" | "status">,
  status: TaskStatus,
): Promise<void> {
  try {
    const moved = await changeShown({
      read: () => readTask(id),
      isAsShown: (task) => task.status === before,
      valueOf: (task) => taskTexts().statuses[task.status],
      save: (etag) => updateTask({ path: { id }, body: { status }, headers: { "If-Match": etag } }),
    });
    if (moved) {
      toast({
        text: taskTexts().moved(title, taskTexts().statuses[status]),
        action: { label: texts().undo, run: () => void move({ id, title, status }, before) },
      });
    }
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
  }
  refresh("dashboard");
  await queries.invalidateQueries({ queryKey: ["tasks"] });
}

/** Gives many a state. */
export async function moveAll(ids: readonly string[], status: TaskStatus): Promise<void> {
  const done = await each(ids, (id) => updateTask({ path: { id }, body: { status } }));
  if (done > 0) toast({ text: texts().changed(done) });
}

/** Asks, then deletes. @returns Whether the answer was yes. */
export async function remove(tasks: readonly Pick<Task, "id" | "title">[]): Promise<boolean> {
  const said = texts();
  const [first] = tasks;
  const sure = await confirm({
    title: tasks.length === 1 ? said.deleteTitle(first!.title) : said.deleteMany(tasks.length),
    text: said.deleteText,
    action: said.delete,
    danger: true,
  });
  if (!sure) return false;
  const done = await each(tasks.map(({ id }) => id), (id) => deleteTask({ path: { id } }));
  if (done > 0) toast({ text: texts().deleted(done) });
  return true;
}

/** @returns For how many it worked; of the others is told. */
async function each(
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
): Promise<number> {
  const failures: Error[] = [];
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await work(id).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  if (failures.length > 0) {
    toast({ kind: "error", text: texts().failed(failures.length, failures[0]!.message) });
  }
  refresh("tasks", "dashboard");
  return ids.length - failures.length;
}
