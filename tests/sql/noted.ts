// Notes what a store asks of its database.
import type { Engine } from "../../sql/engine.ts";
import type { Store } from "../../storage/port.ts";

/** The statements that a store asks outside of commits, as they come; not its looks at the journal, which never end. */
export function noted(store: Store): string[] {
  const { own } = store as unknown as { own: Engine };
  const statements: string[] = [];
  for (const way of ["rows", "alone"] as const) {
    const ask = own[way];
    own[way] = (query) => {
      const { sql } = own.statements.compile(query);
      if (!/from journal where/.test(sql)) statements.push(sql);
      return ask.call(own, query) as never;
    };
  }
  return statements;
}
