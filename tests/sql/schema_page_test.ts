// docs/schema.md shows the tables as they are.
import assert from "node:assert/strict";
import { schemaPage } from "../../bench/schema_page.ts";

Deno.test("docs/schema.md is what `deno task schema` writes", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/schema.md", import.meta.url));
  const flat = (text: string) => text.replace(/\s+/g, " ").trim();
  assert.equal(flat(page), flat(schemaPage()));
});
