// Writes docs/schema.md: the tables of the relational engine, from the declarations. `deno task schema`.
import { answerHelp } from "../core/command_line.ts";
import { writePage } from "./page.ts";
import { allCollections } from "../models/all.ts";
import { neededReferences } from "../tests/sql/schema.ts";
import { type Column, type Table, tableOf } from "../sql/tables.ts";

const OUTPUT = new URL("../docs/schema.md", import.meta.url);

const AREAS: Readonly<Record<string, readonly string[]>> = {
  People: [
    "roles",
    "permissions",
    "users",
    "sessions",
    "passwordResets",
    "teams",
    "teamMembers",
  ],
  "Documents and files": [
    "documents",
    "documentViews",
    "tags",
    "documentTags",
    "folders",
    "contents",
    "files",
    "fileVersions",
    "storageUsage",
    "shares",
  ],
};
const REST = "Messages, calendar, dashboard and logs";

const INTRODUCTION = `# Tables

The relational engine keeps each collection in a table of its own, the same on SQLite and Postgres. Names
are the declared ones in snake_case; \`sql/migrations/\` makes them, and a test holds the migrated
schema to the declarations in \`models/\`.

- Every table has \`id\`, \`created_at\`, \`updated_at\` and \`row_version\`, the version that guards
  updates.
- Kinds on Postgres and SQLite: text is \`text\` (bytewise order) and \`TEXT\`; timestamp is \`timestamptz\`
  and \`TEXT\` in ISO 8601, UTC; date is \`date\` and \`TEXT\`; boolean is \`boolean\` and \`INTEGER\` 0 or 1;
  integer is \`bigint\` and \`INTEGER\`; double is \`double precision\` and \`REAL\`; list, of texts, is \`jsonb\`
  and \`TEXT\` in JSON.
- An enum column has a CHECK of its values.
- Foreign keys are checked at commit. Nothing is deleted in cascade: the program removes what belongs
  together, in one commit.
- A searched table has \`search_text\`, its search fields in lower case: on Postgres under a trigram
  index of \`pg_trgm\`.
- Every table has an index of \`created_at\` and \`id\`, and one that begins with each foreign key. On
  Postgres every filter field has one with \`created_at\` and \`id\`, every sort field one with \`id\`; on
  SQLite, where memory answers all lists, they would only make writes slower.
- In the diagrams, a question mark in quotes says that a column may be null.

Read as you like. Rows written by hand bypass \`row_version\`, \`journal\` and \`counts\`, and with them
the memory of running processes: stop them first, and set \`counts\` right.

## Tables of the engine

- \`journal\`: what each commit changed and who did it, in the order of commits; kept 7 days.
- \`counts\`: how many rows each table has, kept by the commits.
- \`blobs\` and \`blob_chunks\`: the bytes of files, in chunks of 256 KiB.
- \`migrations\`: which migrations were applied, and when.
`;

/** The page as it should be. */
export function schemaPage(): string {
  const tables = allCollections.map((collection) => tableOf(collection));
  const placed = new Set(Object.values(AREAS).flat());
  const rest = tables.map(({ declaration }) => declaration.name).filter((name) =>
    !placed.has(name)
  );
  const sections = Object.entries({ ...AREAS, [REST]: rest }).map(([title, names]) =>
    section(title, tables.filter(({ declaration }) => names.includes(declaration.name)))
  );
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

function section(title: string, tables: readonly Table[]): string {
  const lines = tables.flatMap((table) => [...entity(table), ...relations(table)]);
  return `## ${title}\n\n\`\`\`mermaid\nerDiagram\n${lines.join("\n")}\n\`\`\`\n`;
}

function entity(table: Table): string[] {
  const references = neededReferences(table);
  const unique = new Set(
    [...table.unique.values()].filter(({ length }) => length === 1).map(([column]) => column!.name),
  );
  const columns = table.columns.map((column) => {
    const keys = [
      ...(column.name === "id" ? ["PK"] : []),
      ...(column.name in references ? ["FK"] : []),
      ...(unique.has(column.name) ? ["UK"] : []),
    ].join(", ");
    return `    ${[column.kind, column.name, keys, note(column)].filter(Boolean).join(" ")}`;
  });
  return [`  ${table.name} {`, ...columns, "  }"];
}

function note({ optional, values }: Column): string {
  const text = [...(optional ? ["?"] : []), ...(values ? [values.join(" | ")] : [])].join(" ");
  return text && `"${text}"`;
}

function relations(table: Table): string[] {
  return Object.entries(neededReferences(table)).map(([column, [target]]) => {
    const { optional } = table.columns.find(({ name }) => name === column)!;
    return `  ${target} ${optional ? "|o" : "||"}--o{ ${table.name} : ${column}`;
  });
}

if (import.meta.main) {
  answerHelp("Usage: deno task schema\n\nWrites docs/schema.md from the migrations.");
  await writePage(OUTPUT, schemaPage());
}
