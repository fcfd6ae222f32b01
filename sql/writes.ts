// The statements of commits: their journal entries, then checks, removals, updates and inserts, in this order.
import { type CompiledQuery, sql } from "kysely";
import { admission } from "../core/admission.ts";
import { nextTurn } from "../core/delay.ts";
import { type Change, type Entity, UniqueConflict, VersionConflict } from "../storage/port.ts";
import type { Engine, Run } from "./engine.ts";
import { type Commit, writeEntries } from "./journal.ts";
import { steps, type Versioned } from "./steps.ts";
import { changedColumns, type Row, type Table, toRow } from "./tables.ts";

/** Records in one DELETE or one check. */
const BATCH = 500;
/** The most statements that are sent before their answers are waited for: making them must not hold up requests. */
const MAX_SENT = 100;

/** Milliseconds of making statements, or on SQLite of running them, after which others get their turn. */
const MAX_HELD = 5;
/** The same after which commits that go together step aside for a crowd: eight small ones take some 0.7. */
const MAX_HELD_IN_CROWD = 0.25;
/** How often they do within a transaction: it is not to be open for long, since others may wait to write. */
const MAX_ASIDES = 4;
/** Rows in one INSERT: making the statement takes some milliseconds. */
const INSERTED = 100;

type Update = Extract<Change, { kind: "update" }>;
type Check = Extract<Change, { kind: "check" }>;
interface Stored {
  readonly id: string;
  readonly rev: string;
}

/**
 * Writes the commits in an open transaction, one after the other, and gives back the place of each in the journal:
 * the version of what it wrote.
 */
export async function writeCommits(
  engine: Engine,
  run: Run,
  commits: readonly Commit[],
): Promise<readonly number[]> {
  const versions = await writeEntries(engine, run, commits);
  // Where memory lacks what is read, the crowd itself would wait for the transaction.
  const together = engine.hasRead() ? 1 : commits.length;
  await inOrder(statementsOf(engine, run, commits, versions), together);
  return versions;
}

/** Sends each statement as it is taken. */
function* statementsOf(
  engine: Engine,
  run: Run,
  commits: readonly Commit[],
  versions: readonly number[],
): Iterable<Promise<unknown>> {
  for (const changes of steps(engine, commits, versions)) yield* write(engine, run, changes);
  yield* count(engine, run, commits);
}

/**
 * Waits for statements, of which some are on their way at a time.
 *
 * @param commits How many commits step aside together for a crowd; one never does.
 * @throws The error of the first that failed.
 */
async function inOrder(statements: Iterable<Promise<unknown>>, commits: number): Promise<void> {
  let sent: Promise<unknown>[] = [];
  const answered = async () => {
    const results = await Promise.allSettled(sent);
    sent = [];
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };
  let since = performance.now(), asides = 0;
  try {
    for (const statement of statements) {
      // Thrown with the answers, which may come turns later: whoever answers is not to wait for the next statement.
      statement.catch(() => {});
      if (sent.push(statement) === MAX_SENT) await answered();
      const held = performance.now() - since;
      if (held > MAX_HELD) await nextTurn();
      else if (
        held > MAX_HELD_IN_CROWD && asides < MAX_ASIDES && admission.holdsUpCrowd(commits)
      ) {
        asides++;
        await admission.stepAside(commits);
      } else continue;
      since = performance.now();
    }
  } finally {
    await answered();
  }
}

function* write(
  engine: Engine,
  run: Run,
  changes: readonly Versioned[],
): Iterable<Promise<unknown>> {
  const writer = new Writer(engine, run);
  yield* check(engine, run, changes.filter((change) => change.kind === "check"));
  for (const [table, { removed, updated, inserted }] of byTable(engine, changes)) {
    yield* writer.remove(table, removed);
    for (const update of updated) yield writer.update(table, update);
    yield* writer.insert(table, inserted);
  }
}

/** Adds to the number of records of each table what the commits insert and remove. */
function* count(
  engine: Engine,
  run: Run,
  commits: readonly Commit[],
): Iterable<Promise<unknown>> {
  const deltas = growth(engine, commits.flatMap(({ changes }) => changes));
  if (deltas.size === 0) return;
  const rows = [...deltas].map(([table, delta]) => sql`(${table}, cast(${delta} as bigint))`);
  yield run(engine.statements.of(
    `counts ${rows.length}`,
    [...deltas].flat(),
    () =>
      sql`insert into counts (collection_table, "rows") values ${sql.join(rows)}
      on conflict (collection_table) do update set "rows" = counts."rows" + excluded."rows"`,
  ));
}

