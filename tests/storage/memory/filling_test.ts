// Memory is filled one collection after the other; what a request waits for goes first.
import assert from "node:assert/strict";
import { MIB } from "../../../core/units.ts";
import type { Entity } from "../../../models/collection.ts";
import { tags } from "../../../models/documents.ts";
import { Filling } from "../../../storage/memory/filling.ts";
import { Memory } from "../../../storage/memory/memory.ts";
import { MemoryReader } from "../../../storage/memory/reader.ts";
import { RecordsBudget } from "../../../storage/memory/records.ts";
import { FILL_BATCH, type Source, type Stored } from "../../../storage/memory/source.ts";

/** Batches of each collection. */
const BATCHES = 12;

/** The names of who scanned, in order, and when filling is under way: no later, since polling could find it done. */
function scansOf() {
  const scans: string[] = [], { promise: begun, resolve } = Promise.withResolvers<void>();
  const scanned = (name: string) => {
    if (scans.push(name) === 3) resolve();
  };
  return { scans, scanned, begun };
}

/** A reader of many tags; tells when it scans. */
function readerOf(
  filling: Filling,
  onScan: (after: string) => void,
): MemoryReader<Entity & { name: string }> {
  const scan = async (after: string, limit: number) => {
    onScan(after);
    await Promise.resolve();
    const from = after === "" ? 0 : Number(after) + 1;
    const to = Math.min(from + limit, BATCHES * FILL_BATCH - 1);
    return Array.from({ length: to - from }, (_, n): Stored<Entity & { name: string }> => {
      const id = String(from + n).padStart(8, "0"), at = "2026-01-01T00:00:00.000Z";
      return { record: { id, name: id, createdAt: at, updatedAt: at, rev: "1" }, text: "{}" };
    });
  };
  const source = { fillBatch: FILL_BATCH, scan, firstPage: () => Promise.resolve(null) };
  const memory = new Memory(tags, new RecordsBudget(MIB));
  return new MemoryReader(memory, source as unknown as Source<never>, null, filling) as never;
}

Deno.test("filling: a collection that a request waits for is filled before the others go on", async () => {
  const filling = new Filling(), { scans, scanned, begun } = scansOf();
  const readers = ["first", "second", "third"].map((name) =>
    readerOf(filling, () => scanned(name))
  );
  const done = filling.start(readers);
  await begun;
  const { total } = await readers[2]!.list({ where: { name: "00000007" } });
  assert.equal(total, 1);
  const at = scans.indexOf("third");
  // One piece of the other may have been under way.
  const between = scans.slice(at, scans.lastIndexOf("third")).filter((name) => name !== "third");
  assert.ok(between.length <= 1, scans.join(" "));
  await done;
  assert.deepEqual(
    ["first", "second", "third"].map((name) => scans.filter((one) => one === name).length),
    [BATCHES, BATCHES, BATCHES],
  );
});

Deno.test("filling: those that requests wait for go on beside each other", async () => {
  const filling = new Filling(), { scans, scanned, begun } = scansOf();
  const [first, second] = ["first", "second"].map((name) => readerOf(filling, () => scanned(name)));
  const done = filling.start([first!]);
  await begun;
  const lists = [second!, first!].map((reader) => reader.list({ where: { name: "00000007" } }));
  assert.deepEqual((await Promise.all(lists)).map(({ total }) => total), [1, 1]);
  await done;
  // One after the other, whichever goes first, takes turns three times at most.
  const turns = scans.filter((name, n) => n > 0 && name !== scans[n - 1]).length;
  assert.ok(turns > 3, scans.join(" "));
});

Deno.test("filling: one that fails for a request lets the others go on", async () => {
  const filling = new Filling(), { scans, scanned, begun } = scansOf();
  const first = readerOf(filling, () => scanned("first"));
  const failing = readerOf(filling, () => {
    throw new Error("The store is away");
  });
  const done = filling.start([first]);
  await begun;
  await assert.rejects(async () => await failing.list({ where: { name: "x" } }), /away/);
  await done;
  assert.equal(scans.length, BATCHES);
});
