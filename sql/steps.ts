// Which commits of a transaction are written together: in a row, none of which depends on what another one of them writes.
// Their rows share statements, and what all of them rely on is checked by one.
import type { Change, Entity } from "../storage/port.ts";
import type { Engine } from "./engine.ts";
import type { Commit } from "./journal.ts";

type TableOf = Pick<Engine, "tableOf">;

/** A change with the version of its commit. */
export type Versioned<C extends Change = Change> = C & { readonly version: number };

/**
 * The changes of commits, a step after the other. The checks of a step are made before its writes, and its writes in an
 * order of their own.
 */
export function* steps(
  engine: TableOf,
  commits: readonly Pick<Commit, "changes">[],
  versions: readonly number[],
): Iterable<readonly Versioned[]> {
  if (commits.length === 1) {
    // A large one is always alone, and to collect what it writes would hold the event loop.
    yield versioned(commits[0]!.changes, versions[0]!);
    return;
  }
  let step: Versioned[] = [];
  let written = new Set<string>();
  let open = false;
  for (const [index, { changes }] of commits.entries()) {
    const plain = changes.every((change) => isPlain(engine, change));
    if (!(plain && open && !changes.some((change) => written.has(recordOf(change))))) {
      if (step.length > 0) yield step;
      step = [];
      written = new Set();
    }
    step.push(...versioned(changes, versions[index]!));
    for (const change of changes) if (change.kind !== "check") written.add(recordOf(change));
    open = plain;
  }
  yield step;
}

function versioned(changes: readonly Change[], version: number): Versioned[] {
  return changes.map((change) => ({ ...change, version }));
}

/** Whether it gives up no record and no unique value: another commit may rely on these, or wait for them. */
function isPlain(engine: TableOf, change: Change): boolean {
  if (change.kind !== "update") return change.kind !== "remove";
  const before = change.before as Entity & Readonly<Record<string, unknown>>;
  const after = change.after as Entity & Readonly<Record<string, unknown>>;
  return [...engine.tableOf(change.collection).unique.values()].flat()
    .every(({ field }) => before[field] === after[field]);
}

function recordOf(change: Change): string {
  const { collection, kind } = change;
  const id = kind === "check" ? change.id : kind === "remove" ? change.before.id : change.after.id;
  return `${collection}/${id}`;
}
