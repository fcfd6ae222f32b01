// What a plan gave, as a text that its own commit can keep: records that it wrote are kept as references.
import type { Awaitable } from "../core/awaitable.ts";
import { conflict } from "../core/errors.ts";
import { allCollections } from "../models/all.ts";
import type {
  CollectionDeclaration,
  Entity,
  NewRecord,
  Reader,
  Transaction,
} from "../storage/port.ts";

/** Where a record stands in what the plan gave: the fields and indexes that lead to it. */
type Path = readonly string[];

interface Kept {
  readonly given: unknown;
  readonly records: readonly (readonly [path: Path, collection: string, id: string])[];
}

/** A plan in progress that remembers which records it has written. */
export class RecordingTransaction implements Transaction {
  readonly #written = new Map<unknown, { collection: string; id: string }>();

  constructor(readonly inner: Transaction) {}

  get now(): string {
    return this.inner.now;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    return this.inner.from(collection);
  }

  insert<T extends Entity>(collection: CollectionDeclaration<T>, record: NewRecord<T>): T {
    return this.#record(collection, this.inner.insert(collection, record));
  }

  update<T extends Entity>(
    collection: CollectionDeclaration<T>,
    before: T,
    patch: Partial<Omit<T, keyof Entity>>,
  ): T {
    return this.#record(collection, this.inner.update(collection, before, patch));
  }

  remove<T extends Entity>(collection: CollectionDeclaration<T>, before: T): void {
    this.inner.remove(collection, before);
  }

  #record<T extends Entity>({ name }: CollectionDeclaration<T>, record: T): T {
    this.#written.set(record, { collection: name, id: record.id });
    return record;
  }

  /** The text of what the plan gives, which must be made of plain objects, lists and scalars. */
  keep(result: unknown): string {
    const records: [Path, string, string][] = [];
    const copy = (value: unknown, path: Path): unknown => {
      if (typeof value !== "object" || value === null) return value;
      const written = this.#written.get(value);
      if (written) {
        records.push([path, written.collection, written.id]);
        return null;
      }
      if (Array.isArray(value)) return value.map((item, n) => copy(item, [...path, String(n)]));
      if (Object.getPrototypeOf(value) !== Object.prototype) {
        throw new Error(`Cannot keep what the plan gave: ${path.join(".")} is no plain object`);
      }
      const fields = Object.entries(value);
      return Object.fromEntries(fields.map(([field, of]) => [field, copy(of, [...path, field])]));
    };
    return JSON.stringify({ given: copy({ result }, []), records } satisfies Kept);
  }
}

/**
 * What the plan gave, from its text: the records as they are now.
 *
 * @param sees Whether the caller sees all of the records as they are now. @default yes
 * @throws {ApiError} CONFLICT when one of them is gone, or hidden from the caller since.
 */
export async function recallOutcome(
  source: Pick<Transaction, "from">,
  text: string,
  sees: (records: readonly { collection: string; id: string }[]) => Awaitable<boolean> = () => true,
): Promise<unknown> {
  const { given, records } = JSON.parse(text) as Kept;
  for (const [path, name, id] of records) {
    const collection = allCollections.find((declared) => declared.name === name);
    const record = collection && await source.from(collection).get(id);
    if (!record) throw gone();
    put(given, path, record);
  }
  if (!await sees(records.map(([, collection, id]) => ({ collection, id })))) throw gone();
  return (given as { result?: unknown }).result;
}

function gone() {
  return conflict("The request with this Idempotency-Key is done; what it made is gone since");
}

function put(into: unknown, path: Path, value: unknown): void {
  let at = into as Record<string, unknown>;
  for (const step of path.slice(0, -1)) at = at[step] as Record<string, unknown>;
  at[path.at(-1)!] = value;
}
