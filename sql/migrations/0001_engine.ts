// The engine's own tables: the journal, row counts, and the bytes of files.
import type { Connection, Dialect } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  const text = dialect.columnType("text");
  const integer = dialect.columnType("integer");
  const timestamp = dialect.columnType("timestamp");
  await run(
    db,
    `create table "journal" (
      "seq" ${dialect.journalKey},
      "at" ${timestamp} not null,
      "actor_id" ${text},
      "ip" ${text},
      "request_id" ${text},
      "origin" ${text} not null,
      "changes" ${dialect.columnType("list")} not null
    )`,
  );
  await run(db, `create index "journal_at_idx" on "journal" ("at")`);
  await run(
    db,
    `create table "counts" ("collection_table" ${text} not null primary key, "rows" ${integer} not null)`,
  );
  await run(
    db,
    `create table "blobs" (
      "id" ${text} not null primary key,
      "put_at" ${timestamp} not null,
      "size" ${integer},
      "sha256" ${text}
    )`,
  );
  await run(
    db,
    `create table "blob_chunks" (
      "blob_id" ${text} not null references "blobs" ("id") on delete cascade,
      "n" ${integer} not null,
      "bytes" ${dialect.columnType("bytes")} not null,
      primary key ("blob_id", "n")
    )`,
  );
  // Bytes of files rarely compress, and ranges of uncompressed values are read without the rest.
  if (dialect.name === "postgres") {
    await run(db, `alter table "blob_chunks" alter column "bytes" set storage external`);
  }
}
