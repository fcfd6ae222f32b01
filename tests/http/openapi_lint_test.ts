// The API document keeps the rules that Redocly recommends: https://redocly.com/docs/cli/rules/recommended
import assert from "node:assert/strict";
import {
  BaseResolver,
  createConfig,
  lintDocument,
  makeDocumentFromString,
} from "@redocly/openapi-core";
import { endpointsOf } from "../../app.ts";
import { variants } from "../../config/variants.ts";
import { type Examples, openApiDocument } from "../../http/openapi.ts";
import { EXAMPLES } from "../examples.ts";

const examples: Examples = JSON.parse(await Deno.readTextFile(EXAMPLES));
const basePath = "/api";

for (const name of ["compact", "full", "web", "snippets"]) {
  Deno.test(`openapi: the document of ${name} keeps Redocly's recommended rules`, async () => {
    const variant = variants[name]!;
    const endpoints = endpointsOf(variant);
    const text = JSON.stringify(openApiDocument(endpoints, { basePath, variant, examples }));
    const problems = await lintDocument({
      document: makeDocumentFromString(text, "openapi.json"),
      config: await createConfig({ extends: ["recommended"] }),
      externalRefResolver: new BaseResolver(),
    });
    const told = problems.map(({ ruleId, message, location }) =>
      `${ruleId} at ${location[0]?.pointer}: ${message}`
    );
    // The contract has both `GET /messages/conversations/{id}` and `PUT /messages/{id}/read`: no method is in both.
    const excused = (problem: string) =>
      problem.startsWith("no-ambiguous-paths at #/paths/~1api~1messages~1conversations~1{id}");
    assert.deepEqual(told.filter((problem) => !excused(problem)), []);
  });
}
