// The statements of one commit: its journal entry, its checks, and its removals, updates and inserts, in this order.
import { sql, type Transaction } from "kysely";
import { type Actor, type Change, type Entity, UniqueConflict, VersionConflict } from "../store.ts";
import type { Connection, Database } from "./dialect.ts";
import type { Engine } from "./engine.ts";
import { changedColumns, type Kind, type Row, type Table, toRow } from "./tables.ts";

/** Records in one DELETE or one check. */
const BATCH = 500;

type Update = Extract<Change, { kind: "update" }>;
type Check = Extract<Change, { kind: "check" }>;
interface Stored {
  readonly id: string;
  readonly rev: string;
}

/** Writes the changes in an open transaction, and gives back the commit's place in the journal: the version of what it wrote. */
export async function writeCommit(
  engine: Engine,
  tx: Transaction<Database>,
  changes: readonly Change[],
  actor: Actor,
): Promise<number> {
  const version = await journal(engine, tx, changes, actor);
  const writer = new Writer(engine, tx, version);
  await check(engine, tx, changes.filter((change) => change.kind === "check"));
  for (const [table, group] of byTable(engine, changes)) {
    const { removed, inserted, updated } = group;
    await writer.remove(table, removed);
    for (const { before, after } of updated) await writer.update(table, before, after);
    await writer.insert(table, inserted);
  }
  return version;
}

/**
 * Whether one of the records that the changes stand on has changed by now: a plan on old records may break
 * other rules too, and that it is to be made anew is what its maker has to know.
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
    await check(engine, engine.db, checks);
    return false;
  } catch (error) {
    if (error instanceof VersionConflict) return true;
    throw error;
  }
}

/** How many records each table gains or loses, by its name. */
export function growth(engine: Engine, changes: readonly Change[]): Map<string, number> {
  const deltas = new Map<string, number>();
  for (const { kind, collection } of changes) {
    const delta = kind === "insert" ? 1 : kind === "remove" ? -1 : 0;
    const { name } = engine.tableOf(collection);
    if (delta !== 0) deltas.set(name, (deltas.get(name) ?? 0) + delta);
  }
  return deltas;
}

async function journal(
  engine: Engine,
  tx: Transaction<Database>,
  changes: readonly Change[],
  actor: Actor,
): Promise<number> {
  const entries = changes.flatMap((change) =>
    change.kind === "check" ? [] : [{
      collection: change.collection,
      id: change.kind === "remove" ? change.before.id : change.after.id,
      op: change.kind,
    }]
  );
  const { dialect, origin } = engine;
  const typed = (kind: Kind, value: unknown) =>
    sql`cast(${value} as ${sql.raw(dialect.columnType(kind))})`;
  const { rows } = await sql<{ seq: number }>`
    insert into journal (at, actor_id, ip, request_id, origin, changes)
    select ${typed("timestamp", engine.clock().toISOString())}, ${actor.userId},
      ${actor.ip ?? null}, ${actor.requestId ?? null}, ${origin},
      ${typed("list", JSON.stringify(entries))} ${dialect.commitLock}
    returning seq, ${dialect.announcement(origin)} as announced`.execute(tx);
  return rows[0]!.seq;
}

interface Group {
  readonly removed: Entity[];
  readonly updated: Update[];
  readonly inserted: Entity[];
}

function byTable(engine: Engine, changes: readonly Change[]): Map<Table, Group> {
  const groups = new Map<Table, Group>();
  for (const change of changes) {
    if (change.kind === "check") continue;
    const table = engine.tableOf(change.collection);
    const group = groups.get(table) ?? { removed: [], updated: [], inserted: [] };
    groups.set(table, group);
    if (change.kind === "remove") group.removed.push(change.before);
    else if (change.kind === "insert") group.inserted.push(change.after);
    else group.updated.push(change);
  }
  for (const [table, group] of groups) replaceExchanged(table, group);
  return groups;
}

