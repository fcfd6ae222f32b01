// A checked filter as something that runs over rows: a test of a row, and the rows to test where an index knows them.
import type { Condition, Filter } from "../query.ts";
import type { Entity, Scalar } from "../port.ts";
import { isSearchable } from "../searched.ts";
import { meets, type Test } from "./column.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { type Rows, SEARCH } from "./rows.ts";

/** A set of rows outside of which none matches. */
export interface Candidates {
  readonly count: number;
  /** Each once, in no order. */
  list(): ArrayLike<number>;
}

export interface Predicate {
  readonly test: Test;
  /** The fields it looks at. */
  readonly fields: ReadonlySet<string>;
  /** Null: no such set is known. */
  readonly candidates: Candidates | null;
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
  if (field === "id") return compileId(rows, condition);
  const column = rows.column(field);
  const test = column.test(condition), fields = new Set([field]);
  if (condition.kind !== "in" || !(column instanceof DictionaryColumn)) {
    return { test, fields, candidates: null };
  }
  const { values } = condition;
  const candidates = { count: column.countOf(values), list: () => column.slotsOf(values) };
  return { test, fields, candidates };
}

/** An id never changes: no field is looked at. */
function compileId<T extends Entity>(rows: Rows<T>, condition: Condition): Predicate {
  const fields = new Set<string>();
  if (condition.kind === "range") {
    return { test: (slot) => meets(condition, rows.idOf(slot)), fields, candidates: null };
  }
  const wanted = new Set<Scalar>(condition.values), isIn = condition.kind === "in";
  const test: Test = (slot) => wanted.has(rows.idOf(slot)) === isIn;
  if (!isIn) return { test, fields, candidates: null };
  const list = () => [...wanted].map((id) => rows.slotOf(String(id))).filter((slot) => slot >= 0);
  return { test, fields, candidates: { count: wanted.size, list } };
}

function compileSearch<T extends Entity>(rows: Rows<T>, search: string): Predicate {
  const fields = new Set([SEARCH]);
  if (!isSearchable(search)) {
    return { test: () => false, fields, candidates: { count: 0, list: () => [] } };
  }
  const slots = rows.search!.candidates(search);
  return {
    test: rows.search!.test(search),
    fields,
    candidates: slots && { count: slots.length, list: () => slots },
  };
}

/** All parts must hold: candidates are those of the part with the fewest; parts are tested in the order given. */
function both(parts: readonly Predicate[]): Predicate {
  const known = parts.flatMap((part) => part.candidates ?? []);
  known.sort((a, b) => a.count - b.count);
  return {
    test: all(parts.map((part) => part.test)),
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
  return {
    test: any(parts.map((part) => part.test)),
    fields: union(parts),
    candidates: known.includes(null) ? null : {
      count: known.reduce((sum, part) => sum + part!.count, 0),
      list: () => [...new Set(known.flatMap((part) => Array.from(part!.list())))],
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
