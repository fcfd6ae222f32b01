// Texts outside of the heap: what is read, compared and searched is what strings would give.
import assert from "node:assert/strict";
import fc from "fast-check";
import { compareTexts } from "../../../storage/memory/column.ts";
import { Interned } from "../../../storage/memory/interned.ts";
import { PackedKeys } from "../../../storage/memory/keys.ts";
import { plainBytes } from "../../../storage/memory/text_bytes.ts";
import { isLast, Texts, WINDOW } from "../../../storage/memory/texts.ts";

const characters = fc.constantFrom("a", "b", "Z", "\0", "é", "中", "\uffee", "😀", "\ud83d");
const uuids = fc.uuid().chain((uuid) => fc.constantFrom(uuid, uuid.toUpperCase()));
const texts = fc.oneof(
  fc.string({ unit: characters, maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  uuids,
);

const signOf = (n: number) => Math.sign(n);
/** The order of UTF-8, worked out in the plainest way. */
const byCodePoints = (a: string, b: string) => {
  const x = [...a].map((one) => one.codePointAt(0)!), y = [...b].map((one) => one.codePointAt(0)!);
  for (let n = 0; n < Math.min(x.length, y.length); n++) if (x[n] !== y[n]) return x[n]! - y[n]!;
  return x.length - y.length;
};

Deno.test("texts are kept as they are, whatever comes and goes", () => {
  const steps = fc.array(fc.tuple(fc.nat(9), fc.option(texts), fc.boolean()), { maxLength: 60 });
  fc.assert(fc.property(steps, (list) => {
    const arena = new Texts();
    const held = new Map<number, { ref: number; text: string; packs: boolean }>();
    for (const [at, text, packs] of list) {
      arena.free(held.get(at)?.ref ?? 0);
      held.delete(at);
      if (text !== null) held.set(at, { ref: arena.put(text, packs), text, packs });
      for (const one of held.values()) {
        assert.equal(arena.get(one.ref), one.text);
        assert.ok(arena.is(one.ref, one.text, one.packs));
        assert.ok(!arena.is(one.ref, one.text + "x", one.packs));
      }
    }
  }));
});

Deno.test("a text of a megabyte is refused, one of half of it kept; what is removed is used again", () => {
  const arena = new Texts();
  const long = "x".repeat(1 << 19);
  const ref = arena.put(long);
  assert.equal(arena.get(ref), long);
  arena.free(ref);
  assert.equal(arena.put("y".repeat(1 << 19)), ref);
  assert.throws(() => arena.put("x".repeat(1 << 20)), RangeError);
});

Deno.test("texts are ordered by code points where they lie, as strings are", () => {
  const whole = texts.filter((text) => text.isWellFormed());
  fc.assert(fc.property(whole, whole, (a, b) => {
    const arena = new Texts();
    const expected = signOf(byCodePoints(a, b));
    assert.equal(signOf(compareTexts(a, b)), expected);
    assert.equal(signOf(arena.compare(arena.put(a), arena.put(b))), expected);
    assert.equal(signOf(arena.compareTo(arena.put(a), plainBytes(b))), expected);
  }));
});

Deno.test("keys of parts, one after the other, order texts and tell where they end", () => {
  fc.assert(fc.property(texts, texts, (a, b) => {
    const arena = new Texts();
    const x = arena.put(a), y = arena.put(b);
    const compared = () => {
      for (let depth = 0;; depth += WINDOW) {
        const one = arena.window(x, depth), other = arena.window(y, depth);
        if (one !== other) return one - other;
        if (isLast(one)) return 0;
      }
    };
    assert.equal(signOf(compared()), signOf(arena.compare(x, y)));
  }));
});

Deno.test("a text is found in another as in a string", () => {
  const parts = fc.string({ unit: fc.constantFrom("a", "b", "é", "中"), maxLength: 8 });
  fc.assert(fc.property(parts, parts, (text, term) => {
    fc.pre(term !== "");
    const arena = new Texts();
    assert.equal(arena.includes(arena.put(text, false), plainBytes(term)), text.includes(term));
  }));
});

Deno.test("each text has one number, for as long as it is there", () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(80).map(String)), { maxLength: 300 });
  fc.assert(fc.property(steps, (list) => {
    const interned = new Interned(new Texts());
    const model = new Map<string, number>();
    for (const [adds, text] of list) {
      const number = model.get(text);
      if (adds) model.set(text, interned.intern(text));
      if (adds && number !== undefined) assert.equal(model.get(text), number);
      if (!adds && number !== undefined) {
        interned.remove(number);
        model.delete(text);
        assert.ok(!interned.has(number));
      }
      assert.equal(interned.size, model.size);
      for (const [known, at] of model) {
        assert.equal(interned.find(known), at);
        assert.equal(interned.get(at), known);
      }
      assert.equal(interned.find(text), model.get(text) ?? -1);
    }
    assert.equal(new Set(model.values()).size, model.size);
    assert.ok(interned.end <= 81);
  }));
});

Deno.test("finding several at once finds what finding each does", () => {
  const all = fc.uniqueArray(texts, { maxLength: 200 });
  fc.assert(fc.property(all, fc.array(fc.nat(199), { maxLength: 200 }), (known, asked) => {
    const interned = new Interned(new Texts());
    // Half of them are there.
    for (const text of known.slice(0, known.length / 2)) interned.intern(text);
    const sought = asked.map((n) => known[n] ?? `no text ${n}`);
    const found = sought.map((text) => interned.find(text));
    assert.deepEqual(interned.findAll(PackedKeys.of(sought)), found);
  }));
});

Deno.test("what is told as keys is found elsewhere as its texts are", () => {
  const all = fc.uniqueArray(texts, { maxLength: 60 });
  fc.assert(fc.property(all, fc.array(fc.nat(59), { maxLength: 60 }), (known, asked) => {
    const one = new Interned(new Texts()), other = new Interned(new Texts());
    for (const text of known) one.intern(text);
    for (const text of known.toReversed().slice(known.length / 3)) other.intern(text);
    const numbers = asked.map((n) => n < known.length ? n : -1);
    const keys = one.keysOf(numbers);
    const told = numbers.map((n) => n < 0 ? undefined : known[n]!);
    assert.deepEqual(Array.from({ length: keys.length }, (_, n) => keys.at(n)), told);
    const found = told.map((text) => text === undefined ? -1 : other.find(text));
    assert.deepEqual(other.findAll(keys), found);
  }));
});

Deno.test("what only looks like a UUID is kept as it is written", () => {
  const uuid = "0198f3a2-7c41-7d3e-8b5a-1f2e3d4c5b6a";
  // U+0130 ends in the byte of the digit 0.
  const others = ["\u0130", "g", "A", "-", "\uffff"].flatMap((unit) =>
    [0, 1, 8, 17, 35].map((at) => uuid.slice(0, at) + unit + uuid.slice(at + 1))
  );
  const ids = new Interned(new Texts());
  const texts = [...new Set([uuid, ...others])];
  const numbers = texts.map((text) => ids.intern(text));
  assert.deepEqual(numbers.map((number) => ids.get(number)), texts);
  assert.deepEqual(texts.map((text) => ids.find(text)), numbers);
});
