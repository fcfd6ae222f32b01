// What a plan gave, kept as text: the records it wrote come back as they are now, everything else as it was.
import assert from "node:assert/strict";
import { recallOutcome, RecordingTransaction } from "../../http/outcome.ts";
import { tags } from "../../models/documents.ts";
import type { Transaction } from "../../storage/port.ts";
import { openOnEngine } from "../engine.ts";

const server = { userId: null };

async function kept(plan: (tx: RecordingTransaction) => unknown) {
  const store = await openOnEngine(() => new Date("2026-11-21T10:00:00.000Z"));
  const [text, result] = await store.transact(server, async (tx) => {
    const recording = new RecordingTransaction(tx);
    const result = await plan(recording);
    return [recording.keep(result), result] as const;
  });
  return { store, text, result, [Symbol.asyncDispose]: () => store.close() };
}

Deno.test("outcome: records at any depth come back with the version of their commit", async () => {
  await using k = await kept((tx) => {
    const [one, two] = [tx.insert(tags, { name: "one" }), tx.insert(tags, { name: "two" })];
    return { list: [one, { deep: two }], count: 2, none: null, text: "one" };
  });
  const recalled = await recallOutcome(k.store, k.text);
  assert.deepEqual(recalled, k.result);
  assert.notEqual((recalled as { list: [{ rev: string }] }).list[0].rev, "");
  assert.equal(k.text.includes('"name"'), false, "records are kept as references");
});

Deno.test("outcome: a record itself, and nothing at all", async () => {
  await using one = await kept((tx) => tx.insert(tags, { name: "one" }));
  assert.deepEqual(await recallOutcome(one.store, one.text), one.result);
  await using none = await kept((tx) => void tx.insert(tags, { name: "one" }));
  assert.equal(await recallOutcome(none.store, none.text), undefined);
});

Deno.test("outcome: what users wrote is never taken for a reference", async () => {
  const written = { records: [[["result"], "tags", "x"]], given: { result: "theirs" } };
  await using k = await kept((tx) => {
    tx.insert(tags, { name: "one" });
    return { written };
  });
  assert.deepEqual(await recallOutcome(k.store, k.text), { written });
});

Deno.test("outcome: a record that is gone is a conflict; what is no plain object is a defect", async () => {
  await using k = await kept((tx) => tx.insert(tags, { name: "one" }));
  const [tag] = (await k.store.from(tags).list()).rows;
  await k.store.transact(server, (tx) => tx.remove(tags, tag!));
  await assert.rejects(recallOutcome(k.store, k.text), { code: "CONFLICT" });
  const recording = new RecordingTransaction({} as Transaction);
  assert.throws(() => recording.keep({ at: new Map() }), /at is no plain object/);
});
