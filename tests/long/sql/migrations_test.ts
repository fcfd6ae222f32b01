// The schema that migrations make: it is what the declarations ask for, and it is made once, whoever starts.
import assert from "node:assert/strict";
import { CompiledQuery } from "kysely";
import pg from "pg";
import { variants } from "../../../config/variants.ts";
import { allCollections } from "../../../models/all.ts";
import {
  conversations,
  hiddenMessages,
  messages,
  participants,
  receipts,
} from "../../../models/messages.ts";
import { users } from "../../../models/users.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { migrations } from "../../../sql/migrate.ts";
import { addPerson } from "../../storage/people.ts";
import { neededIndexes, neededReferences, tablesOf } from "../../sql/schema.ts";
import { openSqlStore } from "../../../sql/store.ts";
import type { Kind, Table } from "../../../sql/tables.ts";
import { eachEngine, postgresDatabase, sqliteFile } from "../../sql/databases.ts";
import { openDatabase, type Query } from "../../sql/queries.ts";

const POSTGRES_TYPES: Readonly<Record<Kind, string>> = {
  text: "text",
  timestamp: "timestamp with time zone",
  date: "date",
  boolean: "boolean",
  integer: "bigint",
  double: "double precision",
  list: "jsonb",
};
const SQLITE_TYPES: Readonly<Record<Kind, string>> = {
  text: "TEXT",
  timestamp: "TEXT",
  date: "TEXT",
  boolean: "INTEGER",
  integer: "INTEGER",
  double: "REAL",
  list: "TEXT",
};

/** Beside what declarations ask for on every engine: users of one status or role by name, and events of a month. */
const POSTGRES_INDEXES: Readonly<Record<string, readonly string[]>> = {
  users: ["status,name,id", "role,name,id"],
  events: [`tstzrange(LEAST(start, "end"), "end", '[]'::text)`],
};

/** What the index by age holds of each row on Postgres, so that matches are counted in it. */
const POSTGRES_COVERED: Readonly<Record<string, string>> = {
  users: "search_text,status,role",
  documents: "search_text,type",
  files: "search_text,type",
};

/** A table as it is, in words: columns, unique keys, foreign keys and indexes. */
interface Description {
  readonly columns: readonly string[];
  readonly unique: readonly string[];
  readonly references: readonly string[];
  readonly indexes: readonly string[];
}

function needed(table: Table, engine: "sqlite" | "postgres"): Description {
  const types = engine === "sqlite" ? SQLITE_TYPES : POSTGRES_TYPES;
  const searched = table.declaration.search.length > 0;
  const columns = table.columns.map(({ name, kind, optional }) =>
    `${name} ${types[kind]}${optional ? "" : " not null"}`
  );
  columns.push(`row_version ${types.integer} not null`);
  if (searched) columns.push(`search_text ${types.text} not null`);
  const covered = engine === "postgres" && POSTGRES_COVERED[table.name];
  const indexes = neededIndexes(table, engine).map((names) => names.join(","))
    .map((names) => covered && names === "created_at,id" ? `${names},${covered}` : names);
  if (searched && engine === "postgres") indexes.push("search_text");
  if (engine === "postgres") indexes.push(...POSTGRES_INDEXES[table.name] ?? []);
  return {
    columns: columns.sort(),
    unique: ["id", ...[...table.unique.values()].map((of) => of.map(({ name }) => name).join())]
      .sort(),
    references: Object.entries(neededReferences(table))
      .map(([column, [target, key]]) => `${column} -> ${target}.${key}`).sort(),
    indexes: indexes.sort(),
  };
}

async function describeSqlite(query: Query, table: string): Promise<Description> {
  const columns = await query<{ name: string; type: string; notnull: number }>(
    `select name, type, "notnull" from pragma_table_info('${table}') where name <> 'row_id'`,
  );
  const indexes = await query<{ columns: string; unique: number }>(
    `select i."unique", (select group_concat(name, ',') from pragma_index_info(i.name)) as columns
      from pragma_index_list('${table}') i`,
  );
  const references = await query<{ text: string }>(
    `select "from" || ' -> ' || "table" || '.' || "to" as text from pragma_foreign_key_list('${table}')`,
  );
  return {
    columns: columns.map(({ name, type, notnull }) =>
      `${name} ${type.toUpperCase()}${notnull ? " not null" : ""}`
    ).sort(),
    unique: indexes.filter(({ unique }) => unique === 1).map(({ columns }) => columns).sort(),
    references: references.map(({ text }) => text).sort(),
    indexes: indexes.filter(({ unique }) => unique === 0).map(({ columns }) => columns).sort(),
  };
}

