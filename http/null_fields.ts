// Which fields of a body are null where they may be left out: not "required", as what is missing is.
import type { z } from "zod";

export const NOT_NULL = "must not be null: leave it out, or give a value";

/**
 * Whether the body has null at a path whose field its schema lets be left out.
 *
 * @param path Of a problem: the names of fields and the places in lists.
 */
export function isNeedlessNull(
  schema: z.ZodType,
  body: unknown,
  path: readonly PropertyKey[],
): boolean {
  let value = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === null && isOptionalAt(schema as z.core.$ZodType, path);
}

function isOptionalAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return schema._zod.optin !== undefined;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const field = Object.hasOwn(def.shape, key) ? def.shape[key as string] : undefined;
      return field !== undefined && isOptionalAt(field, rest);
    }
    case "array":
      return isOptionalAt(def.element, rest);
    case "union":
      return def.options.some((option) => isOptionalAt(option, path));
    case "pipe":
      return isOptionalAt(def.in._zod.def.type === "transform" ? def.out : def.in, path);
    case "optional":
    case "nullable":
    case "default":
      return isOptionalAt(def.innerType, path);
    default:
      return false;
  }
}
