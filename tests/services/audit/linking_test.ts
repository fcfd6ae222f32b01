// The audit log's chain after a commit of thousands of records, such as an import.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { auditLog } from "../../../models/audit.ts";
import { proveAudit } from "../../../services/audit/proof.ts";
import { harness } from "../../harness.ts";

Deno.test("linking: others get their turn while the entries of a large commit are linked", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  const entry = { action: "insert", target: "users", targetName: "U", fields: [] };
  await h.store.transact({ userId: null }, (tx) => {
    for (let n = 0; n < 2000; n++) tx.insert(auditLog, { ...entry, targetId: `u${n}` });
  });
  /** Entries that were read, and then hashed, in each turn of the event loop. */
  const read = [0];
  let done = false;
  const turn = () => {
    read.push(0);
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const from = h.store.from.bind(h.store);
  const reader = from(auditLog);
  const { getMany } = reader;
  reader.getMany = (ids) => {
    read[read.length - 1]! += ids.length;
    return getMany.call(reader, ids);
  };
  h.store.from = ((of) => of.name === auditLog.name ? reader : from(of)) as typeof h.store.from;
  await audit.link();
  done = true;
  assert.equal(read.reduce((sum, count) => sum + count), 2000);
  assert.ok(Math.max(...read) <= 100, `${Math.max(...read)} entries in one turn`);
  const { problems, waiting } = await proveAudit(h.store, audit.notary);
  assert.deepEqual({ problems, waiting }, { problems: [], waiting: 0 });
});