async function describePostgres(query: Query, table: string): Promise<Description> {
  const columns = await query<{ text: string }>(
    `select column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end as text
      from information_schema.columns where table_name = '${table}'`,
  );
  const indexes = await query<{ columns: string; unique: boolean }>(
    `select indisunique as unique, coalesce((select string_agg(attname, ',' order by n)
        from unnest(indkey) with ordinality as k(attnum, n)
        join pg_attribute a on a.attrelid = indrelid and a.attnum = k.attnum),
        pg_get_expr(indexprs, indrelid)) as columns
      from pg_index where indrelid = '"${table}"'::regclass`,
  );
  const references = await query<{ text: string; condeferred: boolean }>(
    `select a.attname || ' -> ' || confrelid::regclass || '.' || b.attname as text, condeferred
      from pg_constraint c
      join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
      join pg_attribute b on b.attrelid = confrelid and b.attnum = confkey[1]
      where contype = 'f' and conrelid = '"${table}"'::regclass`,
  );
  assert.ok(references.every(({ condeferred }) => condeferred));
  return {
    columns: columns.map(({ text }) => text).sort(),
    unique: indexes.filter(({ unique }) => unique).map(({ columns }) => columns).sort(),
    references: references.map(({ text }) => text).sort(),
    indexes: indexes.filter(({ unique }) => !unique).map(({ columns }) => columns).sort(),
  };
}

eachEngine("the migrated schema is what the declarations ask for", async ({ url }, engine) => {
  await (await openSqlStore({ url })).close();
  const { query, close } = openDatabase(url);
  const describe = engine === "sqlite" ? describeSqlite : describePostgres;
  for (const table of tablesOf(allCollections)) {
    assert.deepEqual(await describe(query, table.name), needed(table, engine), table.name);
  }
  await close();
});

eachEngine("an enum column takes no other value", async ({ url }) => {
  await (await openSqlStore({ url })).close();
  const { query, close } = openDatabase(url);
  const at = "2026-01-01T00:00:00.000Z";
  const insert = (priority: string) =>
    query(
      `insert into tasks (id, created_at, updated_at, row_version, title, status, priority, created_by, search_text)
      values ('t', '${at}', '${at}', 1, 't', 'pending', '${priority}', 'nobody', 't')`,
    );
  await assert.rejects(insert("whenever"), /check/i);
  await close();
});

eachEngine("several processes that start at once migrate once", async ({ url }) => {
  const stores = await Promise.all([1, 2, 3].map(() => openSqlStore({ url, pool: { max: 2 } })));
  for (const store of stores) await store.close();
  const { query, close } = openDatabase(url);
  const rows = await query<{ name: string }>("select name from migrations order by name");
  assert.deepEqual(rows.map(({ name }) => name), Object.keys(migrations));
  await close();
});

eachEngine("a database of a newer program is refused, and left as it is", async ({ url }) => {
  await (await openSqlStore({ url })).close();
  const { db, query, close } = openDatabase(url);
  await db.executeQuery(CompiledQuery.raw(
    "insert into migrations (name, applied_at) values ('9999_future', '2030-01-01T00:00:00Z')",
  ));
  await assert.rejects(openSqlStore({ url }), /newer version of the program.*9999_future/);
  await query("delete from migrations where name = '9999_future'");
  await (await openSqlStore({ url })).close();
  await close();
});

