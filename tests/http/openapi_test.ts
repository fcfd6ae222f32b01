// The API document: valid, complete, and true to what is served.
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { endpointsOf } from "../../app.ts";
import { variants } from "../../config/variants.ts";
import { fullPath } from "../../http/endpoint.ts";
import { type Harness, harness } from "../harness.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: { readonly type?: string; readonly default?: unknown };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean };
  readonly security: readonly Record<string, unknown>[];
  readonly responses: Record<string, { content?: Record<string, unknown>; headers?: object }>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<"schemas" | "securitySchemes", Record<string, object>>;
}

/** The document, with the components in their places that are no schemas. */
async function documentOf(h: Harness): Promise<Document> {
  const { text, status } = await h.ask("GET", "/api/openapi.json");
  assert.equal(status, 200);
  const document = JSON.parse(text);
  const resolved = JSON.stringify(document.paths, (_, value) => {
    const [, , kind, name] = String(value?.$ref ?? "").split("/");
    return kind === "parameters" || kind === "responses" || kind === "headers"
      ? document.components[kind][name!]
      : value;
  });
  return { ...document, paths: JSON.parse(resolved) };
}

/** Every operation, with its method and path. */
function operations({ paths }: Document): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): [string, Operation] => [`${method} ${path}`, one])
  );
}

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`openapi: the document of ${variant} is valid OpenAPI 3.1, and names each operation once`, async () => {
    await using h = await harness({ variant });
    const document = await documentOf(h);
    const { body } = await h.ask("GET", "/api/openapi.json");
    const { valid, errors } = await new Validator().validate(body);
    assert.ok(valid, JSON.stringify(errors, null, 2));
    const ids = operations(document).map(([, { operationId }]) => operationId);
    assert.deepEqual(ids.filter((id, n) => ids.indexOf(id) !== n), []);
    const put = operations(document).filter(([name]) => name.startsWith("put "));
    for (const [name] of put) {
      const path = name.slice("put ".length);
      assert.ok(document.paths[path]!.patch, `${path} takes PATCH too`);
    }
    assert.equal("cookie" in document.components.securitySchemes, variant === "web");
  });
}

Deno.test("openapi: operations have one name each in all variants, and groups that are described", async () => {
  const routesById = new Map<string, string>();
  for (const variant of Object.values(variants)) {
    for (const { operationId, method, path, root } of endpointsOf(variant)) {
      assert.match(operationId, /^[a-z]+([A-Z][a-z]+)*$/);
      const route = `${method} ${root ? path : `…${path}`}`;
      assert.equal(routesById.get(operationId) ?? route, route, `two routes are ${operationId}`);
      routesById.set(operationId, route);
    }
  }
  const routes = [...routesById.values()];
  assert.deepEqual(routes.filter((route, n) => routes.indexOf(route) !== n), [], "two names");
  for (const id of ["listUsers", "getUser", "createUser", "updateUser", "deleteUser"]) {
    assert.ok(routesById.has(id), id);
  }
  await using h = await harness({ variant: "full" });
  const document = await documentOf(h);
  const described = document.tags.filter(({ description }) => description !== "");
  const groups = described.map(({ name }) => name).sort();
  const used = new Set(operations(document).flatMap(([, { tags }]) => tags));
  assert.deepEqual(groups, [...used].sort());
  for (const name of ["User", "Document", "Error", "Pagination", "CreateUserRequest"]) {
    assert.ok(document.components.schemas[name], name);
  }
});

Deno.test("openapi: answers have statuses, no ranges of them: generators of clients stumble over those", async () => {
  for (const variant of ["compact", "full", "web", "snippets"]) {
    await using h = await harness({ variant });
    for (const [path, methods] of Object.entries((await documentOf(h)).paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        for (const status of Object.keys(responses)) {
          assert.match(status, /^(\d{3}|default)$/, `${method} ${path}`);
        }
      }
    }
  }
});

Deno.test("openapi: a body that may be left out is not told to be required", async () => {
  await using h = await harness({ variant: "full" });
  const optional = Object.values((await documentOf(h)).paths).flatMap(Object.values)
    .filter(({ requestBody }) => requestBody?.required === false)
    .map(({ operationId }) => operationId);
  assert.deepEqual(optional.sort(), [
    "copyDocument",
    "copyFile",
    "createFileLink",
    "markFile",
    "refreshTokens",
  ]);
});

Deno.test("openapi: whole numbers and conditions of queries have their types", async () => {
  await using h = await harness({ variant: "full" });
  const numbers = /^(page|limit|pageSize|days|months|size_gte|version_lt)$/;
  let seen = 0;
  for (const [name, { parameters = [] }] of operations(await documentOf(h))) {
    for (const { name: parameter, in: place, schema } of parameters) {
      if (place !== "query" || !numbers.test(parameter)) continue;
      seen++;
      assert.equal(schema.type, "integer", `${name}: ${parameter}`);
    }
  }
  assert.ok(seen > 40, `only ${seen} were seen`);
  const { paths } = await documentOf(h);
  const byName = new Map(
    paths["/api/files"]!.get!.parameters!.map((one) => [one.name, one.schema]),
  );
  assert.equal(byName.get("type")!.type, "array");
  assert.deepEqual(byName.get("isFavorite_ne"), {
    type: "array",
    items: { type: "boolean" },
    maxItems: 500,
  });
});

