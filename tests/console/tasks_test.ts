// Tasks without their looks: the columns of the board, the keys that move between cards, and what is sent of a form.
import assert from "node:assert/strict";
import type { Task } from "../../client/mod.ts";
import {
  columnsOf,
  countsOf,
  eachOnce,
  statusBeside,
  taskBeside,
} from "../../console/pages/tasks/board_state.ts";
import { changesOf, valuesOf } from "../../console/pages/tasks/values.ts";
import { isOverdue } from "../../console/state/tasks.ts";

const task = (id: string, status: Task["status"]): Task => ({
  id,
  title: id,
  status,
  priority: "medium",
});

const TASKS = [
  task("a", "pending"),
  task("b", "pending"),
  task("c", "pending"),
  task("d", "done"),
  task("e", "done"),
];

const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id).join("");

Deno.test("the board shows what was moved first in its new column, before the server does", () => {
  const columns = columnsOf(TASKS, { b: "done", d: "in_progress" });
  assert.equal(ids(columns.pending), "ac");
  assert.equal(ids(columns.in_progress), "d");
  assert.equal(ids(columns.done), "be");
  assert.equal(columns.done[0]!.status, "done", "its menu offers what is left");
});

Deno.test("a move that the server shows already changes nothing", () => {
  assert.equal(ids(columnsOf(TASKS, { d: "done" }).done), "de");
});

Deno.test("a task that two answers have stands once on the board", () => {
  const tasks = eachOnce([...TASKS, task("a", "in_progress")]);
  assert.deepEqual(countsOf(tasks), { pending: 2, in_progress: 1, done: 2 });
});

const STEPS: [from: string, step: { across?: number; down?: number }, to: string | undefined][] = [
  ["a", { down: 1 }, "b"],
  ["a", { down: -1 }, undefined],
  ["c", { down: 1 }, undefined],
  ["a", { across: 1 }, "d"], // the column between has no tasks
  ["c", { across: 1 }, "e"], // the last of a shorter column
  ["e", { across: -1 }, "b"],
  ["a", { across: -1 }, undefined],
  ["gone", { down: 1 }, undefined],
];

for (const [from, step, to] of STEPS) {
  Deno.test(`the board, from ${from} by ${JSON.stringify(step)}: ${to ?? "nowhere"}`, () => {
    assert.equal(taskBeside(columnsOf(TASKS, {}), from, step)?.id, to);
  });
}

Deno.test("a task moves to the states beside its own, and not beyond the last", () => {
  assert.equal(statusBeside("pending", 1), "in_progress");
  assert.equal(statusBeside("pending", -1), undefined);
  assert.equal(statusBeside("done", 1), undefined);
});

Deno.test("only what differs of a task is sent, and what was emptied as null", () => {
  const before = valuesOf({
    ...task("a", "pending"),
    dueDate: "2026-11-22T10:00:00.000Z",
    assignee: { id: "u1", name: "Ada" },
  } as Task);
  assert.deepEqual(changesOf(before, before), {});
  assert.deepEqual(
    changesOf({ ...before, title: "b", dueDate: "", assignee: [] }, before),
    { title: "b", dueDate: null, assigneeId: null },
  );
});

Deno.test("a task is overdue after its end, unless it is done", () => {
  const dueDate = "2026-11-22T10:00:00.000Z";
  const at = Date.parse(dueDate);
  assert.equal(isOverdue({ status: "pending", dueDate }, at + 1), true);
  assert.equal(isOverdue({ status: "pending", dueDate }, at - 1), false);
  assert.equal(isOverdue({ status: "done", dueDate }, at + 1), false);
  assert.equal(isOverdue({ status: "pending" }, at), false);
});
