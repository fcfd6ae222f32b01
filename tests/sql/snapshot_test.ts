// A snapshot of Postgres: its bytes are those of its moment, and come as bytes.
import assert from "node:assert/strict";
import pg from "pg";
import { withPostgresSnapshot } from "../../sql/snapshot.ts";
import { openSqlStore } from "../../sql/store.ts";
import { postgresDatabase } from "./databases.ts";

/** The texts of the statements that any client of Postgres sends while `work` runs. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const texts: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args as [string | { text: string }];
    texts.push(typeof asked === "string" ? asked : asked.text);
    return query.apply(this, args as never) as never;
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return texts;
}

Deno.test("a snapshot reads bytes by COPY, and those that others remove meanwhile", async () => {
  const { url, drop } = await postgresDatabase();
  const store = await openSqlStore({ url });
  const bytes = new Uint8Array(1_500_000).map((_, n) => n % 251);
  const { id } = await store.blobs.put(new Blob([bytes]).stream(), { maxBytes: 2e6 });
  await withPostgresSnapshot(url, async ({ blobs }) => {
    await store.blobs.remove(id);
    const texts = await statementsOf(async () => {
      assert.deepEqual(await new Response(await blobs.get(id)).bytes(), bytes);
    });
    const reads = texts.filter((text) => text.includes("blob_chunks"));
    assert.ok(reads.length > 0);
    for (const text of reads) assert.match(text, /^copy /);
  });
  assert.equal(await store.blobs.get(id), null);
  await store.close();
  await drop();
});