Deno.test("openapi: what counts where nothing is sent is told, of bodies and of queries", async () => {
  await using h = await harness({ variant: "full" });
  const { paths, components: { schemas } } = await documentOf(h);
  const inBody = (name: string, field: string) =>
    (schemas[name] as { properties: Record<string, { default?: unknown }> }).properties[field]!
      .default;
  assert.equal(inBody("CreateSnippetRequest", "language"), "html");
  assert.equal(inBody("CreateDocumentRequest", "type"), "document");
  assert.deepEqual(inBody("CreateDocumentRequest", "tags"), []);
  assert.equal(inBody("ShareDocumentRequest", "permission"), "read");
  const inQuery = (path: string, name: string) =>
    paths[path]!.get!.parameters!.find((one) => one.name === name)!.schema.default;
  assert.equal(inQuery("/api/dashboard/visits", "days"), 7);
  assert.equal(inQuery("/api/dashboard/sales", "months"), 12);
  assert.equal(inQuery("/api/calendar/events/upcoming", "days"), 7);
});

Deno.test("openapi: downloads give any media type, whole or a range", async () => {
  await using h = await harness({ variant: "full" });
  const document = await documentOf(h);
  const ranged = h.app.endpoints.filter(({ errors }) => errors?.includes("RANGE_NOT_SATISFIABLE"));
  assert.equal(ranged.length, 6);
  for (const endpoint of ranged) {
    const { responses } = document.paths[fullPath(endpoint, "/api")]!.get!;
    for (const status of ["200", "206"]) {
      assert.deepEqual(Object.keys(responses[status]!.content!), ["*/*"]);
    }
    assert.ok("Content-Range" in responses["206"]!.headers!);
    assert.ok(responses["416"]);
  }
});

Deno.test("openapi: who may call is told as it is", async () => {
  await using h = await harness({ variant: "web" });
  const document = await documentOf(h);
  for (const endpoint of h.app.endpoints) {
    const { security } = document.paths[fullPath(endpoint, "/api")]![endpoint.method]!;
    const keys = endpoint.ownSession ? [] : [{ apiKey: [] }];
    const schemes = [{ bearer: [] }, ...keys, { cookie: [] }];
    const expected = endpoint.access === "public"
      ? []
      : endpoint.access === "optional"
      ? [{}, ...schemes]
      : schemes;
    assert.deepEqual(security, expected, endpoint.path);
  }
});

Deno.test("openapi: every 429 names the fields of its limit, and limited routes those of their answers", async () => {
  await using h = await harness({ variant: "full" });
  const names = (response: { headers?: object } | undefined) =>
    Object.keys(response?.headers ?? {});
  const limits = ["RateLimit-Policy", "RateLimit"];
  let refusals = 0;
  const told: string[] = [];
  for (const [name, { responses }] of operations(await documentOf(h))) {
    const refused = responses["429"];
    if (refused) assert.deepEqual(names(refused), [...limits, "Retry-After"], name);
    if (refused) refusals++;
    const answered = names(responses["200"] ?? responses["201"] ?? responses["202"]);
    if (limits.every((one) => answered.includes(one))) told.push(name);
  }
  assert.ok(refusals > 50, `${refusals}`);
  assert.deepEqual(told.sort(), [
    "post /api/auth/register",
    "post /api/backups",
    "post /api/markdown",
    "post /api/setup",
    "post /api/share",
    "post /api/webhooks/{id}/test",
  ]);
});

Deno.test("openapi: what a search looks into is told with each list", async () => {
  const told: Record<string, string | undefined> = {};
  for (const variant of ["full", "compact"]) {
    await using h = await harness({ variant });
    for (const [name, { parameters }] of operations(await documentOf(h))) {
      const search = parameters?.find((one) => one.name === "search");
      if (search) told[name] = search.description;
    }
  }
  const either = "in letters of either case";
  assert.equal(told["get /api/documents"], `A text to be found in \`title\`, ${either}`);
  assert.equal(
    told["get /api/calendar/events"],
    `A text to be found in \`title\`, \`description\` or \`location\`, ${either}`,
  );
  assert.equal(told["get /api/messages"], `A text to be found in \`content\`, ${either}`);
  // What webhooks are searched by depends on what of them one sees: the operation tells.
  const untold = Object.entries(told).filter(([, text]) => !text?.endsWith(either));
  assert.deepEqual(untold.map(([name]) => name), ["get /api/webhooks"]);
});
