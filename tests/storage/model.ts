// What a list, a count or an aggregate must answer, worked out from all records in the plainest way.
import type {
  AggregateQuery,
  CollectionDeclaration,
  Entity,
  Group,
  ListQuery,
  Range,
  Scalar,
  Where,
} from "../../store.ts";

const valueOf = (record: Entity, field: string): Scalar =>
  (record as unknown as Record<string, Scalar | undefined>)[field] ?? null;

function compare(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

export function matches<T extends Entity>(record: T, where: Where<T> = {}): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    if (wanted === undefined) return true;
    if (field === "any") return (wanted as Where<T>[]).some((branch) => matches(record, branch));
    const value = valueOf(record, field);
    if (Array.isArray(wanted)) return wanted.includes(value);
    if (typeof wanted !== "object" || wanted === null) return value === wanted;
    const { gt, gte, lt, lte } = wanted as Range;
    return value !== null && (gt === undefined || value > gt) &&
      (gte === undefined || value >= gte) && (lt === undefined || value < lt) &&
      (lte === undefined || value <= lte);
  });
}

/** All rows that match, in order. */
export function expectedRows<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  records: readonly T[],
  { where, search = "", sort = "-createdAt" }: ListQuery<T>,
): T[] {
  const field = sort.replace("-", "");
  const sign = sort.startsWith("-") ? -1 : 1;
  return records
    .filter((record) => matches(record, where))
    .filter((record) =>
      !search ||
      declaration.search.some((name) =>
        String(valueOf(record, name) ?? "").toLowerCase().includes(search.toLowerCase())
      )
    )
    .sort((a, b) => sign * (compare(valueOf(a, field), valueOf(b, field)) || compare(a.id, b.id)));
}

export function expectedGroups<T extends Entity>(
  records: readonly T[],
  { by, on = "createdAt", sum = [], where }: AggregateQuery<T>,
): Group[] {
  const keyOf = (record: T) => {
    if (by === undefined) return "";
    if (by === "day") return String(valueOf(record, on) ?? "").slice(0, 10);
    if (by === "month") return String(valueOf(record, on) ?? "").slice(0, 7);
    return String(valueOf(record, by) ?? "");
  };
  const groups = Map.groupBy(records.filter((record) => matches(record, where)), keyOf);
  return [...groups].map(([key, list]) => ({
    key,
    count: list.length,
    sums: Object.fromEntries(
      sum.map((field) => [
        field,
        list.reduce((total, record) => total + Number(valueOf(record, field) ?? 0), 0),
      ]),
    ),
  })).sort((a, b) => compare(a.key, b.key));
}
