// Keys and what they lead to.
import assert from "node:assert/strict";
import {
  keyOf,
  match,
  register,
  type Shortcut,
  shortcuts,
} from "../../../console/state/shortcuts.ts";

const pressed = (key: string, ...held: string[]) => ({
  key,
  ctrlKey: held.includes("ctrl"),
  metaKey: held.includes("meta"),
  altKey: held.includes("alt"),
  shiftKey: held.includes("shift"),
});

Deno.test("shortcuts: keys by their names, on both kinds of keyboards", () => {
  assert.equal(keyOf(pressed("k", "ctrl"), false), "mod+k");
  assert.equal(keyOf(pressed("k", "meta"), true), "mod+k");
  assert.equal(keyOf(pressed("k", "ctrl"), true), "ctrl+k");
  assert.equal(keyOf(pressed("?", "shift"), false), "?");
  assert.equal(keyOf(pressed("K", "shift"), false), "shift+k");
  assert.equal(keyOf(pressed("Enter", "ctrl", "shift"), false), "mod+shift+Enter");
});

Deno.test("shortcuts: sequences, and the one registered last where two have the same keys", () => {
  const one = (keys: string): Shortcut => ({ keys, label: keys, run: () => {} });
  const known = [one("g u"), one("g d"), one("x"), one("x")];
  assert.equal(match(["g"], known), "begun");
  assert.equal(match(["g", "d"], known), known[1]);
  assert.equal(match(["x"], known), known[3]);
  assert.equal(match(["g", "x"], known), null);
});

Deno.test("shortcuts: what was registered is listed until it is taken back", () => {
  const take = register({ keys: "g t", label: "Tasks", run: () => {} });
  assert.ok(shortcuts.value.some(({ keys }) => keys === "g t"));
  take();
  assert.ok(!shortcuts.value.some(({ keys }) => keys === "g t"));
});
