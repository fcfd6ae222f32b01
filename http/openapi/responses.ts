// The responses of the document: what an endpoint answers with, and how errors look.
import { z } from "zod";
import { type ErrorCode, errorTable } from "../../core/errors.ts";
import type { Variant } from "../../config/variants.ts";
import type { Endpoint } from "../endpoint.ts";
import { MISSING_PERMISSION, OTHER_PROBLEM } from "../language.ts";
import { texts } from "../texts/catalogue.ts";
import type { Json, Schemas } from "./schemas.ts";

const count = z.int().min(0);

const pagination = z.object({
  page: z.int().min(1),
  limit: z.int().min(1),
  total: count.meta({ description: "Records that match, on all pages" }),
  totalPages: count,
  nextCursor: z.string().nullable().meta({
    description: "Leads on through everything as `cursor`; null on the last page",
  }),
}).meta({ id: "Pagination" });

const problemCode = z.enum([...Object.keys(texts), MISSING_PERMISSION, OTHER_PROBLEM]).meta({
  id: "ProblemCode",
  description: "What is wrong. Codes never change, but more may come; messages may change.",
});

const fieldError = z.object({
  field: z.string().meta({ description: "A dotted path, such as members.0.role" }),
  message: z.string().meta({
    description: "In the language of Accept-Language: English or Chinese",
  }),
  code: problemCode,
}).meta({ id: "FieldError" });

const warnings = z.array(fieldError).meta({
  id: "Warnings",
  description: "What was ignored of the request",
});

const errorCode = z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]).meta({
  id: "ErrorCode",
  description: "What kind of error it is. Codes never change; messages may.",
});

const envelopeError = z.object({
  success: z.literal(false),
  error: z.object({
    code: errorCode,
    message: z.string(),
    details: z.array(fieldError).optional(),
  }),
  message: z.string().meta({ description: "That of the error" }),
}).meta({ id: "Error" });

const missingFile = z.object({ success: z.literal(false), error: z.string() }).meta({
  id: "MissingFile",
  description: "Where an upload has no part `file`",
});

const simpleError = z.object({
  success: z.literal(false).optional(),
  message: z.string().optional(),
  error: z.string().optional(),
  details: z.array(fieldError).optional(),
}).meta({ id: "Error" });

const problem = z.object({
  type: z.string().meta({ format: "uri-reference" }),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: errorCode,
  errors: z.array(fieldError).optional(),
}).meta({ id: "Problem", description: "Problem details (RFC 9457), for who accepts them" });

const header = (description: string, example: string): Json => ({
  description,
  schema: { type: "string" },
  example,
});

/** Headers that several responses have, by their name in the document. */
const HEADERS: Readonly<Record<string, Json>> = {
  "RateLimit-Policy": header("The limits: q times in w seconds", '"share";q=30;w=60'),
  "RateLimit": header(
    "How often it may still be asked, r, in the next t seconds",
    '"share";r=29;t=60',
  ),
  "Retry-After": header("Seconds to wait", "60"),
  "Location": header("Where the record that was made is", "/api/documents/0199f0e2"),
  "Link": header(
    "The first, previous, next and last page (RFC 8288)",
    '</api/users?page=2>; rel="next"',
  ),
  "X-Total-Count": header("Records that match, on all pages", "42"),
  "Content-Range": header("Which bytes of how many these are", "bytes 0-99/1234"),
};

/** Those headers that are referred to in a part of the document. */
export function headersIn(...parts: readonly unknown[]): Json {
  const text = JSON.stringify(parts);
  const used = Object.entries(HEADERS).filter(([name]) =>
    text.includes(`"#/components/headers/${name}"`)
  );
  return Object.fromEntries(used);
}

function headersOf(...names: readonly string[]): Json {
  const entries = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return Object.fromEntries(entries);
}

const LIMITS = ["RateLimit-Policy", "RateLimit"];

/**
 * What the endpoint answers with when all is well, by status.
 *
 * @param located The record that it makes is read at a path of its own.
 */
export function successOf(
  endpoint: Endpoint,
  schemas: Schemas,
  located: boolean,
): Record<string, Json> {
  const [status, description] = successStatus(endpoint);
  if (endpoint.errors?.includes("RANGE_NOT_SATISFIABLE")) return bytes();
  if (endpoint.redirects) {
    return { "303": { description: "The browser goes on to another address" } };
  }
  if (endpoint.raw) {
    const schema = endpoint.data ? schemas.ofAnswer(endpoint.data) : untold(endpoint.raw);
    const other = endpoint.rawOr ? { [endpoint.rawOr]: { schema: untold(endpoint.rawOr) } } : {};
    return {
      [status]: { description, content: { [endpoint.raw]: { schema }, ...other } },
      ...(endpoint.movedWhen ? { "302": { description: endpoint.movedWhen } } : {}),
    };
  }
  const names = [
    ...(endpoint.limits ? LIMITS : []),
    ...(endpoint.list ? ["Link", "X-Total-Count"] : []),
    ...(located ? ["Location"] : []),
  ];
  const headers = names.length > 0 ? { headers: headersOf(...names) } : {};
  const content = { "application/json": { schema: envelopeOf(endpoint, schemas) } };
  return { [status]: { description, ...headers, content } };
}

function successStatus({ created, accepted }: Endpoint): [status: string, description: string] {
  if (created) return ["201", "Created"];
  return accepted ? ["202", "Begun"] : ["200", "Success"];
}

/** What is said of a body whose endpoint declares no schema. */
function untold(mediaType: string): Json {
  return mediaType === "application/json" ? { type: "object" } : { type: "string" };
}

