// On Postgres, the texts that searches look into have their accents composed, as what is searched has.
import { sql } from "kysely";
import type { Connection, Dialect } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  // On SQLite lists and searches are answered from memory.
  if (dialect.name !== "postgres") return;
  // `normalize` is there from 13 on, for UTF-8 alone. In other encodings there are hardly accents that stand apart.
  const { rows } = await sql<{ table: string }>`
    select table_name as "table" from information_schema.columns
    where table_schema = current_schema() and column_name = 'search_text'
      and current_setting('server_encoding') = 'UTF8'
      and current_setting('server_version_num')::int >= 130000`.execute(db);
  const statements = rows.map(({ table }) =>
    `update "${table}" set search_text = normalize(search_text)
      where search_text is not nfc normalized`
  );
  if (statements.length > 0) await run(db, statements.join(";\n"));
}
