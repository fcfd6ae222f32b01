// A record that memory lacks is read while others commit it.
import assert from "node:assert/strict";
import { MIB } from "../../../core/units.ts";
import { type Tag, tags } from "../../../models/documents.ts";
import { Filling } from "../../../storage/memory/filling.ts";
import { type Applied, Memory } from "../../../storage/memory/memory.ts";
import { BULK } from "../../../storage/memory/projection.ts";
import { MemoryReader } from "../../../storage/memory/reader.ts";
import { RecordsBudget } from "../../../storage/memory/records.ts";
import type { Source, Stored } from "../../../storage/memory/source.ts";

const AT = "2026-01-01T00:00:00.000Z";

const tagOf = (name: string, rev: string): Tag =>
  ({ id: "a", name, createdAt: AT, updatedAt: AT, rev }) as Tag;

/** A reader whose source answers when it is told to. */
function openReader() {
  const memory = new Memory(tags, new RecordsBudget(MIB));
  const asked: PromiseWithResolvers<readonly Stored<Tag>[]>[] = [];
  const records = () => {
    asked.push(Promise.withResolvers());
    return asked.at(-1)!.promise;
  };
  const source = { canHold: () => true, records } as unknown as Source<Tag>;
  const answer = (record: Tag, n = 0) =>
    asked.splice(n, 1)[0]!.resolve([{ record, text: JSON.stringify(record) }]);
  return { memory, reader: new MemoryReader(memory, source, null, new Filling()), asked, answer };
}

function changeOf(record: Tag): Applied<Tag> {
  return { id: record.id, record, rev: record.rev, text: null, bytes: 0 };
}

/** Lets what waits in this turn go on, and with it the read that is made of what was asked for. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve));

/** How many records are committed beside it, what that is, and how often the record is then read. */
const COMMITS = [[0, "a commit", 0], [BULK, "a commit of many records", 1]] as const;

for (const [others, what, reads] of COMMITS) {
  Deno.test(`memory keeps nothing of a read that was under way during ${what}`, async () => {
    const { memory, reader, asked, answer } = openReader();
    const before = reader.get("a");
    await aMoment();
    const more = Array.from(
      { length: others },
      (_, n) => changeOf({ ...tagOf(`New ${n}`, "2"), id: `b${n}` }),
    );
    memory.apply([changeOf(tagOf("New", "2")), ...more]);
    answer(tagOf("Old", "1"));
    assert.equal((await before)!.name, "Old", "it was asked for before the commit");
    const after = reader.get("a");
    await aMoment();
    assert.equal(asked.length, reads, "memory has what a small commit has written");
    if (reads > 0) answer(tagOf("New", "2"));
    assert.equal((await after)!.name, "New");
    assert.equal((await reader.get("a"))!.name, "New");
  });
}

Deno.test("who asks after a commit does not get what was asked for before it", async () => {
  const { memory, reader, answer, asked } = openReader();
  const before = reader.get("a");
  await aMoment();
  memory.apply(
    Array.from(
      { length: BULK + 1 },
      (_, n) => changeOf({ ...tagOf("New", "2"), id: n === 0 ? "a" : `b${n}` }),
    ),
  );
  const after = reader.get("a");
  await aMoment();
  assert.equal(asked.length, 2);
  answer(tagOf("New", "2"), 1);
  assert.equal((await after)!.name, "New");
  answer(tagOf("Old", "1"));
  assert.equal((await before)!.name, "Old");
  assert.equal((await reader.get("a"))!.name, "New", "an answer that comes late is not kept");
});
