// Records that cannot be read: a list leaves them out, the log tells of each once, and `/readyz` how many there are.
import { getLogger } from "@logtape/logtape";
import type { z } from "zod";
import type { CollectionDeclaration, Entity } from "../storage/port.ts";
import type { Decoded } from "./codec.ts";

// deno-lint-ignore no-explicit-any -- only names and schemas are read
type AnyDeclaration = CollectionDeclaration<any>;

/** A field that every record of a collection has, and what its value is. */
type Required = readonly [field: string, type: "string" | "number" | "boolean" | "list"];

const log = getLogger(["quarterdeck", "store"]);

export class Unreadable {
  readonly #required = new Map<string, readonly Required[]>();
  /** What is wrong with each, by id. */
  readonly #problems = new Map<string, Map<string, string>>();

  constructor(collections: readonly AnyDeclaration[]) {
    for (const declaration of collections) {
      this.#required.set(declaration.name, requiredFields(declaration));
    }
  }

  /** How many unreadable records have been met. */
  get count(): number {
    return [...this.#problems.values()].reduce((sum, ids) => sum + ids.size, 0);
  }

  /** Whether an unreadable record of the collection has been met. */
  has(collection: string): boolean {
    return (this.#problems.get(collection)?.size ?? 0) > 0;
  }

  /** Those that have been met. */
  *all(): Iterable<{ readonly collection: string; readonly id: string; readonly problem: string }> {
    for (const [collection, ids] of this.#problems) {
      for (const [id, problem] of ids) yield { collection, id, problem };
    }
  }

  /** What `decode` gives, when it is a record of the collection; else null. */
  read<T extends Entity>(
    collection: string,
    id: string,
    decode: () => Decoded<T>,
  ): Decoded<T> | null {
    let problem: string | null;
    try {
      const decoded = decode();
      problem = this.#problem(collection, decoded.record as unknown as Record<string, unknown>);
      if (problem === null) {
        if (this.#problems.size > 0) this.#problems.get(collection)?.delete(id);
        return decoded;
      }
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    this.report(collection, id, problem);
    return null;
  }

  report(collection: string, id: string, problem: string): void {
    const ids = this.#problems.get(collection) ?? new Map<string, string>();
    this.#problems.set(collection, ids);
    if (ids.has(id)) return;
    ids.set(id, problem);
    log.error("Cannot read {collection} {id}: {problem}. It is left out of every answer", {
      collection,
      id,
      problem,
    });
  }

  #problem(collection: string, record: Record<string, unknown>): string | null {
    for (const [field, type] of this.#required.get(collection) ?? []) {
      const value = record[field];
      const found = Array.isArray(value) ? "list" : typeof value;
      if (found !== type) {
        return value === undefined ? `it has no ${field}` : `its ${field} is no ${type}`;
      }
    }
    return null;
  }
}

function requiredFields({ schema }: AnyDeclaration): Required[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(
    ([field, { type }]): Required[] => {
      if (type === "string" || type === "enum") return [[field, "string"]];
      if (type === "number" || type === "boolean") return [[field, type]];
      return type === "array" ? [[field, "list"]] : [];
    },
  );
}
