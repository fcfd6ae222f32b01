// The entries of commits in the journal.
import { sql } from "kysely";
import { atOnce, slices, type Work } from "../core/slices.ts";
import type { Actor, Change, JournalEntry } from "../storage/port.ts";
import { journalled } from "../storage/traits.ts";
import type { Engine, Run } from "./engine.ts";
import type { Kind } from "./tables.ts";

/** Changes between two places where an entry may be interrupted. */
const PIECE = 100;

/** What is written as one, and by whom. */
export interface Commit {
  readonly changes: readonly Change[];
  readonly actor: Actor;
}

/** Writes an entry for each of the commits, in their order. @returns The place of each in the journal. */
export async function writeEntries(
  engine: Engine,
  run: Run,
  commits: readonly Commit[],
): Promise<number[]> {
  const { dialect, origin, clock } = engine;
  // A cast takes the type alone, without its collation.
  const typed = (kind: Kind, value: unknown) =>
    sql`cast(${value} as ${sql.raw(dialect.columnType(kind).replace(/ collate .*/, ""))})`;
  const at = clock().toISOString();
  const isLarge = commits.length === 1 && commits[0]!.changes.length > PIECE;
  const lists = commits.map(({ changes }) => changedText(engine, changes));
  const texts = isLarge ? [await slices.run(lists[0]!)] : lists.map(atOnce);
  const entries = commits.map(({ actor }, index): [Kind, unknown][] => [
    ["integer", index],
    ["timestamp", at],
    ["text", actor.userId],
    ["text", actor.ip ?? null],
    ["text", actor.requestId ?? null],
    ["text", actor.traceparent ?? null],
    ["list", texts[index]],
  ]);
  const values = entries.flatMap((entry) => entry.map(([, value]) => value));
  const query = engine.statements.of(
    `journal ${origin} ${entries.length}`,
    [...values, origin],
    () => {
      const rows = entries.map((entry) =>
        sql`(${sql.join(entry.map(([kind, value]) => typed(kind, value)))})`
      );
      return sql`
        with entry (n, at, actor_id, ip, request_id, traceparent, changes) as (values ${
        sql.join(rows)
      })
        insert into journal (at, actor_id, ip, request_id, traceparent, origin, changes)
        select at, actor_id, ip, request_id, traceparent, ${typed("text", origin)}, changes
        from entry ${dialect.commitLock} order by n
        returning seq, ${dialect.announcement(origin)} as announced`;
    },
  );
  const { rows } = await run<{ seq: number }>(query);
  return rows.map(({ seq }) => seq).sort((a, b) => a - b);
}

/** The changes in the form in which the journal lists them, as JSON. */
function* changedText(engine: Engine, changes: readonly Change[]): Work<string> {
  const texts: string[] = [];
  for (let from = 0; from < changes.length; from += PIECE) {
    if (from > 0) yield;
    const some = changed(engine, changes.slice(from, from + PIECE));
    if (some.length > 0) texts.push(JSON.stringify(some).slice(1, -1));
  }
  return `[${texts.join()}]`;
}

function changed(engine: Engine, changes: readonly Change[]): JournalEntry["changes"] {
  return changes.flatMap((change) =>
    change.kind === "check" ? [] : journalled(engine.tableOf(change.collection).declaration, change)
  );
}
