// Brings a database to the newest schema, under a lock and in one transaction.
import { sql } from "kysely";
import type { Connection, Dialect } from "./dialect.ts";
import * as engine from "./migrations/0001_engine.ts";
import * as people from "./migrations/0002_people.ts";
import * as content from "./migrations/0003_content.ts";
import * as activity from "./migrations/0004_activity.ts";
import * as snippets from "./migrations/0005_snippets.ts";
import * as verification from "./migrations/0007_verification.ts";
import * as idempotencyOutcomes from "./migrations/0008_idempotency_outcomes.ts";
import * as notes from "./migrations/0009_notes.ts";
import * as timeZones from "./migrations/0011_time_zones.ts";
import * as deletions from "./migrations/0012_deletions.ts";
import * as secondFactors from "./migrations/0013_second_factors.ts";
import * as sizes from "./migrations/0013_sizes.ts";
import * as apiKeys from "./migrations/0014_api_keys.ts";
import * as passkeys from "./migrations/0015_passkeys.ts";
import * as identities from "./migrations/0016_identities.ts";
import * as erasures from "./migrations/0017_erasures.ts";
import * as searchAndNameIndexes from "./migrations/0018_search_and_name_indexes.ts";
import * as webhooks from "./migrations/0019_webhooks.ts";
import * as trash from "./migrations/0020_trash.ts";
import * as auditChain from "./migrations/0023_audit_chain.ts";
import * as thumbnails from "./migrations/0025_thumbnails.ts";
import * as preferences from "./migrations/0026_preferences.ts";
import * as traces from "./migrations/0028_traces.ts";
import * as eventSpans from "./migrations/0030_event_spans.ts";
import * as hiddenMessages from "./migrations/0029_hidden_messages.ts";
import * as coveringIndexes from "./migrations/0031_covering_indexes.ts";

interface Migration {
  up(db: Connection, dialect: Dialect): Promise<void>;
}

/** In order. Only ever appended to: a migration that was released is never edited. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001_engine": engine,
  "0002_people": people,
  "0003_content": content,
  "0004_activity": activity,
  "0005_snippets": snippets,
  "0007_verification": verification,
  "0008_idempotency_outcomes": idempotencyOutcomes,
  "0009_notes": notes,
  "0011_time_zones": timeZones,
  "0012_deletions": deletions,
  "0013_second_factors": secondFactors,
  "0013_sizes": sizes,
  "0014_api_keys": apiKeys,
  "0015_passkeys": passkeys,
  "0016_identities": identities,
  "0017_erasures": erasures,
  "0018_search_and_name_indexes": searchAndNameIndexes,
  "0019_webhooks": webhooks,
  "0020_trash": trash,
  "0023_audit_chain": auditChain,
  "0025_thumbnails": thumbnails,
  "0026_preferences": preferences,
  "0028_traces": traces,
  "0029_hidden_messages": hiddenMessages,
  "0030_event_spans": eventSpans,
  "0031_covering_indexes": coveringIndexes,
};

/**
 * Applies what is missing. Processes that start at once wait for the first.
 *
 * @throws When the database was written by a newer version of the program.
 */
export async function migrate(db: Connection, dialect: Dialect): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await dialect.lockMigrations(tx);
    const text = sql.raw(dialect.columnType("text"));
    const timestamp = sql.raw(dialect.columnType("timestamp"));
    await sql`create table if not exists migrations (
      name ${text} not null primary key,
      applied_at ${timestamp} not null
    )`.execute(tx);
    const { rows } = await sql<{ name: string }>`select name from migrations order by name`
      .execute(tx);
    const applied = new Set(rows.map((row) => row.name));
    const names = Object.keys(migrations);
    const unknown = [...applied].filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      throw new Error(
        `Cannot open the database: a newer version of the program has changed it (${
          unknown.join(", ")
        }); this version knows migrations up to ${names.at(-1)}`,
      );
    }
    for (const [name, migration] of Object.entries(migrations)) {
      if (applied.has(name)) continue;
      await migration.up(tx, dialect);
      await sql`insert into migrations (name, applied_at)
        values (${name}, ${new Date().toISOString()})`.execute(tx);
    }
  });
}
