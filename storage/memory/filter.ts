// A checked filter as something that runs over rows: a test of a row, and the rows to test where an index knows them.
import type { Condition, Filter } from "../query.ts";
import type { Entity } from "../port.ts";
import type { Test } from "./column.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { type Rows, SEARCH } from "./rows.ts";

export interface Predicate {
  readonly test: Test;
  /** The fields it looks at. */
  readonly fields: ReadonlySet<string>;
  /** A set of rows outside of which none matches, each once, in no order, and its size. Null: no such set is known. */
  readonly candidates: { readonly count: number; list(): readonly number[] } | null;
}

/** Null when every row matches. */
export function compile<T extends Entity>(
  rows: Rows<T>,
  filter: Filter,
  search: string,
): Predicate | null {
  const parts = filter.all.map((condition) => compileCondition(rows, condition));
  if (filter.any) parts.push(either(filter.any.map((branch) => compile(rows, branch, ""))));
  if (search) parts.push(compileSearch(rows, search));
  return parts.length === 0 ? null : parts.length === 1 ? parts[0]! : both(parts);
}

function compileCondition<T extends Entity>(rows: Rows<T>, condition: Condition): Predicate {
  const { field } = condition;
  const fields = new Set([field]);
  if (field === "id") return compileId(rows, condition);
  const column = rows.column(field);
  const test = column.test(condition);
  if (condition.kind !== "in" || !(column instanceof DictionaryColumn)) {
    return { test, fields, candidates: null };
  }
  return {
    test,
    fields,
    candidates: {
      count: column.countOf(condition.values),
      list: () => column.slotsOf(condition.values),
    },
  };
}

function compileId<T extends Entity>(rows: Rows<T>, condition: Condition): Predicate {
  const fields = new Set<string>();
  if (condition.kind === "range") {
    const { gt, gte, lt, lte } = condition.range;
    const test: Test = (slot) => {
      const id = rows.idOf(slot);
      return (gt === undefined || id > gt) && (gte === undefined || id >= gte) &&
        (lt === undefined || id < lt) && (lte === undefined || id <= lte);
    };
    return { test, fields, candidates: null };
  }
  const wanted = new Set(condition.values);
  if (condition.kind === "not") {
    const isNamed = rows.testId(wanted);
    return { test: (slot) => !isNamed(slot), fields, candidates: null };
  }
  const list = () => [...wanted].flatMap((id) => rows.slotOf(String(id)) ?? []);
  return { test: rows.testId(wanted), fields, candidates: { count: wanted.size, list } };
}

function compileSearch<T extends Entity>(rows: Rows<T>, search: string): Predicate {
  const index = rows.search!;
  const slots = index.candidates(search);
  return {
    test: index.test(search),
    fields: new Set([SEARCH]),
    candidates: slots && { count: slots.length, list: () => slots },
  };
}

/** All parts must hold: candidates are those of the part with the fewest; parts are tested in the order given. */
function both(parts: readonly Predicate[]): Predicate {
  const known = parts.flatMap((part) => part.candidates ?? []);
  known.sort((a, b) => a.count - b.count);
  const tests = parts.map((part) => part.test);
  return {
    test: all(tests),
    fields: union(parts),
    candidates: known[0] ?? null,
  };
}

/** One branch must hold: candidates are known only when those of every branch are. */
function either(branches: readonly (Predicate | null)[]): Predicate {
  const parts = branches.filter((branch) => branch !== null);
  if (parts.length < branches.length) {
    return { test: () => true, fields: new Set(), candidates: null };
  }
  const known = parts.map((part) => part.candidates);
  const tests = parts.map((part) => part.test);
  return {
    test: any(tests),
    fields: union(parts),
    candidates: known.includes(null) ? null : {
      count: known.reduce((sum, part) => sum + part!.count, 0),
      list: () => [...new Set(known.flatMap((part) => part!.list()))],
    },
  };
}

/** Nested pairs: a call for each test beats a loop over them. */
function all([first, ...rest]: readonly Test[]): Test {
  if (!first || rest.length === 0) return first ?? (() => true);
  const others = all(rest);
  return (slot) => first(slot) && others(slot);
}

function any([first, ...rest]: readonly Test[]): Test {
  if (!first || rest.length === 0) return first ?? (() => false);
  const others = any(rest);
  return (slot) => first(slot) || others(slot);
}

function union(parts: readonly Predicate[]): Set<string> {
  return new Set(parts.flatMap((part) => [...part.fields]));
}