/** Updates that may hand unique values to each other are written as removal and insert: no order of updates would do. */
function replaceExchanged(table: Table, group: Group): void {
  const exchanging = group.updated.filter(({ before, after }) => {
    const [old, fresh] = [before as unknown as Row, after as unknown as Row];
    return [...table.unique.values()].flat().some(({ field }) => old[field] !== fresh[field]);
  });
  if (exchanging.length < 2) return;
  for (const update of exchanging) {
    group.updated.splice(group.updated.indexOf(update), 1);
    group.removed.push(update.before);
    group.inserted.push(update.after);
  }
}

/** @throws {VersionConflict} */
async function check(
  engine: Engine,
  db: Connection,
  checks: readonly Check[],
): Promise<void> {
  for (let at = 0; at < checks.length; at += BATCH) {
    const batch = checks.slice(at, at + BATCH);
    const ids = Map.groupBy(batch, ({ collection }) => collection);
    const selects = [...ids].map(([collection, some]) => {
      const { name } = engine.tableOf(collection);
      const wanted = engine.dialect.oneOf(sql.ref("id"), "text", some.map(({ id }) => id));
      return sql`select ${sql.lit(collection)} as collection, id, row_version
        from ${sql.table(name)} where ${wanted}`;
    });
    const { rows } = await sql<{ collection: string; id: string; row_version: number }>`${
      sql.join(selects, sql` union all `)
    }`.execute(db);
    const revs = new Map(
      rows.map((row) => [`${row.collection}/${row.id}`, String(row.row_version)]),
    );
    for (const { collection, id, rev } of batch) {
      if ((revs.get(`${collection}/${id}`) ?? null) !== rev) {
        throw new VersionConflict(collection, id);
      }
    }
  }
}

class Writer {
  constructor(
    readonly engine: Engine,
    readonly tx: Transaction<Database>,
    readonly version: number,
  ) {}

  /** @throws {VersionConflict} */
  async remove(table: Table, records: readonly Stored[]): Promise<void> {
    for (let at = 0; at < records.length; at += BATCH) {
      const batch = records.slice(at, at + BATCH);
      const stored = batch.map(({ id, rev }) => sql`(${id}, cast(${versionOf(rev)} as bigint))`);
      const { rows } = await sql<{ id: string }>`delete from ${sql.table(table.name)}
        where (id, row_version) in (values ${sql.join(stored)}) returning id`.execute(this.tx);
      if (rows.length === batch.length) continue;
      const removed = new Set(rows.map((row) => row.id));
      const stale = batch.find(({ id }) => !removed.has(id)) ?? batch[0]!;
      throw new VersionConflict(table.declaration.name, stale.id);
    }
  }

  /** @throws {VersionConflict} @throws {UniqueConflict} */
  async update(table: Table, before: Entity, after: Entity): Promise<void> {
    const row = changedColumns(table, this.engine.dialect, before, after);
    const columns = Object.entries(row).map(([name, value]) => sql`${sql.ref(name)} = ${value}, `);
    const query = sql`update ${sql.table(table.name)}
      set ${sql.join(columns, sql``)} row_version = ${this.version}
      where id = ${before.id} and row_version = ${versionOf(before.rev)}`;
    const { numAffectedRows } = await this.#unique(table, after.id, () => query.execute(this.tx));
    if (numAffectedRows !== 1n) throw new VersionConflict(table.declaration.name, before.id);
  }

  /** @throws {VersionConflict} There is a record with the id. @throws {UniqueConflict} */
  async insert(table: Table, records: readonly Entity[]): Promise<void> {
    if (records.length === 0) return;
    const size = Math.floor(this.engine.dialect.maxParameters / (table.columns.length + 2));
    for (let at = 0; at < records.length; at += size) {
      const rows = records.slice(at, at + size).map((record): Row => ({
        ...toRow(table, this.engine.dialect, record),
        row_version: this.version,
      }));
      const names = Object.keys(rows[0]!).map((name) => sql.ref(name));
      const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
      const query = sql`insert into ${sql.table(table.name)} (${sql.join(names)})
        values ${sql.join(values)}`;
      await this.#unique(table, records[at]!.id, () => query.execute(this.tx));
    }
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
