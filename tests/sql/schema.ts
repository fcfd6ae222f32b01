// What the schema has to be, derived from the declarations: what tests hold migrations to.
import type { CollectionDeclaration } from "../../storage/port.ts";
import { type Column, NAMED_REFERENCES, snakeCase, type Table, tableOf } from "../../sql/tables.ts";

/** Column names of each index a table needs, beside those of its keys. */
export function neededIndexes(table: Table, engine: "sqlite" | "postgres"): string[][] {
  const indexes = listedIndexes(table);
  const references = Object.keys(neededReferences(table));
  for (const field of references) {
    const served = indexes.some(([first]) => first === field);
    if (!served) indexes.push([field]);
  }
  if (engine === "postgres") return indexes;
  // Memory answers lists but for the newest rows; each reference has one index.
  const [newest, ...others] = indexes;
  const ofReferences = references.map((field) => others.find(([first]) => first === field)!);
  return [newest!, ...ofReferences];
}

/** Where the database answers lists. */
function listedIndexes({ declaration, byField }: Table): string[][] {
  const name = (field: string) => byField.get(field)!.name;
  const indexes = [["created_at", "id"]];
  // People list what can be sorted or searched, and they sort by any date.
  if (declaration.sort.length + declaration.search.length > 0) indexes.push(["updated_at", "id"]);
  for (const field of declaration.filter) indexes.push([name(field), "created_at", "id"]);
  for (const field of declaration.sort) indexes.push([name(field), "id"]);
  return indexes;
}

/** By column, the table and column it refers to. */
export function neededReferences(table: Table): Record<string, readonly [string, string]> {
  const references: Record<string, readonly [string, string]> = {};
  for (const column of table.columns) {
    const target = referenceOf(table.declaration, column);
    if (target) references[column.name] = target;
  }
  return references;
}

function referenceOf(
  // deno-lint-ignore no-explicit-any -- declarations of different records are handled alike
  declaration: CollectionDeclaration<any>,
  { field }: Column,
): readonly [string, string] | undefined {
  const named = NAMED_REFERENCES[`${declaration.name}.${field}`];
  if (named) return named;
  const target = declaration.references[field];
  return target === undefined ? undefined : [snakeCase(target), "id"];
}

/** Every table, in the order of the declarations. */
export function tablesOf(
  // deno-lint-ignore no-explicit-any -- declarations of different records are handled alike
  collections: readonly CollectionDeclaration<any>[],
): readonly Table[] {
  return collections.map((declaration) => tableOf(declaration));
}
