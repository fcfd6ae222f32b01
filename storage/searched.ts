// What a search looks into: one definition for memory and for the relational engines.
import type { CollectionDeclaration, Entity, Scalar } from "./port.ts";

/** Stands between two fields (ASCII's unit separator), so that no term matches across them. */
export const SEPARATOR = "\u001f";

/** The field of a record; null where it is absent. */
export function valueOf(record: Entity, field: string): Scalar {
  return (record as unknown as Record<string, Scalar | undefined>)[field] ?? null;
}

/** What a search compares: the text in lower case, its accents composed (NFC), since systems write them in two ways. */
export function comparable(text: string): string {
  return text.toLowerCase().normalize();
}

/** The searched fields, as a search compares them. */
export function searchText<T extends Entity>(
  { search }: CollectionDeclaration<T>,
  record: T,
): string {
  return comparable(search.map((field) => valueOf(record, field) ?? "").join(SEPARATOR));
}

/** False for a term that no field can hold. */
export function isSearchable(term: string): boolean {
  return !term.includes(SEPARATOR) && !term.includes("\0");
}