/**
 * Whether one of the records that the changes rely on has changed by now. A plan made from old records may break other
 * rules too, but what its caller has to know is that it must be made anew.
 */
export async function isStale(engine: Engine, changes: readonly Change[]): Promise<boolean> {
  const checks = changes.map((change): Check => {
    if (change.kind === "check") return change;
    const { collection } = change;
    if (change.kind === "insert") {
      return { kind: "check", collection, id: change.after.id, rev: null };
    }
    return { kind: "check", collection, id: change.before.id, rev: change.before.rev };
  });
  try {
    await inOrder(
      check(engine, async (query) => ({ rows: await engine.rows(query) }), checks),
      1,
    );
    return false;
  } catch (error) {
    if (error instanceof VersionConflict) return true;
    throw error;
  }
}

/** How many records each table gains or loses, by its name. */
function growth(engine: Engine, changes: readonly Change[]): Map<string, number> {
  const deltas = new Map<string, number>();
  for (const { kind, collection } of changes) {
    const delta = kind === "insert" ? 1 : kind === "remove" ? -1 : 0;
    const { name } = engine.tableOf(collection);
    if (delta !== 0) deltas.set(name, (deltas.get(name) ?? 0) + delta);
  }
  return deltas;
}

interface Group {
  readonly removed: Entity[];
  readonly updated: Versioned<Update>[];
  readonly inserted: Inserted[];
}

interface Inserted {
  readonly after: Entity;
  readonly version: number;
}

function byTable(engine: Engine, changes: readonly Versioned[]): Map<Table, Group> {
  const groups = new Map<Table, Group>();
  for (const change of changes) {
    if (change.kind === "check") continue;
    const table = engine.tableOf(change.collection);
    const group = groups.get(table) ?? { removed: [], updated: [], inserted: [] };
    groups.set(table, group);
    if (change.kind === "remove") group.removed.push(change.before);
    else if (change.kind === "insert") group.inserted.push(change);
    else group.updated.push(change);
  }
  for (const [table, group] of groups) replaceExchanged(table, group);
  return groups;
}

/** Updates that may exchange unique values become removals and inserts, since no order of updates avoids a conflict. */
function replaceExchanged(table: Table, group: Group): void {
  const exchanging = group.updated.filter(({ before, after }) => {
    const [old, fresh] = [before as unknown as Row, after as unknown as Row];
    return [...table.unique.values()].flat().some(({ field }) => old[field] !== fresh[field]);
  });
  if (exchanging.length < 2) return;
  for (const update of exchanging) {
    group.updated.splice(group.updated.indexOf(update), 1);
    group.removed.push(update.before);
    group.inserted.push(update);
  }
}

/** Statements that fail with a `VersionConflict` where a record is not at its version. */
function* check(
  engine: Engine,
  run: Run,
  checks: readonly Check[],
): Iterable<Promise<void>> {
  for (const batch of batches(checks, BATCH)) yield checkBatch(engine, run, batch);
}

async function checkBatch(
  engine: Engine,
  run: Run,
  batch: readonly Check[],
): Promise<void> {
  const { rows } = await run<{ collection: string; id: string; row_version: number }>(
    versionsOf(engine, batch),
  );
  const revs = new Map(
    rows.map((row) => [`${row.collection}/${row.id}`, String(row.row_version)]),
  );
  for (const { collection, id, rev } of batch) {
    if ((revs.get(`${collection}/${id}`) ?? null) !== rev) {
      throw new VersionConflict(collection, id);
    }
  }
}

/** Selects the versions of the records that are checked, which mostly are one of each collection. */
function versionsOf(engine: Engine, batch: readonly Check[]): CompiledQuery {
  const ids = new Map<string, Set<string>>();
  for (const { collection, id } of batch) {
    const some = ids.get(collection);
    if (some) some.add(id);
    else ids.set(collection, new Set([id]));
  }
  const make = () => {
    const selects = [...ids].map(([collection, some]) =>
      sql`select ${sql.lit(collection)} as collection, id, row_version
        from ${sql.table(engine.tableOf(collection).name)}
        where ${engine.dialect.oneOf(sql.ref("id"), "text", [...some])}`
    );
    return sql`${sql.join(selects, sql` union all `)}`;
  };
  const all = [...ids.values()].flatMap((some) => [...some]);
  if (all.length > ids.size) return engine.statements.compile(make());
  return engine.statements.of(`check ${[...ids.keys()]}`, all, make);
}

