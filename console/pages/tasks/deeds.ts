// What is done to many tasks of the list, and what is deleted from it and from the board.
import { deleteTask, type Task, updateTask } from "../../../client/mod.ts";
import { confirm } from "../../parts/dialog.tsx";
import { refresh } from "../../state/query.ts";
import type { TaskStatus } from "../../state/tasks.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** Requests at a time, where many tasks are changed. */
const AT_A_TIME = 4;

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
