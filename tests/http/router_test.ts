// The router agrees with Hono's own, and prefers literals wherever they were added.
import assert from "node:assert/strict";
import fc from "fast-check";
import { TrieRouter } from "hono/router/trie-router";
import { SegmentRouter } from "../../http/router.ts";

/** What a router finds: handlers with the values of their parameters. */
function found(router: SegmentRouter<string> | TrieRouter<string>, method: string, path: string) {
  const [handlers, values] = router.match(method, path);
  return handlers.map(([handler, params]) => [
    handler,
    Object.fromEntries(
      Object.entries(params).map(([name, at]) => [name, values ? values[at as number] : at]),
    ),
  ]);
}

Deno.test("router: literals win, whatever was added first", () => {
  const router = new SegmentRouter<string>();
  router.add("ALL", "/*", "all");
  router.add("GET", "/users/:id", "one");
  router.add("GET", "/users/me", "me");
  router.add("GET", "/users/:id/sessions/:sessionId", "session");
  router.add("PUT", "/users/me", "save");
  assert.deepEqual(found(router, "GET", "/users/me"), [["all", {}], ["me", {}]]);
  assert.deepEqual(found(router, "GET", "/users/7"), [["all", {}], ["one", { id: "7" }]]);
  assert.deepEqual(found(router, "GET", "/users/me/sessions/3"), [
    ["all", {}],
    ["session", { id: "me", sessionId: "3" }],
  ]);
  assert.deepEqual(found(router, "DELETE", "/users/me"), [["all", {}]]);
  assert.deepEqual(found(router, "GET", "/users/"), [["all", {}]]);
  assert.deepEqual(found(router, "GET", "/users"), [["all", {}]]);
  assert.deepEqual(found(router, "GET", "/users/7/"), [["all", {}]]);
});

const segment = fc.constantFrom("a", "b", "c", "dd");
const pattern = fc.array(fc.oneof(segment, fc.constantFrom(":x", ":y")), {
  minLength: 1,
  maxLength: 4,
})
  .filter((segments) =>
    new Set(segments.filter((s) => s[0] === ":")).size ===
      segments.filter((s) => s[0] === ":").length
  )
  .map((segments) => `/${segments.join("/")}`);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) =>
  `/${parts.join("/")}`
);

Deno.test("router: finds what Hono's trie finds, for one route", () => {
  fc.assert(fc.property(pattern, path, (route, asked) => {
    const ours = new SegmentRouter<string>();
    const theirs = new TrieRouter<string>();
    for (const router of [ours, theirs]) {
      router.add("ALL", "/*", "all");
      router.add("GET", route, "route");
    }
    assert.deepEqual(found(ours, "GET", asked), found(theirs, "GET", asked));
  }));
});
