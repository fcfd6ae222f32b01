// The API document: valid, complete, and true to what is served.
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { fullPath } from "../../http/endpoint.ts";
import { type Harness, harness } from "../harness.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly security: readonly Record<string, unknown>[];
  readonly responses: Record<string, { content?: Record<string, unknown>; headers?: object }>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<"schemas" | "securitySchemes", Record<string, object>>;
}

async function documentOf(h: Harness): Promise<Document> {
  const { text, status } = await h.ask("GET", "/api/openapi.json");
  assert.equal(status, 200);
  return JSON.parse(text);
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
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
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

Deno.test("openapi: downloads give any media type, whole or a range", async () => {
  await using h = await harness({ variant: "full" });
  const document = await documentOf(h);
  const ranged = h.app.endpoints.filter(({ errors }) => errors?.includes("RANGE_NOT_SATISFIABLE"));
  assert.equal(ranged.length, 2);
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
    const schemes = [{ bearer: [] }, { cookie: [] }];
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
    const answered = names(responses["200"] ?? responses["201"]);
    if (limits.every((one) => answered.includes(one))) told.push(name);
  }
  assert.ok(refusals > 50, `${refusals}`);
  assert.deepEqual(told.sort(), [
    "post /api/auth/register",
    "post /api/markdown",
    "post /api/share",
  ]);
});
