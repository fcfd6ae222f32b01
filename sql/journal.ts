// The entries of commits in the journal.
import { sql } from "kysely";
import type { Actor, Change, JournalEntry } from "../storage/port.ts";
import { journalled } from "../storage/traits.ts";
import type { Engine, Run } from "./engine.ts";
import type { Kind } from "./tables.ts";

/** What is written as one, and by whom. */
export interface Commit {
  readonly changes: readonly Change[];
  readonly actor: Actor;
}

/** Of what is written of an entry. */
const KINDS: readonly Kind[] = [
  "integer",
  "timestamp",
  "text",
  "text",
  "text",
  "text",
  "list",
];

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
  const entries = commits.map(({ changes, actor }, index) => [
    index,
    at,
    actor.userId,
    actor.ip ?? null,
    actor.requestId ?? null,
    actor.traceparent ?? null,
    JSON.stringify(changed(engine, changes)),
  ]);
  const make = () =>
    sql`
    with entry (n, at, actor_id, ip, request_id, traceparent, changes) as (values ${
      sql.join(
        entries.map((values) =>
          sql`(${sql.join(values.map((value, n) => typed(KINDS[n]!, value)))})`
        ),
      )
    })
    insert into journal (at, actor_id, ip, request_id, traceparent, origin, changes)
    select at, actor_id, ip, request_id, traceparent, ${typed("text", origin)}, changes
    from entry ${dialect.commitLock} order by n
    returning seq, ${dialect.announcement(origin)} as announced`;
  const shape = `journal ${origin} ${entries.length}`;
  const query = engine.statements.of(shape, [...entries.flat(), origin], make);
  const { rows } = await run<{ seq: number }>(query);
  return rows.map(({ seq }) => seq).sort((a, b) => a - b);
}

/** The changes in the form in which the journal lists them. */
function changed(engine: Engine, changes: readonly Change[]): JournalEntry["changes"] {
  return changes.flatMap((change) =>
    change.kind === "check" ? [] : journalled(engine.tableOf(change.collection).declaration, change)
  );
}
