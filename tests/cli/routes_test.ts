// The list of routes that `deno task routes` prints.
import assert from "node:assert/strict";
import { endpointsOf } from "../../app.ts";
import { routeLines } from "../../cli/routes.ts";
import { variants } from "../../config/variants.ts";
import { fullPath } from "../../http/endpoint.ts";

const lines = routeLines();

Deno.test("routes: every endpoint of every variant is on the list, and nothing else", () => {
  const listed = new Set(
    lines.flatMap(({ path, variants }) => variants.split(" ").map((name) => `${name} ${path}`)),
  );
  const mounted = new Set(
    Object.values(variants).flatMap((variant) =>
      endpointsOf(variant).map((endpoint) => `${variant.name} ${fullPath(endpoint, "/api")}`)
    ),
  );
  assert.deepEqual([...listed].sort(), [...mounted].sort());
});

Deno.test("routes: a line says who may call it, and where", () => {
  const line = lines.find(({ method, path }) => method === "GET" && path === "/api/users/{id}");
  assert.deepEqual(line, {
    method: "GET",
    path: "/api/users/{id}",
    access: "users:view",
    module: "users",
    variants: "compact full web",
  });
});
