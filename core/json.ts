// JSON that is made once and sent many times.
import type { z } from "zod";

/** Text that is already JSON: the answer takes it as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/**
 * Joins texts into a JSON array. They are added one by one: V8 copies all of it once, when it is sent, where `join` would
 * first copy each text that is itself put together.
 */
export function jsonArray(items: readonly JsonText[]): JsonText {
  let text = "";
  for (const item of items) text += text === "" ? item.text : `,${item.text}`;
  return new JsonText(`[${text}]`);
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