/** The envelope with the data, and what stands beside it. */
function envelopeOf(endpoint: Endpoint, schemas: Schemas): Json {
  const { data, list, body, extra = {} } = endpoint;
  const required = [
    "success",
    ...(data && !maybeNone(data) ? ["data"] : []),
    ...(list ? ["pagination"] : []),
  ];
  const properties: Json = {
    success: { type: "boolean", const: true },
    ...(data ? { data: withReferences(endpoint, schemas.ofAnswer(data), schemas) } : {}),
    message: { type: "string" },
    ...(list ? { pagination: schemas.ofAnswer(pagination) } : {}),
    ...(list || body ? { warnings: schemas.ofAnswer(warnings) } : {}),
  };
  for (const [name, schema] of Object.entries(extra)) properties[name] = schemas.ofAnswer(schema);
  return { type: "object", required, properties };
}

function maybeNone(schema: z.ZodType): boolean {
  return schema.type === "optional" || schema.safeParse(undefined).success;
}

/** The data, each record with the references that `include` adds. */
function withReferences({ include }: Endpoint, data: Json, schemas: Schemas): Json {
  if (!include) return data;
  const properties = Object.fromEntries(
    Object.entries(include).map(([name, { schema }]) => [name, schemas.ofAnswer(schema)]),
  );
  const extended = (record: unknown) => ({
    allOf: [record, {
      type: "object",
      description: "What `include` asks for, as far as the caller may see it",
      properties,
    }],
  });
  return data.type === "array" ? { ...data, items: extended(data.items) } : extended(data);
}

/** A stored file, whole or a range of it (RFC 9110 section 14), in whatever type it was stored as. */
function bytes(): Record<string, Json> {
  const content = { "*/*": { schema: { type: "string", format: "binary" } } };
  return {
    "200": { description: "The whole file, of its own media type", content },
    "206": {
      description: "The range that was asked for",
      headers: headersOf("Content-Range"),
      content,
    },
  };
}

/** The shared responses of errors, each made when it is first referred to. */
export class Refusals {
  readonly components: Record<string, Json> = {};

  constructor(readonly schemas: Schemas, readonly variant: Variant) {}

  /** The response of a status, for any of these codes. */
  of(codes: readonly ErrorCode[]): Json {
    const name = codes.map(pascal).join("Or");
    this.components[name] ??= this.#describe(codes);
    return { $ref: `#/components/responses/${name}` };
  }

  /** What is wrong with an upload: some variants tell in a form of its own that there is none. */
  ofUpload(codes: readonly ErrorCode[]): Json {
    if (this.variant.missingFile === "envelope") return this.of(codes);
    const message = "Cannot take the upload: it has no part 'file'";
    const examples = { MISSING_FILE: { value: { success: false, error: message } } };
    this.components.UnfitUpload ??= this.#describeOr(codes, missingFile, examples);
    return { $ref: "#/components/responses/UnfitUpload" };
  }

  /** What a health check tells of an outage: in the form that it has when all is well. */
  ofProbe(codes: readonly ErrorCode[], told: z.ZodType): Json {
    return this.#describeOr(codes, told);
  }

  /** Where no other error is known: a request that is not HTTP as it should be. */
  malformed(): Json {
    this.components.Malformed ??= {
      ...this.#describe(["VALIDATION_ERROR"]),
      description: "The request is not HTTP as it should be.",
    };
    return { $ref: "#/components/responses/Malformed" };
  }

  /** The errors, or an answer of another form in their place. */
  #describeOr(codes: readonly ErrorCode[], other: z.ZodType, more: Json = {}): Json {
    const { content, ...rest } = this.#describe(codes) as { content: Record<string, Json> };
    const { schema, examples } = content["application/json"]!;
    const either = {
      schema: { anyOf: [this.schemas.ofAnswer(other), schema] },
      examples: { ...examples as Json, ...more },
    };
    return { ...rest, content: { ...content, "application/json": either } };
  }

  #describe(codes: readonly ErrorCode[]): Json {
    const { schemas, variant } = this;
    const schema = variant.errors === "envelope" ? envelopeError : simpleError;
    const limited = codes.includes("RATE_LIMITED");
    const waits = codes.includes("UNAVAILABLE");
    const names = limited ? [...LIMITS, "Retry-After"] : waits ? ["Retry-After"] : [];
    const examples = (make: (code: ErrorCode) => Json) =>
      Object.fromEntries(codes.map((code) => [code, { value: make(code) }]));
    return {
      description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}.`).join(" "),
      ...(names.length > 0 ? { headers: headersOf(...names) } : {}),
      content: {
        "application/json": {
          schema: schemas.ofAnswer(schema),
          examples: examples((code) => errorExample(code, variant)),
        },
        "application/problem+json": {
          schema: schemas.ofAnswer(problem),
          examples: examples(problemExample),
        },
      },
    };
  }
}

/** `NOT_FOUND` as `NotFound`. */
function pascal(code: string): string {
  return code.split("_").map((word) => word[0] + word.slice(1).toLowerCase()).join("");
}

function errorExample(code: ErrorCode, variant: Variant): Json {
  const { status, message } = errorTable[code];
  if (variant.errors === "envelope") return { success: false, error: { code, message }, message };
  return status === 401 ? { error: message } : { success: false, message };
}

function problemExample(code: ErrorCode): Json {
  const { status, message } = errorTable[code];
  return { type: `/api/docs/errors#${code}`, title: message, status, detail: message, code };
}
