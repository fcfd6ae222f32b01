// The OpenAPI 3.1 document, from the declared endpoints.
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Endpoint } from "./endpoint.ts";
import { type ErrorCode, errorTable } from "./errors.ts";
import { fullPath } from "./mount.ts";
import type { Variant } from "./variants.ts";

/** Of the server and its API. */
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

const paginationSchema = z.object({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
  nextCursor: z.string().nullable(),
}).meta({ id: "Pagination" });

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
  });
  for (const endpoint of endpoints) {
    api.openAPIRegistry.registerPath(describe(endpoint, basePath, variant));
  }
  const document = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Quarterdeck",
      version: VERSION,
      description: `The admin-dashboard backend, variant ${variant.name}.`,
    },
    servers: [{ url: "/" }],
  });
  return document as unknown as Record<string, unknown>;
}

function describe(endpoint: Endpoint, basePath: string, variant: Variant) {
  const path = fullPath(endpoint, basePath);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return createRoute({
    method: endpoint.method,
    path,
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    security: endpoint.access === "public" ? [] : [{ bearer: [] }],
    request: {
      params: names.length > 0
        ? z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
        : undefined,
      query: endpoint.query as z.ZodObject | undefined,
      body: requestBody(endpoint),
    },
    responses: { ...success(endpoint), ...failures(endpoint, variant) },
  });
}

function operationId({ method, path }: Endpoint): string {
  const words = path.replaceAll(/[{}]/g, "").split(/[/\-.]/).filter(Boolean);
  return method + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
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
  return { required: true, content: { "application/json": { schema: endpoint.body } } };
}

function success(endpoint: Endpoint) {
  const status = endpoint.created ? 201 : 200;
  const description = endpoint.created ? "Created" : "Success";
  if (endpoint.raw) {
    const schema = endpoint.data ?? z.string();
    return { [status]: { description, content: { [endpoint.raw]: { schema } } } };
  }
  const schema = z.object({
    success: z.literal(true),
    ...(endpoint.data ? { data: endpoint.data } : {}),
    message: z.string().optional(),
    ...(endpoint.list ? { pagination: paginationSchema } : {}),
    ...endpoint.extra,
  });
  return { [status]: { description, content: { "application/json": { schema } } } };
}

function failures(endpoint: Endpoint, variant: Variant) {
  const codes = new Set<ErrorCode>(endpoint.errors);
  if (endpoint.query || endpoint.body || endpoint.upload) codes.add("VALIDATION_ERROR");
  if (endpoint.body || endpoint.upload) {
    codes.add("PAYLOAD_TOO_LARGE").add("UNSUPPORTED_MEDIA_TYPE");
  }
  if (endpoint.access !== "public" && endpoint.access !== "optional") codes.add("UNAUTHORIZED");
  if (endpoint.access !== "authenticated" && endpoint.access !== "public") codes.add("FORBIDDEN");
  const schema = variant.errors === "envelope" ? envelopeError : simpleError;
  return Object.fromEntries([...codes].map((code) => {
    const { status, message } = errorTable[code];
    return [status, { description: message, content: { "application/json": { schema } } }];
  }));
}
