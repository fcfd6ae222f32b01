// Initials of names, and how hard passwords are to guess.
import assert from "node:assert/strict";
import { initials, tintOf } from "../../../console/parts/initials.ts";
import { passwordStrength } from "../../../console/parts/password_strength.ts";

Deno.test("initials: of first and last word, also of names without words", () => {
  const cases = {
    "Ada Lovelace": "AL",
    "ada": "A",
    "Ludwig van Beethoven": "LB",
    "王小明": "明",
    "  ": "",
    "😀 Smile": "😀S",
    "Ada Lovelace (she)": "AS",
    '<b> "Ada"': "BA",
    "- Ada -": "A",
    "?": "?",
  };
  for (const [name, expected] of Object.entries(cases)) assert.equal(initials(name), expected);
  assert.equal(tintOf("Ada"), tintOf("Ada"));
  assert.ok(new Set(["a", "b", "c", "d", "e", "f", "g"].map(tintOf)).size > 3);
});

Deno.test("password strength: longer and more varied is stronger; runs and repetition are not", () => {
  assert.equal(passwordStrength("a1B", 8), 0, "too short");
  assert.ok(passwordStrength("aaaaaaaaaaaa", 8) <= 1);
  assert.ok(passwordStrength("abcdefghijkl", 8) <= 1);
  assert.ok(passwordStrength("12345678", 8) <= 1);
  assert.ok(passwordStrength("password", 8) <= 1);
  assert.equal(passwordStrength("correct horse battery staple", 8), 4);
  assert.ok(passwordStrength("Tr0ub4dor&3x", 8) >= 3);
});
