// JSON Schema (2020-12, that of OpenAPI 3.1) from the declared schemas; those with a name become components.
import { z } from "zod";

/** A JSON Schema, or a part of one. */
export type Json = Record<string, unknown>;

/** What is read of a request, or what an answer shows: defaults and conversions lie between them. */
type Side = "input" | "output";

/** The schemas of one document. */
export class Schemas {
  /** Named schemas, by name. */
  readonly components: Record<string, Json> = {};
  readonly #made = new Map<z.ZodType, Json>();

  /** What a request may send. */
  ofRequest(schema: z.ZodType): Json {
    return this.#of(schema, "input");
  }

  /** What an answer shows. */
  ofAnswer(schema: z.ZodType): Json {
    return this.#of(schema, "output");
  }

  /** Gives a schema of a request a name, unless it has one. */
  named(name: string, schema: z.ZodType): Json {
    const made = this.ofRequest(schema);
    return "$ref" in made ? made : this.add(name, made);
  }

  /** @throws {Error} For two schemas of one name. */
  add(name: string, schema: Json): Json {
    const before = this.components[name];
    if (before && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas are called ${name}`);
    }
    this.components[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  #of(schema: z.ZodType, io: Side): Json {
    const before = this.#made.get(schema);
    if (before) return before;
    // Within an object a named schema is a reference, as it is everywhere else.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: "any",
      override({ zodSchema, jsonSchema }) {
        plain(jsonSchema as Json);
        if (io === "input") withDefault(zodSchema, jsonSchema as Json);
      },
    });
    for (const [name, definition] of Object.entries($defs)) {
      this.add(name, placed(definition as Json));
    }
    const made = placed(properties!.it as Json);
    this.#made.set(schema, made);
    return made;
  }
}

const REFERENCE = /^#\/\$defs\//;

/** With references that lead to the components. */
function placed(schema: Json): Json {
  const text = JSON.stringify(schema, (name, value) => {
    if (name === "$ref") return String(value).replace(REFERENCE, "#/components/schemas/");
    return name === "id" && typeof value === "string" ? undefined : value;
  });
  return JSON.parse(text);
}

/** Takes out what zod says beside what a reader needs. */
function plain(schema: Json): void {
  const { type, format, anyOf } = schema;
  // An answer may get more fields in a later version.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // A parameter that is written as text and read as something else, as its `meta` says.
  if (type === "integer" || type === "number" || type === "boolean") {
    delete schema.pattern;
    delete schema.enum;
  }
  if (Array.isArray(anyOf) && anyOf.length === 2) foldNull(schema, anyOf);
}

/** What counts where nothing is sent: zod leaves it out where what is sent is converted first. */
function withDefault({ _zod: { def } }: z.core.$ZodType, schema: Json): void {
  if (def.type === "default") schema.default ??= (def as z.core.$ZodDefaultDef).defaultValue;
}

/** `anyOf: [text, null]` as one type with two names, where it is a scalar. */
function foldNull(schema: Json, anyOf: readonly Json[]): void {
  const [some, none] = anyOf;
  if (none!.type !== "null" || typeof some!.type !== "string" || some!.enum) return;
  delete schema.anyOf;
  Object.assign(schema, some, { type: [some!.type, "null"] });
}
