// Messages that participants have deleted for themselves; of those before, the receipts that are missing tell.
import type { Connection, Dialect } from "../dialect.ts";
import { createTable, run, text } from "./ddl.ts";

const TABLE = "hidden_messages";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await createTable(db, dialect, TABLE, {
    columns: { message_id: text, conversation_id: text, user_id: text },
    references: { message_id: "messages", conversation_id: "conversations", user_id: "users" },
    indexes: ["message_id", "conversation_id", "user_id"]
      .map((column) => [column, "created_at", "id"]).concat([["created_at", "id"]]),
  });
  await run(
    db,
    `insert into "${TABLE}"
      (id, created_at, updated_at, row_version, message_id, conversation_id, user_id)
    select m.id || ':' || p.user_id, m.created_at, m.created_at,
      coalesce((select max(seq) from journal), 0), m.id, m.conversation_id, p.user_id
    from messages m join participants p on p.conversation_id = m.conversation_id
    where not exists (
      select 1 from receipts r where r.message_id = m.id and r.user_id = p.user_id
    )`,
  );
  await run(
    db,
    `update "counts" set "rows" = (select count(*) from "${TABLE}")
      where "collection_table" = '${TABLE}'`,
  );
}
