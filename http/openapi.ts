// The OpenAPI 3.1 document, from the declared endpoints.
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bodyLimitOf, type Endpoint, fullPath } from "./endpoint.ts";
import { type ErrorCode, errorTable } from "../core/errors.ts";
import { parametersIn } from "../models/list_query.ts";
import { TOKEN_COOKIE } from "./cookies.ts";
import { tags } from "./tags.ts";
import type { Variant } from "../config/variants.ts";

/** The version of the server and its API. */
export const VERSION = "0.1.0";

const fieldErrors = z.array(z.object({ field: z.string(), message: z.string() }));

const envelopeError = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string(), message: z.string(), details: fieldErrors.optional() }),
  message: z.string(),
}).meta({ id: "Error" });

const simpleError = z.object({
  success: z.literal(false).optional(),
  message: z.string().optional(),
  error: z.string().optional(),
  details: fieldErrors.optional(),
}).meta({ id: "Error" });

/** What was ignored of the request. */
const warnings = fieldErrors.meta({ id: "Warnings" });

const paginationSchema = z.object({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
  nextCursor: z.string().nullable(),
}).meta({ id: "Pagination" });

/** The fields of draft-ietf-httpapi-ratelimit-headers-11. */
const limitHeaders = z.object({
  "RateLimit-Policy": z.string().meta({
    description: "The limits: q times in w seconds",
    example: '"share";q=30;w=60',
  }),
  "RateLimit": z.string().meta({
    description: "How often it may still be asked, r, in the next t seconds",
    example: '"share";r=29;t=60',
  }),
});

const refusedHeaders = limitHeaders.extend({
  "Retry-After": z.string().meta({ description: "Seconds to wait", example: "60" }),
});

/** Builds the document for the endpoints that a variant mounts. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { basePath, variant }: { basePath: string; variant: Variant },
): Record<string, unknown> {
  const api = new OpenAPIHono();
  api.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token that signing in gives",
  });
  api.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "qd_…",
    description:
      "An API key, in place of an access token: what its owner may do, within its scopes",
  });
  if (variant.cookies) {
    api.openAPIRegistry.registerComponent("securitySchemes", "cookie", {
      type: "apiKey",
      in: "cookie",
      name: TOKEN_COOKIE,
      description: "The cookie that signing in sets in this variant",
    });
  }
  for (const endpoint of endpoints) {
    for (const method of methodsOf(endpoint)) {
      api.openAPIRegistry.registerPath(describe(endpoint, method, basePath, variant));
    }
  }
  const document = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Quarterdeck",
      version: VERSION,
      description: `The admin-dashboard backend, variant ${variant.name}.`,
    },
    servers: [{ url: "/", description: "This server" }],
    tags: Object.entries(tags).filter(([name]) => endpoints.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
  });
  return document as unknown as Record<string, unknown>;
}

type Method = Endpoint["method"] | "patch";

/** PATCH is served wherever PUT is: both take only what changes. */
function methodsOf({ method }: Endpoint): readonly Method[] {
  return method === "put" ? ["put", "patch"] : [method];
}

