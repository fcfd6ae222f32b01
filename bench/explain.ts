// Writes docs/query-plans.md: how Postgres answers the queries of lists at 100,000 rows. `deno task explain`.
import { answerHelp } from "../core/command_line.ts";
import { writePage } from "./page.ts";
import { CompiledQuery } from "kysely";
import pg from "pg";
import { newId } from "../core/ids.ts";
import { roles } from "../models/roles.ts";
import { type User, users } from "../models/users.ts";
import { postgresDialect } from "../sql/dialect.ts";
import { Memory } from "../sql/memory.ts";
import { openPostgres } from "../sql/postgres.ts";
import { SqlReader } from "../sql/reader.ts";
import { openSqlStore } from "../sql/store.ts";
import { tableOf } from "../sql/tables.ts";
import type { ListQuery, Store } from "../storage/port.ts";
import { NotingEngine } from "./statements.ts";

answerHelp(
  "Usage: deno task explain\n\nWrites docs/query-plans.md: the plans of the queries on Postgres.",
);

const ROWS = 100_000;
const SERVER = Deno.env.get("TEST_DATABASE_URL") ?? "postgres://postgres@127.0.0.1:5432/postgres";
const DATABASE = "quarterdeck_explain";
const START = Date.UTC(2026, 0, 1);
const OUTPUT = new URL("../docs/query-plans.md", import.meta.url);

/** A list limited to many ids, as a mailbox is to its user's messages, or a list of documents to those with a tag. */
const AMONG = "Searched among 8,000 ids";
const IDS = 8000;
/** The most characters of a parameter that the page shows. */
const SHOWN = 80;

const questions: Readonly<Record<string, ListQuery<User>>> = {
  "Page 1, newest first": {},
  "Page 5,000": { page: 5000 },
  "Filtered by role": { where: { role: "admin" } },
  "Filtered by two fields, page 20": { where: { role: "admin", status: "active" }, page: 20 },
  "Sorted by name": { sort: "name" },
  "Sorted by an optional field, latest first": { sort: "-lastLoginAt" },
  "Searched, ten matches": { search: "crew77x" },
  "Searched for a letter that everyone has": { search: "a" },
  "Searched for two digits": { search: "77", sort: "name" },
  "Searched for a letter that nobody has": { search: "q", sort: "name" },
  "Searched, every third matches": { search: "sailor 3" },
  "Searched, filtered and sorted": { search: "crew77x", where: { role: "admin" }, sort: "name" },
  [AMONG]: { search: "crew77x" },
  "After a cursor": {},
};

function* people(): Generator<Omit<User, "rev">> {
  for (let i = 0; i < ROWS; i++) {
    const at = new Date(START + i * 1000).toISOString();
    yield {
      id: newId(START + i * 1000),
      createdAt: at,
      updatedAt: at,
      name: `Sailor ${i * 7919 % ROWS}`,
      email: `sailor${i}@crew${i % (ROWS / 10)}x.example.com`,
      role: i % 10 === 0 ? "admin" : "user",
      permissions: [],
      status: i % 10 === 9 ? "inactive" : "active",
      ...(i % 3 === 0 ? { lastLoginAt: at } : {}),
    };
  }
}

async function fill(store: Store): Promise<void> {
  await store.transact({ userId: null }, (tx) => {
    for (const name of ["user", "admin"]) {
      tx.insert(roles, { name, label: name, permissions: [], builtIn: true, customised: true });
    }
  });
  await store.load(users, people());
}

/** The statements of each question, with their plans. */
async function explainAll(
  engine: NotingEngine,
  explain: (statement: CompiledQuery) => Promise<string>,
): Promise<Map<string, string>> {
  const reader = new SqlReader<User>(engine, tableOf(users));
  const plans = new Map<string, string>();
  let cursor: string | undefined;
  const id = (await reader.list({ limit: IDS, sort: "id" })).rows.map((user) => user.id);
  for (const [title, query] of Object.entries(questions)) {
    engine.noted.length = 0;
    const asked = title === "After a cursor"
      ? { ...query, cursor }
      : title === AMONG
      ? { ...query, where: { id } }
      : query;
    const { nextCursor } = await reader.list(asked);
    // The cursor after page 1 of the first question, for the question named "After a cursor".
    cursor ??= nextCursor ?? undefined;
    const parts: string[] = [];
    for (const statement of engine.noted) {
      parts.push(`${oneLine(statement)}\n\n${await explain(statement)}`);
    }
    plans.set(title, parts.join("\n\n"));
  }
  return plans;
}

function oneLine({ sql: text, parameters }: CompiledQuery): string {
  const short = parameters.map((value) => {
    const whole = typeof value === "string" ? value : JSON.stringify(value);
    return whole.length > SHOWN ? `${whole.slice(0, SHOWN)}…` : value;
  });
  const shown = short.length > 0 ? `\n-- ${JSON.stringify(short)}` : "";
  return text.replace(/\s+/g, " ").trim() + shown;
}

/** A line of a plan, with lists of ids cut short. */
function shortened(line: string): string {
  return line.length > 2 * SHOWN ? line.replace(/\{([^,{}]*,[^,{}]*),[^{}]*\}/g, "{$1,…}") : line;
}

async function explainPostgres(): Promise<Map<string, string>> {
  const url = new URL(SERVER);
  url.pathname = `/${DATABASE}`;
  await onServer(`drop database if exists ${DATABASE} with (force)`);
  await onServer(`create database ${DATABASE} template template0`);
  const store = await openSqlStore({ url: url.href });
  await fill(store);
  await store.close();
  const { db } = openPostgres(url.href);
  const engine = new NotingEngine(db, postgresDialect, new Memory(0), () => new Date(), new Map());
  const plans = await explainAll(engine, async (statement) => {
    const { rows } = await db.executeQuery<{ "QUERY PLAN": string }>(
      CompiledQuery.raw(
        `explain (analyze, costs off, timing off, summary off) ${statement.sql}`,
        [...statement.parameters],
      ),
    );
    return rows.map((row) => shortened(row["QUERY PLAN"])).join("\n");
  });
  await db.destroy();
  await onServer(`drop database ${DATABASE} with (force)`);
  return plans;
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(SERVER);
  await client.connect();
  await client.query(statement);
  await client.end();
}

const postgres = await explainPostgres();
const sections = Object.keys(questions).map((title) =>
  `## ${title}\n\n\`\`\`sql\n${postgres.get(title)}\n\`\`\`\n`
);
await writePage(
  OUTPUT,
  `# Query plans

How Postgres answers lists of users where memory does not, at ${
    ROWS.toLocaleString("en")
  } rows. On SQLite memory
answers all of them. The statements are the engine's own, taken as it runs them: the rows of a page, then the total. Without a condition the
total is not counted: commits keep it in \`counts\`. The first search looks at a sample of the
texts before: it tells whether an index finds the text, or the first rows of the list
are likely to have it. Answers stay in memory until the collection
changes, so that these statements run once after a change.

\`tests/long/sql/plans_test.ts\` holds every filter with every search and every order, for each collection: no
plan looks at more rows than there are, a few times over.

\`deno task explain\` writes this page. It makes a database of its own on the server that
\`TEST_DATABASE_URL\` names (default: the local one), and removes it.

${sections.join("\n")}`,
);
