// Preferences between the browser and the server.
import assert from "node:assert/strict";
import { changesOf, preferencesFrom, readOver } from "../../../console/state/preference_values.ts";

Deno.test("preferences: of what the server has, what makes sense is taken", () => {
  const kept = {
    theme: "dark",
    language: 5,
    direction: "up",
    timeZone: "Europe/Nowhere",
    narrow: true,
    others: "own",
    views: null,
  };
  assert.deepEqual(preferencesFrom(kept), { theme: "dark", narrow: true });
  assert.deepEqual(preferencesFrom({ timeZone: "Asia/Shanghai" }), { timeZone: "Asia/Shanghai" });
  assert.deepEqual(preferencesFrom({}), {});
});

Deno.test("preferences: only what differs is written, and what was unset is removed", () => {
  const views = { users: [{ name: "Admins", query: "role=admin" }] };
  assert.deepEqual(changesOf({ theme: "dark", views }, { theme: "dark", views }), {});
  const reordered = { users: [{ query: "role=admin", name: "Admins" }] };
  assert.deepEqual(changesOf({ views }, { views: reordered }), {});
  assert.deepEqual(changesOf({ theme: undefined, language: "zh" }, { theme: "dark", mine: 1 }), {
    theme: null,
    language: "zh",
  });
});

Deno.test("preferences: what another browser has changed or unset is so here", () => {
  const before = { theme: "dark", language: "zh", mine: 1 } as const;
  const { theme, language } = readOver({ theme: "dark", language: "zh" }, before, {
    language: "en",
  });
  assert.deepEqual([theme, language], [undefined, "en"]);
});

Deno.test("preferences: what is chosen here and not written yet stays when they are read", () => {
  const before = { theme: "dark", language: "zh" };
  const now = { theme: "dark", language: "zh", narrow: true };
  const read = readOver({ theme: "light", direction: "rtl" }, before, now);
  assert.deepEqual(
    [read.theme, read.language, read.direction, read.narrow],
    ["light", undefined, "rtl", true],
  );
});