function describe(endpoint: Endpoint, method: Method, basePath: string, variant: Variant) {
  const path = fullPath(endpoint, basePath);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return createRoute({
    method,
    path,
    operationId: operationIdOf(method, endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    security: securityOf(endpoint, variant),
    request: {
      params: names.length > 0
        ? z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
        : undefined,
      query: endpoint.query ? parametersIn(endpoint.query) : undefined,
      body: requestBody(endpoint),
    },
    responses: { ...success(endpoint), ...failures(endpoint, variant) },
  });
}

/** Any one of these schemes is enough; the empty one says that the call works without any. */
function securityOf({ access, ownSession }: Endpoint, { cookies }: Variant) {
  if (access === "public") return [];
  const schemes = [
    { bearer: [] },
    ...(ownSession ? [] : [{ apiKey: [] }]),
    ...(cookies ? [{ cookie: [] }] : []),
  ];
  return access === "optional" ? [{}, ...schemes] : schemes;
}

/** PATCH is another name of PUT, and an operation of its own to clients made from the document. */
function operationIdOf(method: Method, { operationId }: Endpoint): string {
  return method === "patch" ? `${operationId}ByPatch` : operationId;
}

function descriptionOf({ access, description }: Endpoint): string | undefined {
  if (access === "public" || access === "optional" || access === "authenticated") {
    return description;
  }
  const needed = `Needs the permission ${[access].flat().map((p) => `\`${p}\``).join(" or ")}.`;
  return description ? `${description} ${needed}` : needed;
}

function requestBody(endpoint: Endpoint) {
  if (endpoint.upload) {
    const file = z.string().meta({ format: "binary" });
    return {
      required: true,
      content: { "multipart/form-data": { schema: z.object({ file }) } },
    };
  }
  if (!endpoint.body) return undefined;
  return {
    required: true,
    description: `At most ${bodyLimitOf(endpoint)} bytes`,
    content: { "application/json": { schema: named(endpoint.body, requestNameOf(endpoint)) } },
  };
}

/** The schema as a component: under a name of its own, or else under this one. */
function named(schema: z.ZodType, id: string): z.ZodType {
  return schema.meta()?.id === undefined ? schema.meta({ ...schema.meta(), id }) : schema;
}

/** `CreateUserRequest` */
function requestNameOf({ operationId }: Endpoint): string {
  return `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Request`;
}

function success(endpoint: Endpoint): Parameters<typeof createRoute>[0]["responses"] {
  const status = endpoint.created ? 201 : 200;
  const description = endpoint.created ? "Created" : "Success";
  if (endpoint.errors?.includes("RANGE_NOT_SATISFIABLE")) return bytes();
  if (endpoint.redirects) return { 303: { description: "The browser goes on to another address" } };
  if (endpoint.raw) {
    const schema = endpoint.data ?? z.string();
    return { [status]: { description, content: { [endpoint.raw]: { schema } } } };
  }
  const schema = z.object({
    success: z.literal(true),
    ...(endpoint.data ? { data: endpoint.data } : {}),
    message: z.string().optional(),
    ...(endpoint.list ? { pagination: paginationSchema } : {}),
    ...(endpoint.list || endpoint.body ? { warnings: warnings.optional() } : {}),
    ...endpoint.extra,
  });
  const headers = endpoint.limits ? limitHeaders : undefined;
  return { [status]: { description, headers, content: { "application/json": { schema } } } };
}

/** A stored file, whole or a range of it (RFC 9110 section 14), in whatever type it was stored as. */
function bytes() {
  const content = { "*/*": { schema: z.string().meta({ format: "binary" }) } };
  const range = z.object({ "Content-Range": z.string() });
  return {
    200: { description: "The whole file, of its own media type", content },
    206: { description: "The range that was asked for", headers: range, content },
  };
}

function failures(endpoint: Endpoint, variant: Variant) {
  const codes = new Set<ErrorCode>(endpoint.errors);
  if (endpoint.query || endpoint.body || endpoint.upload) codes.add("VALIDATION_ERROR");
  if (endpoint.body || endpoint.upload) {
    codes.add("PAYLOAD_TOO_LARGE").add("UNSUPPORTED_MEDIA_TYPE");
  }
  // Where access is optional, an ended session is an error only when something is committed in the caller's name.
  const known = endpoint.access !== "optional" || endpoint.method !== "get";
  if (endpoint.access !== "public" && known) codes.add("UNAUTHORIZED");
  if (endpoint.access !== "authenticated" && endpoint.access !== "public") codes.add("FORBIDDEN");
  if (endpoint.stepUp) codes.add("STEP_UP_REQUIRED");
  // What a caller may leave behind, and change in a day, is bounded: see services/quotas.ts.
  if (endpoint.access !== "public" && endpoint.method !== "get") codes.add("RATE_LIMITED");
  if (endpoint.access !== "public" && endpoint.method === "post") {
    codes.add("CONFLICT").add("PAYLOAD_TOO_LARGE");
  }
  const schema = variant.errors === "envelope" ? envelopeError : simpleError;
  return Object.fromEntries([...codes].map((code) => {
    const { status, message } = errorTable[code];
    const headers = code === "RATE_LIMITED" ? refusedHeaders : undefined;
    return [status, { description: message, headers, content: { "application/json": { schema } } }];
  }));
}
