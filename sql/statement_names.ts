// Which statements a connection to Postgres prepares: those that come again, and no more than a certain number.

import type pg from "pg";

/** The most that are prepared on one connection. */
const MAX_PREPARED = 128;
/** Of how many it is known that they came once. */
const MAX_SEEN = 512;

/**
 * Searches, totals, orders of lists, and pages far down. How such a statement is best run depends on its values: a plan
 * for any value, which Postgres may choose for a prepared one from the sixth time on, takes up to ten times as long.
 */
const BY_VALUES =
  /search_text like|strpos\(search_text|count\(\*\) as total|row_number\(\)|where id in \(/;

export class StatementNames {
  /** Texts that came once, the oldest first. */
  readonly #seen = new Set<string>();
  /** Names by text, that of the least recently used first. */
  readonly #names = new Map<string, string>();
  #made = 0;

  /**
   * The name under which a statement is to be prepared; none for one that comes for the first time, or that is to be
   * planned anew each time.
   *
   * @returns In `outdated`, the name of a statement that has to be deallocated in its place.
   */
  of(text: string): { readonly name?: string; readonly outdated?: string } {
    const name = this.#names.get(text);
    if (name !== undefined) {
      this.#names.delete(text);
      this.#names.set(text, name);
      return { name };
    }
    if (BY_VALUES.test(text)) return {};
    if (!this.#seen.delete(text)) {
      this.#seen.add(text);
      if (this.#seen.size > MAX_SEEN) this.#seen.delete(first(this.#seen.keys()));
      return {};
    }
    const fresh = `s${this.#made++}`;
    this.#names.set(text, fresh);
    if (this.#names.size <= MAX_PREPARED) return { name: fresh };
    const [oldest, outdated] = first(this.#names);
    this.#names.delete(oldest);
    return { name: fresh, outdated };
  }

  drop(text: string): void {
    this.#names.delete(text);
  }
}

function first<T>(values: Iterable<T>): T {
  for (const value of values) return value;
  throw new Error("Cannot take the first of none");
}

interface Connection {
  readonly parsedStatements: Record<string, string>;
  close(what: { type: "S"; name: string }): void;
}

/**
 * Makes a connection forget a prepared statement, before the statement that is sent next. By a message of the protocol:
 * unlike DEALLOCATE it cannot fail, and so not end a transaction.
 */
export function deallocate(client: pg.Client | pg.PoolClient, name: string): void {
  const { connection } = client as unknown as { connection: Connection };
  connection.close({ type: "S", name });
  delete connection.parsedStatements[name];
}
