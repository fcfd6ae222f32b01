// The OpenAPI 3.1 document, from the declared endpoints.
import type { Variant } from "../config/variants.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Work } from "../core/slices.ts";
import { TOKEN_COOKIE } from "./cookies.ts";
import { bodyLimitOf, type Endpoint, fullPath, makesOne, readablePaths } from "./endpoint.ts";
import { introduction } from "./openapi/introduction.ts";
import { Parameters } from "./openapi/parameters.ts";
import { refusalsOf } from "./openapi/refusals.ts";
import { headersIn, Refusals, successOf } from "./openapi/responses.ts";
import { type Json, Schemas } from "./openapi/schemas.ts";
import { tags } from "./tags.ts";
import { VERSION } from "./version.ts";

/** What is sent and answered, by operationId: see tests/examples.ts. */
export type Examples = Readonly<
  Record<string, { readonly body?: unknown; readonly answer?: unknown }>
>;

export interface DocumentOptions {
  /** @default none */
  readonly examples?: Examples;
  readonly basePath: string;
  readonly variant: Variant;
}

/** The document for the endpoints that a variant mounts, in one go. */
export function openApiDocument(endpoints: readonly Endpoint[], options: DocumentOptions): Json {
  const work = describing(endpoints, options);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The same, with the event loop held for a part of one endpoint at a time. */
export function* describing(
  endpoints: readonly Endpoint[],
  { basePath, variant, examples = {} }: DocumentOptions,
): Work<Json> {
  const schemas = new Schemas();
  const parameters = new Parameters(schemas);
  const refusals = new Refusals(schemas, variant);
  const paths: Record<string, Json> = {};
  const readable = readablePaths(endpoints, basePath);
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint, basePath);
    const example = examples[endpoint.operationId];
    const taken = yield* parameters.of(endpoint, basePath);
    yield;
    const body = requestBody(endpoint, schemas, example?.body);
    yield;
    const operation = {
      tags: [endpoint.tag],
      summary: endpoint.summary,
      description: descriptionOf(endpoint),
      security: securityOf(endpoint, variant),
      parameters: taken,
      requestBody: body,
      responses: {
        ...shown(
          successOf(endpoint, schemas, makesOne(endpoint) && readable.has(path)),
          answerOf(endpoint, example?.answer),
        ),
        ...refused(endpoint, refusals),
      },
    };
    const at = paths[path] ??= {};
    for (const method of methodsOf(endpoint)) {
      at[method] = { operationId: operationIdOf(method, endpoint), ...operation };
    }
    yield;
  }
  return {
    openapi: "3.1.0",
    info: info(variant),
    servers: [{ url: "/", description: "This server" }],
    tags: Object.entries(tags).filter(([name]) => endpoints.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(schemas.components),
      parameters: sorted(parameters.components),
      headers: headersIn(paths, refusals.components),
      responses: sorted(refusals.components),
      securitySchemes: securitySchemes(variant),
    },
  };
}

function info(variant: Variant): Json {
  return {
    title: "Quarterdeck",
    version: VERSION,
    description: introduction(variant),
    license: { name: "MIT", identifier: "MIT" },
  };
}

function sorted(components: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => a < b ? -1 : 1));
}

type Method = Endpoint["method"] | "patch";

/** PATCH is served wherever PUT is: both take only what changes. */
function methodsOf({ method }: Endpoint): readonly Method[] {
  return method === "put" ? ["put", "patch"] : [method];
}

/** PATCH is another name of PUT, and an operation of its own to clients made from the document. */
function operationIdOf(method: Method, { operationId }: Endpoint): string {
  return method === "patch" ? `${operationId}ByPatch` : operationId;
}

function securitySchemes({ cookies }: Variant): Json {
  return {
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "The access token that signing in gives",
    },
    apiKey: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "qd_…",
      description:
        "An API key, in place of an access token: what its owner may do, within its scopes",
    },
    ...(cookies
      ? {
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: TOKEN_COOKIE,
          description: "The cookie that signing in sets in this variant",
        },
      }
      : {}),
  };
}

/** Any one of these schemes is enough; the empty one says that the call works without any. */
function securityOf({ access, ownSession }: Endpoint, { cookies }: Variant): Json[] {
  if (access === "public") return [];
  const schemes = [
    { bearer: [] },
    ...(ownSession ? [] : [{ apiKey: [] }]),
    ...(cookies ? [{ cookie: [] }] : []),
  ];
  return access === "optional" ? [{}, ...schemes] : schemes;
}

function descriptionOf({ access, description }: Endpoint): string | undefined {
  if (access === "public" || access === "optional" || access === "authenticated") {
    return description;
  }
  const needed = `Needs the permission ${[access].flat().map((p) => `\`${p}\``).join(" or ")}.`;
  return description ? `${description} ${needed}` : needed;
}

/** An example is the same in all variants, but for data that one of them leaves out: see signingIn. */
function answerOf({ data }: Endpoint, answer: unknown): unknown {
  if (data || typeof answer !== "object" || answer === null) return answer;
  const { data: _, ...rest } = answer as Json;
  return rest;
}

/** The responses with an example of the one in JSON. */
function shown(responses: Record<string, Json>, example: unknown): Record<string, Json> {
  if (example === undefined) return responses;
  for (const { content } of Object.values(responses)) {
    const json = (content as Record<string, Json> | undefined)?.["application/json"];
    if (json) json.example = example;
  }
  return responses;
}

function requestBody(endpoint: Endpoint, schemas: Schemas, example: unknown): Json | undefined {
  if (endpoint.upload) {
    const properties = { file: { type: "string", format: "binary" } };
    const schema = { type: "object", required: ["file"], properties };
    return { required: true, content: { "multipart/form-data": { schema } } };
  }
  if (!endpoint.body) return undefined;
  const { operationId } = endpoint;
  const name = `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Request`;
  const schema = endpoint.csv ? { type: "string" } : schemas.named(name, endpoint.body);
  const shown = { schema, ...(example === undefined ? {} : { example }) };
  return {
    required: !endpoint.body.safeParse(undefined).success,
    description: `At most ${bodyLimitOf(endpoint)} bytes`,
    content: { [endpoint.csv ? "text/csv" : "application/json"]: shown },
  };
}

function refused(endpoint: Endpoint, refusals: Refusals): Json {
  const byStatus = [...refusalsOf(endpoint, refusals.variant)];
  const known = byStatus.some(([status]) => status < 500);
  const { upload, raw, data, errors = [] } = endpoint;
  const isProbe = raw === "application/json" && data && errors.includes("UNAVAILABLE");
  const told = (status: number, codes: readonly ErrorCode[]) => {
    if (upload && status === 400) return refusals.ofUpload(codes);
    return isProbe && status === 503 ? refusals.ofProbe(codes, data) : refusals.of(codes);
  };
  return {
    ...Object.fromEntries(byStatus.map(([status, codes]) => [status, told(status, codes)])),
    // By its number: generators of clients such as orval make no code that compiles of a range.
    ...(known ? {} : { 400: refusals.malformed() }),
    // What sends a browser on has no answer of the 2xx: what else it may answer with is an error.
    ...(endpoint.redirects ? { default: refusals.malformed() } : {}),
  };
}
