// The tail of a collection: what of the commits of a process it keeps, and what it leaves to the journal.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Entity } from "../../storage/port.ts";
import { Tails } from "../../storage/tail.ts";
import { collection } from "../../models/collection.ts";

const things = collection("things", {});

function thing(id: string): Entity {
  return { id, createdAt: "", updatedAt: "", rev: "" };
}

function seqOf(n: number): string {
  return String(n).padStart(6, "0");
}

/** A tail that makes ids of records, and a way to commit at a position as this process. */
function openTail() {
  const tails = new Tails();
  const tail = tails.begin(things.name, ({ id }) => id);
  const commit = (n: number, ids: readonly string[]) =>
    tails.add(
      seqOf(n - 1),
      seqOf(n),
      (name) => name === things.name ? ids.map(thing) : [],
    );
  return { tail, commit };
}

Deno.test("tail: of a commit that inserts much nothing is kept, of those after it all", () => {
  const { tail, commit } = openTail();
  commit(1, ["a"]);
  commit(2, Array.from({ length: 101 }, (_, n) => `b${n}`));
  commit(3, ["c"]);
  assert.equal(tail.take(seqOf(0), seqOf(3)), null);
  commit(4, ["d"]);
  assert.deepEqual(tail.take(seqOf(3), seqOf(4)), [{ seq: seqOf(4), made: ["d"] }]);
});

Deno.test("tail: who does not ask for long has to read the journal once", () => {
  const { tail, commit } = openTail();
  const many = Array.from({ length: 100 }, (_, n) => `${n}`);
  for (let n = 1; n <= 201; n++) commit(n, many);
  assert.equal(tail.take(seqOf(0), seqOf(201)), null);
  commit(202, ["a"]);
  assert.deepEqual(tail.take(seqOf(201), seqOf(202)), [{ seq: seqOf(202), made: ["a"] }]);
});

Deno.test("tail: what is asked for is told whole and in order, or not at all", () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("own" as const), size: fc.nat(3) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("own" as const), size: fc.constant(101) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("other" as const), size: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("take" as const), size: fc.nat(3) }) },
  );
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const { tail, commit } = openTail();
    const journal: { readonly seq: string; readonly made: readonly string[] }[] = [];
    let asked = 0, others = 0;
    for (const { kind, size } of steps) {
      if (kind === "take") {
        // Sometimes not up to the end.
        const upTo = Math.max(asked, journal.length - size);
        const taken = tail.take(seqOf(asked), seqOf(upTo));
        const told = journal.slice(asked, upTo).filter(({ made }) => made.length > 0);
        if (taken !== null) assert.deepEqual(taken, told);
        // After reading once, and with nobody else there, it knows.
        else {
          const large = journal.slice(asked).some(({ made }) => made.length > 100);
          assert.ok(large || others > 0);
        }
        asked = upTo;
        continue;
      }
      const seq = seqOf(journal.length + 1);
      const made = Array.from({ length: size }, (_, n) => `${seq} ${n}`);
      journal.push({ seq, made });
      if (kind === "own") commit(journal.length, made);
      else others++;
    }
  }));
});
