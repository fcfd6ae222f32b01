// What is changed in the stored bytes of the audit log, beneath the store, is found on each engine, and named.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { auditCheckpoints, auditLinks, auditLog, HEAD } from "../../../models/audit.ts";
import { users } from "../../../models/users.ts";
import { AuditWork } from "../../../services/audit/audit.ts";
import { type AuditProof, proveAudit } from "../../../services/audit/proof.ts";
import { verifyStore } from "../../../services/backups/verify.ts";
import { openStore } from "../../../storage/open.ts";
import { RecordDamaged } from "../../../storage/port.ts";
import { addPerson } from "../../storage/people.ts";
import { addRoles, onServer, postgresDatabase, sqliteFile } from "../../sql/databases.ts";
import { kvFile, said, task } from "../backups/stores.ts";
import { kvBytes, pathOf, postgresBytes, sqliteBytes } from "./stored_bytes.ts";

const AUDIT_KEY = "a key of the audit log that is long enough";

/** Removes a record beneath the store. */
type Remove = (url: string, collection: string, id: string) => Promise<void>;

const removeInKv: Remove = async (url, collection, id) => {
  using kv = await Deno.openKv(pathOf(url));
  await kv.delete([collection, id]);
};

const tableOf = (collection: string) =>
  collection.replace(/[A-Z]/g, (one) => `_${one}`).toLowerCase();

// deno-lint-ignore require-await -- the others wait
const removeInSqlite: Remove = async (url, collection, id) => {
  using database = new DatabaseSync(pathOf(url));
  database.exec(`delete from ${tableOf(collection)} where id = '${id}'`);
};

const removeInPostgres: Remove = (url, collection, id) =>
  onServer(url, `delete from ${tableOf(collection)} where id = '${id}'`);

const engines = {
  kv: { create: kvFile, bytesOf: kvBytes, remove: removeInKv },
  sqlite: { create: sqliteFile, bytesOf: sqliteBytes, remove: removeInSqlite },
  postgres: { create: postgresDatabase, bytesOf: postgresBytes, remove: removeInPostgres },
};

async function withWork<T>(
  url: string,
  run: (work: AuditWork) => Promise<T>,
): Promise<T> {
  const store = await openStore({ url });
  try {
    return await run(new AuditWork({ store, keys: [AUDIT_KEY], clock: () => new Date() }));
  } finally {
    await store.close();
  }
}

const prove = (url: string): Promise<AuditProof> =>
  withWork(url, ({ options: { store }, notary }) => proveAudit(store, notary));

const problemsOf = async (url: string): Promise<readonly string[]> => {
  try {
    return (await prove(url)).problems;
  } catch (error) {
    if (error instanceof RecordDamaged) return [error.message];
    throw error;
  }
};

const damages = (url: string): Promise<string[]> =>
  withWork(url, ({ options: { store } }) => Array.fromAsync(verifyStore(store)));

/** Two links, and the entries of the newest, of which the first tells of values that were changed. */
function chained(url: string): Promise<{ newest: { id: string; entries: string[] } }> {
  return withWork(url, async (work) => {
    const { store } = work.options;
    await addRoles(store);
    const ann = await addPerson(store, "Ann");
    await work.link();
    const from = { userId: ann.id, ip: "192.0.2.7", requestId: "a-request" };
    for (const bio of ["Sails", "Rows"]) {
      await store.transact(from, async (tx) => {
        tx.update(users, (await tx.from(users).get(ann.id))!, { bio });
      });
    }
    await work.link();
    const { rows: [link] } = await store.from(auditLinks).list({ sort: "-seq", limit: 1 });
    return { newest: { id: link!.id, entries: link!.entries.map((line) => line.split(" ")[0]!) } };
  });
}

const verify = async (url: string) =>
  await said(await task("verify", ["--audit", "--store", url], { AUDIT_KEY }));

for (const [name, { create, bytesOf, remove }] of Object.entries(engines)) {
  Deno.test(`audit log: any byte of an entry that is changed where it is stored is found (${name})`, async () => {
    const { url, drop } = await create();
    try {
      const { newest: { entries: [id] } } = await chained(url);
      const whole = await verify(url);
      assert.match(whole.text, /nothing in the audit log was changed/);
      assert.equal(whole.code, 0, whole.text);
      const bytes = await bytesOf(url, id!);
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: bytes.size - 1 }),
          fc.integer({ min: 0, max: 6 }),
          async (at, bit) => {
            await bytes.flip(at, bit);
            const problems = await problemsOf(url);
            if (problems.length > 0) assert.ok(problems.join().includes(id!), problems.join());
            // SQLite reads ids from an index: that the row has another is what `deno task verify` finds.
            else assert.match((await damages(url)).join(), /audit_log/);
            await bytes.restore();
          },
        ),
        { numRuns: 40 },
      );
      assert.deepEqual((await prove(url)).problems, []);
      await bytes.flip(Math.floor(bytes.size / 2), 0);
      const damaged = await verify(url);
      assert.ok(damaged.text.includes(id!), damaged.text);
      assert.equal(damaged.code, 1, damaged.text);
    } finally {
      await drop();
    }
  });

  Deno.test(`audit log: an end that is cut off where it is stored is found, and a checkpoint that is gone (${name})`, async () => {
    const { url, drop } = await create();
    try {
      const { newest } = await chained(url);
      const { head } = await prove(url);
      for (const id of newest.entries) await remove(url, auditLog.name, id);
      const [first, ...others] = (await prove(url)).problems;
      assert.match(first!, new RegExp(`Entry ${newest.entries[0]} of .* was removed`));
      assert.equal(others.length, newest.entries.length - 1);
      await remove(url, auditLinks.name, newest.id);
      assert.match(
        (await prove(url)).problems.join("\n"),
        new RegExp(`Link ${head!.seq} was removed`),
      );
      await remove(url, auditCheckpoints.name, HEAD);
      const without = await verify(url);
      assert.match(without.text, new RegExp(`Nobody has signed link ${head!.seq - 1}, the newest`));
      assert.equal(without.code, 1);
    } finally {
      await drop();
    }
  });
}