function batches<V>(values: readonly V[], size: number): readonly V[][] {
  const all: V[][] = [];
  for (let at = 0; at < values.length; at += size) all.push(values.slice(at, at + size));
  return all;
}

/** Statements are sent in the order in which they are asked for, before the answers of earlier ones. */
class Writer {
  constructor(readonly engine: Engine, readonly run: Run) {}

  /** @throws {VersionConflict} */
  *remove(table: Table, records: readonly Stored[]): Iterable<Promise<void>> {
    for (const batch of batches(records, BATCH)) yield this.#removeBatch(table, batch);
  }

  async #removeBatch(table: Table, batch: readonly Stored[]): Promise<void> {
    const stored = batch.map(({ id, rev }) => [id, versionOf(rev)]);
    const query = this.engine.statements.of(
      `remove ${table.name} ${stored.length}`,
      stored.flat(),
      () => {
        const rows = stored.map(([id, rev]) => sql`(${id}, cast(${rev} as bigint))`);
        return sql`delete from ${sql.table(table.name)}
          where (id, row_version) in (values ${sql.join(rows)}) returning id`;
      },
    );
    const { rows } = await this.run<{ id: string }>(query);
    if (rows.length === batch.length) return;
    const removed = new Set(rows.map((row) => row.id));
    const stale = batch.find(({ id }) => !removed.has(id)) ?? batch[0]!;
    throw new VersionConflict(table.declaration.name, stale.id);
  }

  /** @throws {VersionConflict} @throws {UniqueConflict} */
  async update(table: Table, { before, after, version }: Versioned<Update>): Promise<void> {
    const row = changedColumns(table, this.engine.dialect, before, after);
    const names = Object.keys(row), rev = versionOf(before.rev);
    const query = this.engine.statements.of(
      `update ${table.name} ${names}`,
      [...Object.values(row), version, before.id, rev],
      () => {
        const columns = names.map((name) => sql`${sql.ref(name)} = ${row[name]}, `);
        return sql`update ${sql.table(table.name)}
          set ${sql.join(columns, sql``)} row_version = ${version}
          where id = ${before.id} and row_version = ${rev}`;
      },
    );
    const { numAffectedRows } = await this.#unique(table, after.id, () => this.run(query));
    if (numAffectedRows !== 1n) throw new VersionConflict(table.declaration.name, before.id);
  }

  /** @throws {VersionConflict} There is a record with the id. @throws {UniqueConflict} */
  *insert(table: Table, records: readonly Inserted[]): Iterable<Promise<void>> {
    const most = Math.floor(this.engine.dialect.maxParameters / (table.columns.length + 2));
    const size = Math.min(most, INSERTED);
    for (const batch of batches(records, size)) yield this.#insertBatch(table, batch);
  }

  async #insertBatch(table: Table, batch: readonly Inserted[]): Promise<void> {
    const rows = batch.map(({ after, version }): Row => ({
      ...toRow(table, this.engine.dialect, after),
      row_version: version,
    }));
    const query = this.engine.statements.of(
      `insert ${table.name} ${rows.length}`,
      rows.flatMap((row) => Object.values(row)),
      () => {
        const names = Object.keys(rows[0]!).map((name) => sql.ref(name));
        const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
        return sql`insert into ${sql.table(table.name)} (${sql.join(names)})
          values ${sql.join(values)}`;
      },
    );
    await this.#unique(table, batch[0]!.after.id, () => this.run(query));
  }

  /** @param id Named when a record with the id is already there. */
  async #unique<R>(table: Table, id: string, run: () => Promise<R>): Promise<R> {
    try {
      return await run();
    } catch (error) {
      const failure = this.engine.dialect.classify(error);
      if (failure.kind !== "unique") throw error;
      const key = uniqueKeyOf(table, failure);
      const { name } = table.declaration;
      throw key === null ? new VersionConflict(name, id) : new UniqueConflict(name, key);
    }
  }
}

/** The declared name of the violated key; null for the id. */
function uniqueKeyOf(
  table: Table,
  { constraint, columns }: { constraint?: string; columns?: readonly string[] },
): string | null {
  for (const [key, of] of table.unique) {
    if (constraint === `${table.name}_${key}_key`) return key;
    if (columns && columns.join() === of.map(({ name }) => name).join()) return key;
  }
  return null;
}

/** Versions are numbers; what is none was never one of ours, and no record has it. */
function versionOf(rev: string): number {
  return /^\d{1,15}$/.test(rev) ? Number(rev) : -1;
}
