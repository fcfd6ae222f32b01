// Which fields of a body no schema takes: they are ignored, and the client is told so.
import type { z } from "zod";
import { nearest } from "../core/nearest.ts";
import type { FieldError } from "../core/errors.ts";

/** Fields that are named at most: a body may hold many more. */
const MAX_NAMED = 20;
/** Characters of a field's name that are repeated to whoever sent it. */
const SHOWN = 100;

/**
 * The fields of a body that its schema does not know, at any depth, by their dotted paths.
 *
 * @param value Accepted by the schema.
 */
export function unknownFields(schema: z.ZodType, value: unknown): FieldError[] {
  const found: FieldError[] = [];
  collect(schema as z.core.$ZodType, value, "", found);
  return found;
}

function collect(
  schema: z.core.$ZodType,
  value: unknown,
  path: string,
  found: FieldError[],
): void {
  if (typeof value !== "object" || value === null || found.length >= MAX_NAMED) return;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return collectFields(def, value, path, found);
    case "array":
      if (Array.isArray(value)) {
        value.forEach((item, n) => collect(def.element, item, `${path}${n}.`, found));
      }
      return;
    case "union":
      return collectOfUnion(def.options, value, path, found);
    case "pipe":
      return collect(def.in._zod.def.type === "transform" ? def.out : def.in, value, path, found);
    case "optional":
    case "nullable":
    case "default":
      return collect(def.innerType, value, path, found);
  }
}

function collectFields(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
  path: string,
  found: FieldError[],
): void {
  if (catchall) return;
  for (const [field, inner] of Object.entries(value)) {
    const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (known) collect(known, inner, `${path}${field}.`, found);
    else if (found.length < MAX_NAMED) {
      const near = nearest(field, Object.keys(shape));
      found.push({
        field: `${path}${field}`.slice(0, SHOWN),
        message: `is not known here${near === null ? "" : `: the nearest known field is ${near}`}`,
      });
    }
  }
}

/** The branch that leaves the fewest fields unknown is the one that was meant. */
function collectOfUnion(
  options: readonly z.core.$ZodType[],
  value: object,
  path: string,
  found: FieldError[],
): void {
  const ofEach = options.map((option) => {
    const unknown: FieldError[] = [];
    const { type } = option._zod.def;
    const takesObjects = !["string", "number", "boolean", "enum", "literal"].includes(type);
    if (takesObjects) collect(option, value, path, unknown);
    return takesObjects ? unknown : null;
  }).filter((unknown) => unknown !== null);
  const [least] = ofEach.sort((a, b) => a.length - b.length);
  found.push(...(least ?? []).slice(0, MAX_NAMED - found.length));
}
