// Brings a database to the newest schema, under a lock and in one transaction.
import { sql, type Transaction } from "kysely";
import type { Connection, Database, Dialect } from "./dialect.ts";

interface Migration {
  up(db: Connection, dialect: Dialect): Promise<void>;
}

/**
 * In order. Only ever appended to: a migration that was released is never edited. They are loaded where they are missing:
 * most starts need none.
 */
export const migrations: Readonly<Record<string, () => Promise<Migration>>> = {
  "0001_engine": () => import("./migrations/0001_engine.ts"),
  "0002_people": () => import("./migrations/0002_people.ts"),
  "0003_content": () => import("./migrations/0003_content.ts"),
  "0004_activity": () => import("./migrations/0004_activity.ts"),
  "0005_snippets": () => import("./migrations/0005_snippets.ts"),
  "0007_verification": () => import("./migrations/0007_verification.ts"),
  "0008_idempotency_outcomes": () => import("./migrations/0008_idempotency_outcomes.ts"),
  "0009_notes": () => import("./migrations/0009_notes.ts"),
  "0011_time_zones": () => import("./migrations/0011_time_zones.ts"),
  "0012_deletions": () => import("./migrations/0012_deletions.ts"),
  "0013_second_factors": () => import("./migrations/0013_second_factors.ts"),
  "0013_sizes": () => import("./migrations/0013_sizes.ts"),
  "0014_api_keys": () => import("./migrations/0014_api_keys.ts"),
  "0015_passkeys": () => import("./migrations/0015_passkeys.ts"),
  "0016_identities": () => import("./migrations/0016_identities.ts"),
  "0017_erasures": () => import("./migrations/0017_erasures.ts"),
  "0018_search_and_name_indexes": () => import("./migrations/0018_search_and_name_indexes.ts"),
  "0019_webhooks": () => import("./migrations/0019_webhooks.ts"),
  "0020_trash": () => import("./migrations/0020_trash.ts"),
  "0023_audit_chain": () => import("./migrations/0023_audit_chain.ts"),
  "0025_thumbnails": () => import("./migrations/0025_thumbnails.ts"),
  "0026_preferences": () => import("./migrations/0026_preferences.ts"),
  "0028_traces": () => import("./migrations/0028_traces.ts"),
  "0029_hidden_messages": () => import("./migrations/0029_hidden_messages.ts"),
  "0030_event_spans": () => import("./migrations/0030_event_spans.ts"),
  "0031_covering_indexes": () => import("./migrations/0031_covering_indexes.ts"),
  "0032_fewer_sqlite_indexes": () => import("./migrations/0032_fewer_sqlite_indexes.ts"),
  "0033_proven_keys": () => import("./migrations/0033_proven_keys.ts"),
  "0034_composed_search": () => import("./migrations/0034_composed_search.ts"),
  "0035_deleted_unread": () => import("./migrations/0035_deleted_unread.ts"),
};

/**
 * Applies what is missing. Processes that start at once wait for the first.
 *
 * @throws When the database was written by a newer version of the program, or has tables of another program under names
 * of its own.
 */
export async function migrate(db: Connection, dialect: Dialect): Promise<void> {
  const progress = { begun: false };
  try {
    await db.transaction().execute((tx) => applyMissing(tx, dialect, progress));
  } catch (error) {
    throw !progress.begun && isOfOthers(error) ? tablesOfOthers((error as Error).message) : error;
  }
}

async function applyMissing(
  tx: Transaction<Database>,
  dialect: Dialect,
  progress: { begun: boolean },
): Promise<void> {
  const names = Object.keys(migrations);
  const applied = await appliedIn(tx, dialect);
  const [any] = applied;
  progress.begun = applied.has(names[0]!);
  if (any !== undefined && !progress.begun) throw tablesOfOthers(`migrations holds ${any}`);
  const unknown = [...applied].filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `Cannot open the database: a newer version of the program has changed it (${
        unknown.join(", ")
      }); this version knows migrations up to ${names.at(-1)}`,
    );
  }
  const missing = names.filter((name) => !applied.has(name));
  const loaded = await Promise.all(missing.map((name) => migrations[name]!()));
  for (const [n, name] of missing.entries()) {
    await loaded[n]!.up(tx, dialect);
    await sql`insert into migrations (name, applied_at)
      values (${name}, ${new Date().toISOString()})`.execute(tx);
  }
}

/** Names of the migrations that were applied. */
async function appliedIn(
  tx: Transaction<Database>,
  dialect: Dialect,
): Promise<ReadonlySet<string>> {
  await dialect.lockMigrations(tx);
  const text = sql.raw(dialect.columnType("text"));
  const timestamp = sql.raw(dialect.columnType("timestamp"));
  await sql`create table if not exists migrations (
    name ${text} not null primary key,
    applied_at ${timestamp} not null
  )`.execute(tx);
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`
    .execute(tx);
  return new Set(rows.map((row) => row.name));
}

/** Whether a table was there before its migration, or lacks a column that its migration gives it. */
function isOfOthers(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  return ["42P07", "42703"].includes(code) || /already exists|no such column/.test(message);
}

function tablesOfOthers(found: string): Error {
  return new Error(
    `Cannot open the database: it has tables of another program (${found}): name a database of its own`,
  );
}
