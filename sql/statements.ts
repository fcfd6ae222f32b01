// The statements of commits, made into text once for each shape: that takes longer than what SQLite does with them.
import { CompiledQuery, type RawBuilder } from "kysely";
import { BoundedMap } from "../core/bounded_map.ts";
import type { Connection } from "./dialect.ts";

/** Shapes kept: each statement of a hundred rows takes some kilobytes. */
const MAX_SHAPES = 256;

export type Query = RawBuilder<unknown> | CompiledQuery;

export class Statements {
  readonly #texts = new BoundedMap<string, string>(MAX_SHAPES);

  constructor(readonly db: Connection) {}

  /**
   * @param shape Two statements of one shape differ in their parameters alone.
   * @param parameters In the order in which the statement has them.
   * @param make Called for a shape that is not known.
   */
  of(
    shape: string,
    parameters: readonly unknown[],
    make: () => RawBuilder<unknown>,
  ): CompiledQuery {
    let text = this.#texts.get(shape);
    if (text === undefined) {
      const made = this.compile(make());
      if (!sameValues(made.parameters, parameters)) {
        throw new Error(`Cannot make a statement of ${shape}: its parameters are others`);
      }
      this.#texts.set(shape, text = made.sql);
    }
    return CompiledQuery.raw(text, parameters as unknown[]);
  }

  /** For what is unlikely to come again. */
  compile(query: Query): CompiledQuery {
    return "compile" in query ? query.compile(this.db) : query;
  }
}

function sameValues(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((value, n) => Object.is(value, others[n]));
}
