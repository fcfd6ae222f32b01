// The audit log's chain after a commit of thousands of records, such as an import.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { auditLinks, auditLog } from "../../../models/audit.ts";
import { SECOND } from "../../../core/units.ts";
import { entriesUpTo } from "../../../services/audit/linker.ts";
import { startJobs } from "../../../services/jobs.ts";
import { proveAudit } from "../../../services/audit/proof.ts";
import { StoreUnavailable } from "../../../storage/port.ts";
import { type Harness, harness } from "../../harness.ts";

async function writeEntries({ store }: Harness, count: number): Promise<void> {
  const entry = { action: "insert", target: "users", targetName: "U", fields: [] };
  await store.transact({ userId: null }, (tx) => {
    for (let n = 0; n < count; n++) tx.insert(auditLog, { ...entry, targetId: `u${n}` });
  });
}

/** Tells how many entries each read asks for. */
function watchReads({ store }: Harness, tell: (entries: number) => void): void {
  const from = store.from.bind(store);
  const reader = from(auditLog);
  const { getMany } = reader;
  reader.getMany = (ids) => {
    tell(ids.length);
    return getMany.call(reader, ids);
  };
  store.from = ((of) => of.name === auditLog.name ? reader : from(of)) as typeof store.from;
}

Deno.test("linking: others get their turn while the entries of a large commit are linked", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  await writeEntries(h, 2000);
  /** Entries that were read, and then hashed: in all, in this turn of the event loop, and in one turn at most. */
  let read = 0, now = 0, most = 0;
  let done = false;
  const turn = () => {
    now = 0;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  watchReads(h, (entries) => {
    read += entries;
    most = Math.max(most, now += entries);
  });
  await audit.link();
  done = true;
  assert.equal(read, 2000);
  // On a machine on which a piece takes as long as the rest after it the next one may be due in the same turn.
  assert.ok(most <= 3 * 20, `${most} entries in one turn`);
  const { problems, waiting } = await proveAudit(h.store, audit.notary);
  assert.deepEqual({ problems, waiting }, { problems: [], waiting: 0 });
});

Deno.test("linking: beyond a link's worth in one pass more is read at a time, so that it keeps up", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  for (let n = 0; n < 10; n++) await writeEntries(h, 110);
  const pieces: number[] = [];
  watchReads(h, (entries) => pieces.push(entries));
  await audit.link();
  assert.deepEqual(pieces, [...new Array(27).fill(20), 10, ...new Array(9).fill(60), 10]);
  const { problems, waiting } = await proveAudit(h.store, audit.notary);
  assert.deepEqual({ problems, waiting }, { problems: [], waiting: 0 });
});

Deno.test("linking: when the process ends, no pause is made between entries that a large commit has left", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  for (let n = 0; n < 10; n++) await writeEntries(h, 110);
  const pieces: number[] = [];
  watchReads(h, (entries) => pieces.push(entries));
  await startJobs(h.app.services, [])();
  await audit.link();
  assert.deepEqual(pieces, [550, 550]);
  const { problems, waiting } = await proveAudit(h.store, audit.notary);
  assert.deepEqual({ problems, waiting }, { problems: [], waiting: 0 });
});

Deno.test("linking: the more is written, the sooner links follow each other", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.follow();
  assert.equal(await audit.follow(), SECOND);
  await writeEntries(h, 5000);
  const soon = await audit.follow();
  assert.ok(soon >= SECOND / 20 && soon < SECOND, `${soon} ms`);
  assert.equal(await audit.follow(), SECOND);
});

Deno.test("linking: what this process writes is linked without being read again, in the order of the journal", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  let read = 0;
  watchReads(h, (entries) => read += entries);
  await Promise.all(Array.from({ length: 30 }, () => writeEntries(h, 20)));
  await audit.link();
  // Two links are one commit: the first has as many entries as a link may.
  const { rows } = await h.store.from(auditLinks).list({ sort: "-seq", limit: 2 });
  assert.deepEqual(rows.map(({ entries }) => entries.length), [100, 500]);
  assert.equal(read, 0);
  const written: string[] = [];
  const end = h.store.position();
  for await (const entry of entriesUpTo(h.store, "", end)) {
    for (const { collection, id } of entry.changes) {
      if (collection === auditLog.name) written.push(id);
    }
  }
  const linked = rows.toReversed().flatMap(({ entries }) =>
    entries.map((line) => line.split(" ")[0])
  );
  assert.deepEqual(linked, written.slice(-600));
  const { problems, waiting } = await proveAudit(h.store, audit.notary);
  assert.deepEqual({ problems, waiting }, { problems: [], waiting: 0 });
});

Deno.test("linking: what could not be linked is linked the next time, from the journal, once", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  for (let n = 0; n < 3; n++) await writeEntries(h, 20);
  const { transact } = h.store;
  h.store.transact = () => Promise.reject(new StoreUnavailable("Cannot reach the store"));
  await assert.rejects(audit.link(), StoreUnavailable);
  h.store.transact = transact;
  await writeEntries(h, 20);
  let read = 0;
  watchReads(h, (entries) => read += entries);
  await audit.link();
  assert.equal(read, 80);
  const { rows } = await h.store.from(auditLinks).list({ sort: "-seq", limit: 1 });
  assert.equal(new Set(rows[0]!.entries).size, 80);
  assert.equal(rows[0]!.entries.length, 80);
  const { problems, waiting } = await proveAudit(h.store, audit.notary);
  assert.deepEqual({ problems, waiting }, { problems: [], waiting: 0 });
});