/** What other programs leave under names of our own: statements, and what is told of them. */
const OF_OTHERS: readonly (readonly [statements: readonly string[], told: RegExp])[] = [
  [["create table users (id integer primary key)"], /"?users"? already exists/],
  [["create table migrations (id integer primary key, migration text)"], /column:? "?name"?/],
  [
    [
      "create table migrations (name text, applied_at text)",
      "insert into migrations values ('Init1', '')",
    ],
    /migrations holds Init1/,
  ],
];
for (const [statements, told] of OF_OTHERS) {
  eachEngine(`a database of another program is refused: ${told}`, async ({ url }) => {
    const { query, close } = openDatabase(url);
    for (const statement of statements) await query(statement);
    await assert.rejects(openSqlStore({ url }), ({ message }: Error) => {
      assert.match(message, /^Cannot open the database: it has tables of another program \(/);
      assert.match(message, told);
      return true;
    });
    const [{ name }] = await query<{ name: string }>(
      url.startsWith("sqlite")
        ? "select group_concat(name) as name from sqlite_master where type = 'table'"
        : "select string_agg(tablename, ',') as name from pg_tables where schemaname = 'public'",
    ) as [{ name: string }];
    assert.equal(name, /table (\w+)/.exec(statements[0]!)![1], "nothing was added");
    await close();
  });
}

eachEngine(
  "accounts that were there before addresses were confirmed count as confirmed",
  async ({ url }) => {
    const before = await openSqlStore({ url });
    await seedRoles(before, variants.compact!);
    const { id } = await addPerson(before, "Ann");
    await before.close();
    const { query, close } = openDatabase(url);
    await query("alter table users drop column unverified_since");
    await query("drop table email_links");
    await query("delete from counts where collection_table = 'email_links'");
    await query("delete from migrations where name = '0007_verification'");
    const after = await openSqlStore({ url });
    assert.equal((await after.from(users).get(id))!.unverifiedSince, undefined);
    await after.close();
    await close();
  },
);

eachEngine("what was deleted for oneself before it was kept so is hidden", async ({ url }) => {
  const before = await openSqlStore({ url });
  await seedRoles(before, variants.compact!);
  const people = [await addPerson(before, "Ann"), await addPerson(before, "Ben")];
  const [ann, ben] = people.map(({ id }) => id) as [string, string];
  const [, gone] = await before.transact({ userId: null }, (tx) => {
    const about = { type: "private" as const, createdBy: ann, lastMessageAt: tx.now };
    const { id: conversationId } = tx.insert(conversations, about);
    for (const userId of [ann, ben]) tx.insert(participants, { conversationId, userId });
    return ["Kept", "Gone"].map((content) => {
      const common = { conversationId, type: "text" as const };
      const { id: messageId } = tx.insert(messages, { ...common, senderId: ann, content });
      tx.insert(receipts, { ...common, messageId, userId: ann, sent: true });
      if (content === "Kept") {
        tx.insert(receipts, { ...common, messageId, userId: ben, sent: false });
      }
      return messageId;
    });
  });
  await before.close();
  const { query, close } = openDatabase(url);
  await query("drop table hidden_messages");
  await query("delete from counts where collection_table = 'hidden_messages'");
  await query(
    "delete from migrations where name in ('0029_hidden_messages', '0035_deleted_unread')",
  );
  const after = await openSqlStore({ url });
  const { rows, total } = await after.from(hiddenMessages).list();
  assert.deepEqual([rows.map(({ messageId, userId }) => [messageId, userId]), total], [
    [[gone, ben]],
    1,
  ]);
  await after.close();
  await close();
});

Deno.test("on Postgres a first schema takes a round trip or two a table, not one for each index", async () => {
  const database = await postgresDatabase();
  const { query } = pg.Client.prototype;
  let asked = 0;
  try {
    pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
      asked++;
      return (query as (...given: unknown[]) => unknown).apply(this, given);
    } as typeof query;
    await (await openSqlStore({ url: database.url })).close();
    const tables = allCollections.length;
    assert.ok(asked > tables && asked < 2 * tables + 40, `${asked} statements, ${tables} tables`);
  } finally {
    pg.Client.prototype.query = query;
    await database.drop();
  }
});

Deno.test("on SQLite the indexes that only lists needed go, and what was written with them is found", async () => {
  const { url, drop } = await sqliteFile();
  const before = await openSqlStore({ url });
  await seedRoles(before, variants.compact!);
  const { id } = await addPerson(before, "Ann");
  await before.close();
  const { query, close } = openDatabase(url);
  // As the first release made them.
  await query(`create index users_name_id_idx on users (name, id)`);
  await query(`create index users_status_created_at_id_idx on users (status, created_at, id)`);
  await query(`create index users_role_id_idx on users (role, id)`);
  await query(`create virtual table users_search using fts5(search_text, content='users',
    content_rowid='row_id', tokenize='trigram case_sensitive 1')`);
  await query(`create trigger users_search_insert after insert on users begin
    insert into users_search (rowid, search_text) values (new.row_id, new.search_text); end`);
  await query("delete from migrations where name = '0032_fewer_sqlite_indexes'");
  const after = await openSqlStore({ url });
  for (const table of tablesOf(allCollections)) {
    assert.deepEqual(await describeSqlite(query, table.name), needed(table, "sqlite"), table.name);
  }
  const left = await query<{ name: string }>(
    "select name from sqlite_master where name like '%\\_search%' escape '\\'",
  );
  assert.deepEqual(left, []);
  assert.deepEqual((await after.from(users).list({ search: "ann" })).rows.map((of) => of.id), [id]);
  await addPerson(after, "Anna");
  assert.equal((await after.from(users).list({ search: "ann", sort: "name" })).total, 2);
  await after.close();
  await close();
  await drop();
});

Deno.test("on Postgres what was written before with its accents apart is found as it is searched now", async () => {
  const { url, drop } = await postgresDatabase();
  const before = await openSqlStore({ url });
  await seedRoles(before, variants.compact!);
  const { id } = await addPerson(before, "Zoe\u0308");
  await before.close();
  const { query, close } = openDatabase(url);
  // As it was written then.
  await query("update users set search_text = normalize(search_text, nfd)");
  await query("delete from migrations where name = '0034_composed_search'");
  const after = await openSqlStore({ url });
  for (const search of ["zo\u00eb", "zoe\u0308"]) {
    const { rows } = await after.from(users).list({ search });
    assert.deepEqual(rows.map((of) => of.id), [id]);
  }
  await after.close();
  await close();
  await drop();
});
