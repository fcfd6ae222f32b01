// Declarations as tables: names, columns and their kinds; records as rows and back. Knows no dialect's SQL.
import type { z } from "zod";
import {
  type CollectionDeclaration,
  type Entity,
  RecordDamaged,
  TooLarge,
} from "../storage/port.ts";
import { deepFreeze } from "../storage/records.ts";
import { searchText } from "../storage/searched.ts";
import { MAX_RECORD_BYTES } from "../storage/limits.ts";

export type Kind = "text" | "timestamp" | "date" | "boolean" | "integer" | "double" | "list";

export interface Column {
  readonly field: string;
  readonly name: string;
  readonly kind: Kind;
  readonly optional: boolean;
  /** The values of an enum; null for other kinds. */
  readonly values: readonly string[] | null;
}

export interface Table {
  // deno-lint-ignore no-explicit-any -- declarations of different records are handled alike
  readonly declaration: CollectionDeclaration<any>;
  readonly name: string;
  /** In the order of the schema; `row_version` is not among them. */
  readonly columns: readonly Column[];
  readonly byField: ReadonlyMap<string, Column>;
  /** By name of a unique key, its columns. */
  readonly unique: ReadonlyMap<string, readonly Column[]>;
}

export type Row = Record<string, unknown>;

/** How a dialect stores values; see dialect.ts. */
export interface Values {
  encode(kind: Kind, value: unknown): unknown;
  decode(kind: Kind, value: unknown): unknown;
}

/** References that are not by id: the column of the other table. */
export const NAMED_REFERENCES: Readonly<Record<string, readonly [string, string]>> = {
  "users.role": ["roles", "name"],
};

const tables = new WeakMap<object, Table>();

export function tableOf<T extends Entity>(declaration: CollectionDeclaration<T>): Table {
  let table = tables.get(declaration);
  if (!table) {
    const columns = Object.entries(declaration.schema.shape).map(([field, schema]) =>
      columnOf(field, schema)
    );
    const byField = new Map(columns.map((column) => [column.field, column]));
    const unique = Object.entries(declaration.unique).map(([key, fields]) =>
      [key, fields.map((field) => byField.get(field)!)] as const
    );
    table = {
      declaration,
      name: snakeCase(declaration.name),
      columns,
      byField,
      unique: new Map(unique),
    };
    tables.set(declaration, table);
  }
  return table;
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function columnOf(field: string, schema: z.ZodType): Column {
  const optional = schema.type === "optional";
  const inner = (optional ? (schema as z.ZodOptional<z.ZodType>).unwrap() : schema) as z.ZodType;
  const values = inner.type === "enum" ? (inner as z.ZodEnum).options.map(String) : null;
  return { field, name: snakeCase(field), kind: kindOf(field, inner), optional, values };
}

function kindOf(field: string, schema: z.ZodType): Kind {
  switch (schema.type) {
    case "string": {
      const { format } = schema as z.ZodStringFormat;
      return format === "datetime" ? "timestamp" : format === "date" ? "date" : "text";
    }
    case "enum":
      return "text";
    case "boolean":
      return "boolean";
    case "number":
      return (schema as z.ZodNumber).isInt ? "integer" : "double";
    case "array":
      return "list";
    default:
      throw new Error(`Cannot map ${field} to a column: no column holds a ${schema.type}`);
  }
}

/** @throws {TooLarge} */
export function toRow(table: Table, values: Values, record: Entity): Row {
  checkSize(table, record);
  const row: Row = {};
  const fields = record as unknown as Row;
  for (const { field, name, kind } of table.columns) {
    row[name] = values.encode(kind, fields[field]);
  }
  if (table.declaration.search.length > 0) row.search_text = searchText(table.declaration, record);
  return row;
}

/** The columns that differ between two states of a record. */
export function changedColumns(
  table: Table,
  values: Values,
  before: Entity,
  after: Entity,
): Row {
  const row = toRow(table, values, after);
  const old = before as unknown as Row;
  for (const { field, name, kind } of table.columns) {
    if (values.encode(kind, old[field]) === row[name]) delete row[name];
  }
  if (row.search_text === searchText(table.declaration, before)) delete row.search_text;
  return row;
}

/** A frozen record. */
export function fromRow<T extends Entity>(table: Table, values: Values, row: Row): T {
  return deepFreeze(recordIn<T>(table, values, row));
}

/**
 * The record of what a row has of its columns, to be read at once.
 *
 * @throws {RecordDamaged}
 */
export function recordIn<T extends Entity>(table: Table, values: Values, row: Row): T {
  const record: Row = {};
  for (const { field, name, kind } of table.columns) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    try {
      record[field] = values.decode(kind, value);
    } catch (cause) {
      throw new RecordDamaged(table.declaration.name, String(row.id), field, { cause });
    }
  }
  record.rev = String(row.row_version);
  return record as unknown as T;
}

/** Memory of a record, in bytes, roughly: its text, and the objects and pointers around it. */
export function memoryOf(record: Entity): number {
  return 256 + 2 * textLength(record);
}

function textLength(value: object): number {
  let length = 0;
  for (const field of Object.values(value)) {
    if (typeof field === "string") length += field.length + 16;
    else if (typeof field === "object" && field !== null) length += textLength(field) + 16;
    else length += 8;
  }
  return length;
}

function checkSize(table: Table, record: Entity): void {
  // JSON writes a UTF-16 unit in six bytes at most, so short records need no exact measure.
  if (6 * textLength(record) < MAX_RECORD_BYTES / 2) return;
  const json = JSON.stringify({ ...record, rev: undefined });
  if (new TextEncoder().encode(json).length > MAX_RECORD_BYTES) {
    throw new TooLarge(`${table.declaration.name} ${record.id}`, MAX_RECORD_BYTES);
  }
}
