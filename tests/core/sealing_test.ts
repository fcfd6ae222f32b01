// Sealed texts: opened by the same secret and purpose alone, and only as they were sealed.
import assert from "node:assert/strict";
import { createSealer } from "../../core/sealing.ts";

const SECRET = "a secret for tests, long enough for anyone";

Deno.test("sealing: what was sealed is opened, at any length, and is never the same twice", () => {
  const sealer = createSealer(SECRET, "tests");
  for (const text of ["", "token", "läßt ✓ 漢", "x".repeat(100_000)]) {
    const sealed = sealer.seal(text);
    assert.equal(sealer.open(sealed), text);
    assert.notEqual(sealer.seal(text), sealed);
  }
});

Deno.test("sealing: another secret, another purpose, a changed or cut text open nothing", () => {
  const sealer = createSealer(SECRET, "tests");
  const sealed = sealer.seal("an invitation");
  assert.equal(createSealer(`${SECRET}!`, "tests").open(sealed), null);
  assert.equal(createSealer(SECRET, "other").open(sealed), null);
  for (let at = 0; at < sealed.length; at += 4) {
    const changed = sealed[at] === "A" ? "B" : "A";
    assert.equal(sealer.open(sealed.slice(0, at) + changed + sealed.slice(at + 1)), null);
    assert.equal(sealer.open(sealed.slice(0, at)), null);
  }
  assert.equal(sealer.open("no base64 at all!"), null);
});
