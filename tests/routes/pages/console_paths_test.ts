// The pages of the console: their addresses do not collide, and the way back after signing in stays on this server.
import assert from "node:assert/strict";
import { endpointsOf } from "../../../app.ts";
import { fullPath } from "../../../http/endpoint.ts";
import { variants } from "../../../config/variants.ts";
import { pageAt, PAGES } from "../../../console/pages.ts";

Deno.test("console: each path leads to its page", () => {
  for (const { id, path } of PAGES) {
    assert.equal(pageAt(path.replace(":id", "abc"))?.id, id);
  }
  assert.equal(pageAt("/users/abc/def"), undefined);
  assert.equal(pageAt("/users/"), undefined);
  assert.equal(pageAt("/nowhere"), undefined);
});

Deno.test("console: no page stands where a route of the API does", () => {
  const taken = new Set(
    ["compact", "full", "web"].flatMap((name) => endpointsOf(variants[name]!))
      .map((endpoint) => fullPath(endpoint, "/api").split("/")[1]),
  );
  for (const { path } of PAGES) assert.ok(!taken.has(path.split("/")[1]), path);
});

Deno.test("console: keys that lead somewhere are used once", () => {
  const keys = PAGES.flatMap((page) => "key" in page ? [page.key] : []);
  assert.equal(new Set(keys).size, keys.length);
});
