// Long lists in memory, against a plain sorted array: whatever is written, and whatever part is read at whatever time.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Entity } from "../../storage/port.ts";
import { type Position, positionOf, type Sort } from "../../storage/query.ts";
import { Ids } from "../../sql/ids.ts";
import { type Block, compare, Places, type Reading } from "../../sql/places.ts";
import { Ranks } from "../../sql/ranks.ts";

interface Named extends Entity {
  readonly name: string | null;
}

const STEP = 4;
const sort: Sort = [{ field: "name", descending: false }, { field: "id", descending: false }];
const positionIn = (record: Entity): Position => positionOf(sort, record);
const uuid = (n: number) => `0198c000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const record = (n: number, name: string | null): Named => ({
  id: uuid(n),
  name,
  createdAt: "",
  updatedAt: "",
  rev: "",
});

/** What the database would read: records between two positions. */
async function read(
  all: readonly Named[],
  { after, until }: { after: Position | null; until: Position | null },
  asOf: number,
): Promise<Reading> {
  const some = all.filter((one) =>
    (after === null || compare(sort, positionIn(one), after) > 0) &&
    (until === null || compare(sort, positionIn(one), until) <= 0)
  );
  const ids = await Ids.read(some.map(({ id }) => id).join("\n"), some.length);
  const positions = some.flatMap((one, n) =>
    (n + 1) % STEP === 0 || n + 1 === some.length
      ? [{ place: n + 1, position: positionIn(one) }]
      : []
  );
  return { count: some.length, ids, positions, asOf };
}

/** The list as it is, beside the list in memory. */
class Both {
  readonly all: Named[] = [];
  version = 1;

  constructor(records: readonly Named[], public places: Places) {
    this.all.push(...records);
  }

  static async of(names: readonly (string | null)[]): Promise<Both> {
    const records = names.map((name, n) => record(n, name));
    records.sort((a, b) => compare(sort, positionIn(a), positionIn(b)));
    const whole = await read(records, { after: null, until: null }, 1);
    return new Both(records, new Places(() => true, sort, STEP, whole));
  }

  /** @returns What is to be told to a read that is under way. */
  write(before: Named | null, after: Named | null): [Named | null, Named | null] {
    if (before) this.all.splice(this.all.indexOf(before), 1);
    if (after) this.all.push(after);
    this.all.sort((a, b) => compare(sort, positionIn(a), positionIn(b)));
    this.places.follow(before, after, ++this.version);
    return [before, after];
  }

  /** Reads a block, with a write between what is read and its arrival. */
  async fill(block: Block, write?: () => [Named | null, Named | null]): Promise<void> {
    const until = this.places.endOf(block)!;
    const reading = await read(this.all, { after: block.after, until }, this.version);
    let added: number | null = null;
    const [before, after] = write?.() ?? [null, null];
    if (before && this.places.isIn(block, positionIn(before))) added = -1;
    if (after && this.places.isIn(block, positionIn(after))) added = (added ?? 0) + 1;
    this.places.put(block, until, reading, added);
  }

  /** The ids of a part, its blocks read as far as need be. */
  async ids(from: number, to: number): Promise<readonly string[]> {
    for (let tries = 0; tries < 100; tries++) {
      const ids = this.places.ids(from, to);
      if (Array.isArray(ids)) return ids;
      await this.fill(ids as Block);
    }
    throw new Error("Cannot read the ids: a block stays unknown");
  }
}

const name = fc.option(fc.constantFrom("A", "B", "C", "\u{1f600}", "\uff21"));
const writing = fc.record({ act: fc.nat(3), which: fc.nat(1000), name });

Deno.test("a long list in memory is that of all records after any writes and reads", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { maxLength: 40 }),
      fc.array(fc.record({ act: fc.nat(4), which: fc.nat(1000), name, meanwhile: writing }), {
        maxLength: 30,
      }),
      async (names, steps) => {
        const both = await Both.of(names);
        let next = names.length;
        const write = (
          { act, which, name }: { act: number; which: number; name: string | null },
        ) => {
          const some = both.all[which % Math.max(1, both.all.length)] ?? null;
          if (act === 0 || !some) return both.write(null, record(next++, name));
          if (act === 1) return both.write(some, null);
          // What sorts last, time after time, as times of changes do.
          if (act === 2) return both.write(some, { ...some, name: `Z${1000 + both.version}` });
          return both.write(some, { ...some, name });
        };
        for (const { meanwhile, ...step } of steps) {
          if (step.act < 4) write(step);
          else {
            const from = step.which % Math.max(1, both.all.length);
            const unknown = both.places.ids(from, from + 3);
            if (!Array.isArray(unknown)) await both.fill(unknown as Block, () => write(meanwhile));
          }
          assert.equal(both.places.total, both.all.length);
        }
        const all = both.all.map(({ id }) => id);
        for (let from = 0; from < all.length; from += 3) {
          assert.deepEqual(await both.ids(from, from + 7), all.slice(from, from + 7));
        }
        for (const [rank, one] of both.all.entries()) {
          assert.equal(both.places.rankOf(positionIn(one)), rank);
          for (const backwards of [false, true]) {
            const { position, inclusive, skip } = both.places.before(rank, backwards);
            const order = backwards ? both.all.toReversed() : both.all;
            const sign = backwards ? -1 : 1;
            const after = order.filter((other) => {
              if (position === null) return true;
              const compared = sign * compare(sort, positionIn(other), position);
              return compared > 0 || inclusive && compared === 0;
            });
            assert.equal(after[skip], one);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("a block that rows are added to at its end is parted, and needs no reading", async () => {
  const both = await Both.of(["A", "B", "C"]);
  for (let n = 3; n < 100; n++) both.write(null, record(n, `D${1000 + n}`));
  const ids = both.places.ids(0, 100);
  assert.deepEqual(ids, both.all.map(({ id }) => id));
  assert.ok(both.places.before(99, false).skip < 4 * STEP);
});

Deno.test("ranks are the sums of what the blocks before have", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5), { minLength: 1, maxLength: 50 }),
      fc.array(fc.tuple(fc.nat(100), fc.nat(5))),
      (counts, changes) => {
        const ranks = new Ranks(counts);
        for (const [at, by] of changes) {
          const block = at % counts.length;
          counts[block]! += by;
          ranks.add(block, by);
        }
        let sum = 0;
        for (const [block, count] of counts.entries()) {
          assert.equal(ranks.before(block), sum);
          for (let n = 0; n < count; n++) assert.equal(ranks.blockOf(sum + n), block);
          sum += count;
        }
        assert.equal(ranks.total, sum);
        assert.equal(ranks.blockOf(sum), counts.length);
      },
    ),
  );
});

Deno.test("ids are kept as they are, UUIDs or not", async () => {
  const texts = fc.array(fc.oneof(fc.uuid(), fc.stringMatching(/^[a-zä-]{1,40}$/)), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, fc.array(fc.uuid(), { minLength: 1 })), async (ids) => {
      const kept = (await Ids.read(ids.join("\n"), ids.length))!;
      assert.deepEqual(ids.map((_, n) => kept.at(n)), ids);
      for (const id of ids) assert.equal(kept.indexOf(id), ids.indexOf(id));
      assert.equal(kept.indexOf("none"), -1);
      assert.equal(await Ids.read(ids.join("\n"), ids.length + 1), null);
      const [first, ...rest] = ids as [string, ...string[]];
      const part = kept.part(0, kept.length);
      assert.ok(part.remove(first));
      assert.deepEqual(rest.map((_, n) => part.at(n)), rest);
      const longer = part.and(first);
      if (longer) assert.deepEqual([longer.length, longer.at(rest.length)], [ids.length, first]);
    }),
  );
});
