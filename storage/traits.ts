// What the journal keeps of a changed record beside its id: the traits that its collection declares.
import type { Change, CollectionDeclaration, Entity, JournalChange, Traits } from "./port.ts";

type Write = Exclude<Change, { kind: "check" }>;

/** A change in the form in which the journal lists it. */
export function journalled(
  // deno-lint-ignore no-explicit-any -- declarations of different records
  declaration: CollectionDeclaration<any>,
  change: Write,
): JournalChange {
  const { kind: op, collection } = change;
  const before = change.kind === "insert" ? null : traitsOf(declaration.traits, change.before);
  const after = change.kind === "remove" ? before : traitsOf(declaration.traits, change.after);
  const { id } = change.kind === "remove" ? change.before : change.after;
  if (declaration.traits.length === 0) return { collection, id, op };
  const changed = before !== null && after !== null &&
    declaration.traits.some((field) => before[field] !== after[field]);
  return { collection, id, op, traits: after!, ...(changed ? { were: before } : {}) };
}

function traitsOf(fields: readonly string[], record: Entity): Traits {
  const traits: Record<string, string> = {};
  for (const field of fields) {
    const value = (record as unknown as Record<string, unknown>)[field];
    if (value !== undefined) traits[field] = String(value);
  }
  return traits;
}
