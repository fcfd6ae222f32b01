// JSON that is made once and sent many times.
import type { z } from "zod";

/** Text that is already JSON: the answer takes it as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Joins texts into a JSON array: in one copy, where adding them one by one leaves a tree that is copied at the end. */
export function jsonArray(items: readonly JsonText[]): JsonText {
  return new JsonText(`[${items.map(({ text }) => text).join(",")}]`);
}

/**
 * A view that is remembered for as long as the stored record lives: records are replaced when they change, never
 * mutated, so there is nothing to invalidate. Every view goes through the public schema.
 *
 * @param shape Builds the public shape; `related` is whatever else it needs, compared by identity.
 */
export function rememberedView<R extends object, X, S extends z.ZodType>(
  schema: S,
  shape: (record: R, related: X) => z.input<S>,
): (record: R, related: X) => JsonText {
  const views = new WeakMap<R, { related: X; json: JsonText }>();
  return (record, related) => {
    const earlier = views.get(record);
    if (earlier !== undefined && earlier.related === related) return earlier.json;
    const json = new JsonText(JSON.stringify(schema.parse(shape(record, related))));
    views.set(record, { related, json });
    return json;
  };
}
