// The tasks as a board: a column for each state, cards moved by pointer, by keys or by their menus.
import { listTasks, type Task } from "../../../client/mod.ts";
import { Empty } from "../../parts/empty.tsx";
import { Button } from "../../parts/button.tsx";
import { ListTools } from "../../parts/list_tools.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type ListedKeys, useListedKeys } from "../../parts/use_listed_keys.ts";
import { number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { TASK_STATUSES, type TaskStatus, taskTexts } from "../../state/tasks.ts";
import { countsOf, eachOnce } from "./board_state.ts";
import { BoardColumn } from "./board_column.tsx";
import { texts } from "./texts.ts";
import { useCards } from "./use_cards.ts";
import type { TasksViewProps } from "./view.ts";

/** Cards a column; more stand in the list. */
const MOST = 100;

const KEYS: ListedKeys = [
  ["ArrowUp ArrowDown ArrowLeft ArrowRight", () => texts().shortcuts.go],
  ["Enter", () => texts().shortcuts.open],
];
const MOVING: ListedKeys[number] = [
  "shift+ArrowLeft shift+ArrowRight",
  () => texts().shortcuts.move,
];

interface Read {
  readonly tasks: readonly Task[];
  readonly totals: Readonly<Record<TaskStatus, number>>;
}

export function Board({ state, filters, create, toolbar, onOpen }: TasksViewProps) {
  const said = texts();
  // The columns say the state.
  const shown = filters.filter(({ id }) => id !== "status");
  const { status: _, ...asked } = state.filters;
  const query = { ...asked, ...(state.search ? { search: state.search } : {}) };
  const read = useQuery(["tasks", "board", query], (signal) => readBoard(query, signal));
  const changes = create !== undefined;
  const { place, columns, moveTo, onKey, onFocus } = useCards(read.data?.tasks, changes);
  useListedKeys(() => texts().board, changes ? [...KEYS, MOVING] : KEYS);

  return (
    <Page
      title={said.title}
      text={said.text}
      actions={create && (
        <Button kind="primary" icon="plus" onClick={create.run}>{create.label}</Button>
      )}
    >
      <ListTools state={state} filters={shown} search={said.search}>{toolbar}</ListTools>
      {read.error && (
        <Problem error={read.error} retry={read.refetch} compact={read.data !== undefined} />
      )}
      {read.data === undefined
        ? !read.error && <Bones />
        : read.data.tasks.length === 0 && !state.search && Object.keys(asked).length === 0
        ? <Empty icon="check" title={said.none} text={said.noneText} />
        : (
          <div class="board" ref={place}>
            <p class="unseen" id="board-keys">{said.keys}</p>
            {TASK_STATUSES.map((status) => (
              <BoardColumn
                key={status}
                status={status}
                tasks={columns[status]}
                more={read.data!.totals[status] - MOST}
                changes={changes}
                onKey={onKey}
                onFocus={onFocus}
                onOpen={onOpen}
                onMove={moveTo}
                taskOf={(id) => read.data!.tasks.find((one) => one.id === id)}
              />
            ))}
          </div>
        )}
      <p class="unseen" role="status">
        {TASK_STATUSES.map((status) =>
          said.column(taskTexts().statuses[status], number(columns[status].length))
        ).join("; ")}
      </p>
    </Page>
  );
}

/** One answer where it has all of them; else one of each column. */
async function readBoard(
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Read> {
  const read = (more: object) =>
    listTasks({ query: { ...query, ...more, limit: MOST } as never, signal });
  const { data, pagination } = await read({});
  if (pagination.total <= MOST) return { tasks: data, totals: countsOf(data) };
  const answers = await Promise.all(TASK_STATUSES.map((status) => read({ status: [status] })));
  const [pending, underWay, done] = answers.map(({ pagination }) => pagination.total);
  return {
    tasks: eachOnce(answers.flatMap(({ data }) => data)),
    totals: { pending: pending!, in_progress: underWay!, done: done! },
  };
}

function Bones() {
  return (
    <div class="board">
      {TASK_STATUSES.map((status) => (
        <div key={status} class="board-column">
          <Skeleton rows={4} />
        </div>
      ))}
    </div>
  );
}
