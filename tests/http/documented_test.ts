// The check of real answers against the API document: it sees what it has to see.
import assert from "node:assert/strict";
import { endpointsOf } from "../../app.ts";
import { variants } from "../../config/variants.ts";
import { openApiDocument } from "../../http/openapi.ts";
import type { Json } from "../../http/openapi/schemas.ts";
import { assertDocumented, type Exchange } from "../documented.ts";
import { harness } from "../harness.ts";

Deno.test("documented: an answer that the document does not tell is found", async () => {
  await using h = await harness({ variant: "full" });
  const path = "/api/users?limit=1";
  const { status, headers: received, text, body } = await h.ask("GET", path, { as: "super" });
  const real = { method: "GET", path, sent: new Headers(), status, received, text, body };
  const listUsers = h.app.endpoints.find(({ operationId }) => operationId === "listUsers")!;
  const check = (changed: Partial<Exchange>) =>
    assertDocumented(listUsers, h.settings, { ...real, ...changed });
  const asked = (name: string, value: string) => new Headers([[name, value]]);
  check({});
  const [user] = body.data;
  const { id: _, ...nobody } = user;
  const told = (json: object) => ({ body: json, text: JSON.stringify(json) });

  const wrong: Readonly<Record<string, Partial<Exchange>>> = {
    "a status": { status: 202 },
    "a media type": { received: asked("content-type", "text/html") },
    "a field beside the data": told({ ...body, secret: 1 }),
    "no pagination": told({ ...body, pagination: undefined }),
    "a record without its id": told({ ...body, data: [nobody] }),
    "a field of another type": told({ ...body, data: [{ ...user, name: 1 }] }),
    "a value that is none of the known": told({ ...body, data: [{ ...user, status: "gone" }] }),
    "a time that is none": told({ ...body, data: [{ ...user, createdAt: "yesterday" }] }),
    "no answer, unasked": { status: 204, text: "", body: undefined },
    "no answer to a read": { status: 204, text: "", sent: asked("prefer", "return=minimal") },
    "unchanged, unasked": { status: 304, text: "", body: undefined },
    "a chosen field of another type": {
      path: "/api/users?fields=name",
      ...told({ ...body, data: [{ name: 1 }] }),
    },
  };
  for (const [name, changed] of Object.entries(wrong)) {
    assert.throws(() => check(changed), assert.AssertionError, name);
  }
  check({ status: 304, text: "", body: undefined, sent: asked("if-none-match", '"1"') });
  check({ path: "/api/users?fields=name", ...told({ ...body, data: [{ name: "A" }] }) });
});

Deno.test("documented: the document of one operation is its part of the whole", () => {
  const variant = variants.full!;
  const options = { basePath: "/api", variant };
  const endpoints = endpointsOf(variant);
  const whole = openApiDocument(endpoints, options) as unknown as Described;
  for (const endpoint of endpoints) {
    const { paths, components } = openApiDocument([endpoint], options) as unknown as Described;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        assert.deepEqual(bodies(operation), bodies(whole.paths[path]![method]!), path);
      }
    }
    for (const [name, schema] of Object.entries(components.schemas!)) {
      assert.deepEqual(schema, whole.components.schemas![name], name);
    }
  }
});

interface Described {
  readonly paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
  readonly components: Record<string, Record<string, Json>>;
}

/** What is answered with by status: that a header tells where a record is depends on the other operations. */
function bodies({ responses }: { responses: Record<string, Json> }): Json {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { headers: _, ...rest }]) => [status, rest]),
  );
}
