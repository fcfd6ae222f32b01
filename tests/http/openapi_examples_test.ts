// The examples of the API document are what the server answers: asked anew, it gives the same fields.
import assert from "node:assert/strict";
import { endpointsOf } from "../../app.ts";
import { variants } from "../../config/variants.ts";
import { EXAMPLES, type Examples, makeExamples } from "../examples.ts";

/** The fields of a value with their types, at any depth. */
function shapeOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => shapeOf(item, `${path}[]`));
  if (typeof value !== "object" || value === null) return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([name, of]) => shapeOf(of, `${path}.${name}`)).sort();
}

Deno.test("openapi: the examples have the fields of real answers; `deno task examples` writes them", async () => {
  const kept: Examples = JSON.parse(await Deno.readTextFile(EXAMPLES));
  const made = await makeExamples();
  assert.deepEqual(Object.keys(kept), Object.keys(made));
  for (const [id, example] of Object.entries(made)) {
    assert.deepEqual(shapeOf(kept[id]), shapeOf(example), id);
  }
});

Deno.test("openapi: every body and answer has an example, in every variant", async () => {
  const kept: Examples = JSON.parse(await Deno.readTextFile(EXAMPLES));
  const missing = Object.values(variants).flatMap(endpointsOf)
    .filter(({ raw, redirects }) => !redirects && (!raw || raw === "application/json"))
    .filter(({ operationId, body, raw }) => {
      const { body: sent, answer } = kept[operationId] ?? {};
      return (body && sent === undefined) || (!raw && answer === undefined);
    });
  assert.deepEqual(missing.map(({ operationId }) => operationId), []);
});
