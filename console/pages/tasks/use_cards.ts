// The cards of the board: moved before the server has answered, gone through by keys, and which one has the focus.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Task } from "../../../client/mod.ts";
import { moveTask } from "../../parts/move_task.ts";
import type { TaskStatus } from "../../state/tasks.ts";
import { columnsOf, type Moves, statusBeside, taskBeside } from "./board_state.ts";

/**
 * @param tasks Undefined as long as they are read.
 * @param changes Whether one may move them.
 */
export function useCards(tasks: readonly Task[] | undefined, changes: boolean) {
  const [moves, setMoves] = useState<Moves>({});
  const place = useRef<HTMLDivElement>(null);
  const columns = columnsOf(tasks ?? [], moves);

  // A card that is deleted leaves the focus to one beside it.
  const focused = useRef<{ readonly id: string; readonly beside: string | undefined } | null>(null);
  useEffect(() => {
    const { id, beside } = focused.current ?? {};
    const gone = id !== undefined && !tasks?.some((one) => one.id === id);
    if (!gone || document.activeElement !== document.body) return;
    focused.current = null;
    if (beside) focus(beside);
  }, [tasks]);
  const onFocus = (task: Task) => {
    const step = (down: number) => taskBeside(columns, task.id, { down })?.id;
    focused.current = { id: task.id, beside: step(1) ?? step(-1) };
  };

  const focus = (id: string) =>
    requestAnimationFrame(() =>
      place.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`)?.focus()
    );
  const moveTo = async (task: Task, status: TaskStatus, focused = false) => {
    if (task.status === status) return;
    setMoves((before) => ({ ...before, [task.id]: status }));
    if (focused) focus(task.id);
    await moveTask(task, status);
    setMoves(({ [task.id]: _, ...others }) => others);
    if (focused && document.activeElement === document.body) focus(task.id);
  };
  const onKey = (event: KeyboardEvent, task: Task) => {
    const rtl = document.documentElement.dir === "rtl";
    const across = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key] ?? 0;
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if ((across === 0 && down === 0) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.shiftKey) {
      const status = across !== 0 && changes ? statusBeside(task.status, across) : undefined;
      if (status) void moveTo(task, status, true);
      return;
    }
    const next = taskBeside(columns, task.id, { across, down });
    if (next) focus(next.id);
  };

  return { place, columns, moveTo, onKey, onFocus };
}
