// Notes the statements that the relational engine runs, and asks SQLite for their query plans.
import { CompiledQuery } from "kysely";
import type { Connection } from "../sql/dialect.ts";
import { Engine } from "../sql/engine.ts";
import type { Query } from "../sql/statements.ts";

/** An engine that keeps a list of the statements it has run. */
export class NotingEngine extends Engine {
  readonly noted: CompiledQuery[] = [];

  override async rows<R>(query: Query): Promise<R[]> {
    this.noted.push(this.statements.compile(query));
    return await super.rows<R>(query);
  }

  override async alone<R>(query: Query): Promise<R[]> {
    this.noted.push(this.statements.compile(query));
    return await super.alone<R>(query);
  }
}

/** The query plan of a statement: one line for each step, indented by its depth. */
export async function sqlitePlan(db: Connection, statement: CompiledQuery): Promise<string> {
  const { rows } = await db.executeQuery<{ id: number; parent: number; detail: string }>(
    CompiledQuery.raw(`explain query plan ${statement.sql}`, [...statement.parameters]),
  );
  const depths = new Map([[0, 0]]);
  return rows.map(({ id, parent, detail }) => {
    depths.set(id, (depths.get(parent) ?? 0) + 1);
    return `${"  ".repeat(depths.get(parent) ?? 0)}${detail}`;
  }).join("\n");
}
