// Declared endpoints as tools of the Model Context Protocol: their names, their schemas, and the requests they stand for.
import { z } from "zod";
import { nextTurn } from "../core/delay.ts";
import { parametersIn } from "../models/list_query.ts";
import { commitsOf, type Endpoint, fullPath, type InnerRequest, makesOne } from "./endpoint.ts";

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

interface ObjectSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** Whether an endpoint is one for programs: uploads, streams and what makes credentials are not. */
export function isTool(endpoint: Endpoint): boolean {
  const { upload, raw, redirects, secret, ownSession, root } = endpoint;
  return !upload && !raw && !redirects && !secret && !ownSession && !root;
}

/** Characters of a pattern that nobody reads. */
const LONG = 80;

const toolByEndpoint = new WeakMap<Endpoint, Tool>();

/** The tools of the endpoints. Schemas are made once, each in a turn of its own: all of them take a while. */
export async function toolsOf(endpoints: readonly Endpoint[]): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  for (const endpoint of endpoints) {
    let tool = toolByEndpoint.get(endpoint);
    if (!tool) {
      await nextTurn();
      toolByEndpoint.set(endpoint, tool = toolOf(endpoint));
    }
    tools.push(tool);
  }
  return tools;
}

function toolOf(endpoint: Endpoint): Tool {
  const { operationId, summary, description, method } = endpoint;
  const reads = commitsOf(endpoint) === "never";
  return {
    name: operationId,
    title: summary,
    description: description ? `${summary}. ${description}` : summary,
    inputSchema: jsonSchema(inputOf(endpoint), "input"),
    outputSchema: jsonSchema(outputOf(endpoint), "output"),
    annotations: {
      readOnlyHint: reads,
      // What makes no record changes or removes those that are there, by POST too.
      destructiveHint: !reads && !makesOne(endpoint),
      idempotentHint: reads || method !== "post",
      openWorldHint: false,
    },
  };
}

/**
 * The parameters of the path and of the query by their names, and the body as `body`. A name in the path is that one's:
 * a list below a record may be filtered by `id` too, which is what no program needs.
 */
function inputOf(endpoint: Endpoint): z.ZodObject {
  const names = paramsOf(endpoint);
  const params = Object.fromEntries(names.map((name) => [name, z.string().min(1)]));
  const query = endpoint.query ? shortened(parametersIn(endpoint.query).shape) : {};
  return z.object({ ...query, ...params, ...(endpoint.body ? { body: endpoint.body } : {}) });
}

/** Without the endings that filters take, of which the instructions tell: they would be most of what is sent. */
function shortened(shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  const isEnding = (name: string) =>
    /_(in|ne|gte?|lte?)$/.test(name) && name.slice(0, name.lastIndexOf("_")) in shape;
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !isEnding(name)));
}

function outputOf({ data, list, extra }: Endpoint): z.ZodObject {
  return z.object({
    success: z.boolean(),
    message: z.string(),
    ...(data ? { data } : {}),
    ...(list ? { pagination: z.looseObject({ total: z.int() }) } : {}),
    ...extra,
  });
}

/**
 * @param io What an answer holds may be chosen (`fields`, `include`), so that the schema of an answer asks for no field
 * and forbids none.
 */
function jsonSchema(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // Each tool is read by a model: the format says what the pattern spells out, and so on.
      if (jsonSchema.format || Number(jsonSchema.pattern?.length) > LONG) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "input") return;
      delete jsonSchema.required;
      delete jsonSchema.additionalProperties;
    },
  });
  return json as ObjectSchema;
}

function paramsOf({ path }: Endpoint): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/**
 * The request that a tool stands for; whatever is no parameter of the path, and not the body, goes into the query.
 *
 * @returns What is missing, as a text, where a request cannot be made.
 */
export function requestFor(
  endpoint: Endpoint,
  basePath: string,
  args: Readonly<Record<string, unknown>>,
): InnerRequest | string {
  const rest = new Map(Object.entries(args));
  let path = fullPath(endpoint, basePath);
  for (const name of paramsOf(endpoint)) {
    const value = rest.get(name);
    rest.delete(name);
    if (typeof value !== "string" && typeof value !== "number" || value === "") {
      return `${name}: is required`;
    }
    path = path.replace(`{${name}}`, () => encodeURIComponent(String(value).toWellFormed()));
  }
  let body: unknown;
  if (endpoint.body) {
    body = rest.get("body") ?? {};
    rest.delete("body");
  }
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    if (value === null || value === undefined) continue;
    for (const one of [value].flat()) query.append(name, textOf(one));
  }
  const text = query.toString();
  return { method: endpoint.method.toUpperCase(), path: text ? `${path}?${text}` : path, body };
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
