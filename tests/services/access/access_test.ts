// Permission matching, exactly as the contract states it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, permits } from "../../../services/access/access.ts";

const TABLE: readonly [held: string, required: string, granted: boolean][] = [
  ["*", "users:view", true],
  ["*", "*", true],
  ["users:*", "users:view", true],
  ["users:*", "users:*", true],
  ["users:*", "usersx:view", false],
  ["users:*", "roles:view", false],
  ["users:view", "users:view", true],
  ["users:view", "users:viewer", false],
  ["users:view", "users:*", false],
  ["users:view", "*", false],
  ["users:*", "*", false],
  [":*", ":view", true],
  ["", "users:view", false],
];

Deno.test("access: matching by table", () => {
  for (const [held, required, granted] of TABLE) {
    assert.equal(matches(held, required), granted, `${held} against ${required}`);
  }
});

const word = fc.stringMatching(/^[a-z_]{1,8}$/);
const required = fc.tuple(word, word).map(([resource, action]) => `${resource}:${action}`);
const held = fc.oneof(fc.constant("*"), required, word.map((resource) => `${resource}:*`));

Deno.test("access: matching by the contract's rule, for any pair", () => {
  fc.assert(fc.property(held, required, (h, p) => {
    const rule = h === "*" || (h.endsWith(":*") ? p.startsWith(h.slice(0, -1)) : h === p);
    assert.equal(matches(h, p), rule);
  }));
});

Deno.test("access: more permissions never grant less", () => {
  fc.assert(fc.property(fc.array(held), held, required, (some, more, p) => {
    if (permits(some, p)) assert.ok(permits([...some, more], p));
    assert.equal(permits([...some, more], p), permits(some, p) || matches(more, p));
  }));
});
