// Which pages the console has, by what the server says of itself.
import assert from "node:assert/strict";
import { PAGES } from "../../../console/pages.ts";
import { place } from "../../../console/state/place.ts";
import { isServed } from "../../../console/state/reach.ts";

function served(told: Partial<typeof place>): string[] {
  Object.assign(place, { modules: [], development: false, ...told });
  return PAGES.filter(isServed).map(({ id }) => id);
}

Deno.test("reach: a page is there where one of its modules is", () => {
  assert.ok(served({ modules: ["users"] }).includes("users"));
  assert.ok(!served({ modules: ["users"] }).includes("documents"));
  assert.ok(served({}).includes("profile"), "what needs no module");
});

Deno.test("reach: the page of components is there outside production alone", () => {
  assert.ok(served({ development: true }).includes("components"));
  assert.ok(!served({}).includes("components"));
});
