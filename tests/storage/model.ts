// What a list, a count or an aggregate must answer, worked out from all records in the plainest way.
import type {
  AggregateQuery,
  CollectionDeclaration,
  Entity,
  FieldWhere,
  Group,
  ListQuery,
  Scalar,
  Where,
} from "../../storage/port.ts";

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
    if (field === "all") return (wanted as Where<T>[]).every((branch) => matches(record, branch));
    const value = valueOf(record, field);
    if (Array.isArray(wanted)) return wanted.includes(value);
    if (typeof wanted !== "object" || wanted === null) return value === wanted;
    const { in: values, ne, gt, gte, lt, lte } = wanted as FieldWhere;
    if (values && !values.includes(value)) return false;
    if (ne !== undefined && [ne].flat().includes(value)) return false;
    const bounds = [gt, gte, lt, lte].filter((bound) => bound !== undefined);
    return bounds.length === 0 || value !== null && (gt === undefined || value > gt) &&
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
  // A field that is named again decides nothing.
  const parts = sort.split(",").map((part) => ({
    field: part.replace("-", ""),
    sign: part.startsWith("-") ? -1 : 1,
  })).filter(({ field }, n, all) => all.findIndex((one) => one.field === field) === n);
  parts.push({ field: "id", sign: parts.at(-1)!.sign });
  return records
    .filter((record) => matches(record, where))
    .filter((record) =>
      !search ||
      declaration.search.some((name) =>
        String(valueOf(record, name) ?? "").toLowerCase().includes(search.toLowerCase())
      )
    )
    .sort((a, b) => {
      for (const { field, sign } of parts) {
        const compared = sign * compare(valueOf(a, field), valueOf(b, field));
        if (compared !== 0) return compared;
      }
      return 0;
    });
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
