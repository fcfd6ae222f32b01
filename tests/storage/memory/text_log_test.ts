// Texts in a log of segments: they are what was put last, whatever was put, dropped and moved before.
import assert from "node:assert/strict";
import fc from "fast-check";
import { TextLog } from "../../../storage/memory/text_log.ts";

const note = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "é", "中", "🌊"), maxLength: 700 }),
  fc.string({ maxLength: 700 }),
);
const step = fc.record({
  kind: fc.constantFrom("set", "set", "set", "drop", "room", "clear"),
  number: fc.nat(30),
  note,
});

Deno.test("a log holds what a model holds, less what made room, in no more bytes than that takes", () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
    const log = new TextLog(16 * 1024);
    const model = new Map<number, string>();
    for (const { kind, number, note } of steps) {
      if (kind === "set") {
        const needs = log.needs(note), before = log.bytes;
        log.set(number, note);
        // No more than was said, but for a segment that texts are moved to where many are gone.
        assert.ok(log.bytes <= before + needs + 1024);
        model.set(number, note);
        assert.equal(log.get(number), note);
      } else if (kind === "drop") {
        log.drop(number);
        model.delete(number);
      } else if (kind === "clear") {
        log.clear();
        model.clear();
      } else if (log.bytes > 0) {
        log.makeRoom();
        for (const known of model.keys()) if (log.get(known) === null) model.delete(known);
      }
      const numbers = Array.from({ length: 31 }, (_, one) => one);
      const held = numbers.map((one) => model.get(one) ?? null);
      assert.deepEqual(numbers.map((one) => log.get(one)), held);
      assert.deepEqual(log.getAll([...model.keys()]), [...model.values()]);
      // deno-lint-ignore no-control-regex -- what is written in one byte a character
      const plain = [...model].filter(([, text]) => /^[\x00-\x7f]*$/.test(text));
      assert.deepEqual(log.getAll(plain.map(([one]) => one)), plain.map(([, text]) => text));
    }
  }));
});

Deno.test("texts that change again and again take a third more than they are at most", () => {
  const log = new TextLog(64 << 20);
  for (let n = 0; n < 60_000; n++) log.set(n % 3000, `${n} `.repeat(50));
  const live = Array.from({ length: 3000 }, (_, n) => log.get(n)!.length + 8);
  const bytes = live.reduce((sum, length) => sum + length, 0);
  assert.ok(log.bytes < 1.4 * bytes + 3 * 256 * 1024, `${log.bytes} bytes for ${bytes}`);
  for (let n = 0; n < 3000; n++) assert.equal(log.get(n), `${57_000 + n} `.repeat(50));
});

Deno.test("making room again and again gives up everything, what was asked for last of all", () => {
  const log = new TextLog(1 << 20);
  for (let n = 0; n < 5000; n++) log.set(n, "x".repeat(300));
  const before = log.bytes;
  log.get(7);
  for (let tries = 0; log.bytes > before / 2; tries++) {
    assert.ok(tries < 1000);
    log.makeRoom();
  }
  assert.equal(log.get(7), "x".repeat(300));
  assert.equal(log.get(8), null);
  for (let tries = 0; log.bytes > 0; tries++) {
    assert.ok(tries < 1000);
    log.makeRoom();
  }
  assert.equal(log.get(7), null);
});

Deno.test("a text that is longer than a segment has one of its own", () => {
  const log = new TextLog(1 << 20);
  const long = "中".repeat(200_000);
  log.set(3, long);
  log.set(4, "short");
  assert.equal(log.get(3), long);
  assert.deepEqual(log.getAll([4, 3]), ["short", long]);
  assert.ok(log.bytes < 2 * 600_008);
});
