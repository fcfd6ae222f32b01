// How a resource is declared to the storage engines. Imports zod only.
import { z } from "zod";

/** What every stored record carries. */
export interface Entity {
  /** UUIDv7 (RFC 9562): time-ordered, so reverse key order is newest first. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  /** The version the record was read at, opaque; the engine sets it. Empty before the first commit. */
  readonly rev: string;
}

/** Scalars that can be filtered, sorted and indexed. An absent optional field counts as null. */
export type Scalar = string | number | boolean | null;

type Field<T> = keyof T & string;

/** One collection, declared once; both engines read it. */
export interface CollectionDeclaration<T extends Entity> {
  /** Plural, camelCase; the relational table is the same in snake_case. */
  readonly name: string;
  /** The stored shape, without `rev`. Optional fields are absent, never null. */
  readonly schema: z.ZodType<Omit<T, "rev">> & { shape: Record<string, z.ZodType> };
  /** Unique keys by name: the fields that make up the key. Records that lack one of these fields may repeat. */
  readonly unique: Readonly<Record<string, readonly Field<T>[]>>;
  /** Scalar fields that `where` accepts, beside `id`, `createdAt` and `updatedAt`. */
  readonly filter: readonly Field<T>[];
  /** Scalar fields that `sort` accepts, beside `id`, `createdAt` and `updatedAt`. */
  readonly sort: readonly Field<T>[];
  /** The times at which a record begins and ends, the second not before the first, where lists ask for what is between. */
  readonly span?: readonly [from: Field<T>, to: Field<T>];
  /** String fields that `search` looks into: case-insensitive substring. */
  readonly search: readonly Field<T>[];
  /** Number fields that `aggregate` may sum. */
  readonly sum: readonly Field<T>[];
  /** Fields that hold the id of a record in another collection: the relational engine's foreign keys. */
  readonly references: Readonly<Partial<Record<Field<T>, string>>>;
  /**
   * What lists show of a record, as text (`models/rows.ts`): it follows from the record alone. Memory keeps the rows of
   * the collection in place of its records.
   */
  readonly row?: (record: T) => string;
  /**
   * What a row does not tell of its record, as text, and the record that both make. Memory then keeps both: who changes
   * such a record need not read it. Without it memory has a record while it is in use.
   */
  readonly whole?: {
    readonly rest: (record: T) => string;
    /** A `T`: said so, the type of a collection would follow from itself. */
    readonly of: (row: string, rest: string) => object;
  };
  /** Records are written often and read seldom: memory keeps some of the newest, and others once they were read. */
  readonly readSeldom: boolean;
  /** Fields that the row does not need. Where lists are read from a database, they stay there. */
  readonly notInRow: readonly Field<T>[];
  /**
   * Fields that say who may see the record, or what it says something of: the journal keeps their values with each
   * change, so that whoever could see a record learns of it when it has gone.
   */
  readonly traits: readonly Field<T>[];
  /** How the audit log names a record. Without it, changes to the collection are not audited. */
  readonly audit?: (record: T) => string;
  /** Fields whose values the audit log tells, before and after a change. Never secrets: other fields are only named. */
  readonly audited: readonly Field<T>[];
  /** Fields of which it tells the length and the SHA-256 alone. */
  readonly measured: readonly Field<T>[];
}

/** The stored type of a declared collection. */
export type RecordOf<D> = D extends CollectionDeclaration<infer T> ? T : never;

/** ISO 8601 timestamp in UTC, as `Date.prototype.toISOString` writes it. */
export const timestamp: z.ZodISODateTime = z.iso.datetime();

const entityShape = {
  id: z.string().min(1).max(128),
  createdAt: timestamp,
  updatedAt: timestamp,
};

/**
 * Declares a collection.
 *
 * @param shape The fields of the record beyond `id`, `createdAt`, `updatedAt`.
 */
export function collection<S extends z.ZodRawShape>(
  name: string,
  shape: S,
  options: Partial<
    Omit<CollectionDeclaration<Entity & z.infer<z.ZodObject<S>>>, "name" | "schema">
  > = {},
): CollectionDeclaration<Entity & z.infer<z.ZodObject<S>>> {
  const declaration = {
    name,
    schema: z.object({ ...entityShape, ...shape }),
    unique: {},
    filter: [],
    sort: [],
    search: [],
    sum: [],
    references: {},
    readSeldom: false,
    notInRow: [],
    traits: [],
    audited: [],
    measured: [],
    ...options,
  };
  return declaration as unknown as CollectionDeclaration<Entity & z.infer<z.ZodObject<S>>>;
}
