// Run with --v8-flags=--expose-gc and the URL of a database: prints the bytes among V8's old objects that answers leave.
import { getHeapSpaceStatistics } from "node:v8";
import { CompiledQuery } from "kysely";
import { openPostgres } from "../../sql/postgres.ts";

const { gc } = globalThis as unknown as { gc(options: { type: "minor" | "major" }): void };
const { db, pipelined } = openPostgres(Deno.args[0]!);
const text = "select n, repeat(md5(n::text), 8) as t from generate_series(1, $1::int) n";
const query = CompiledQuery.raw(text, [1000]);

const ways = {
  read: () => pipelined.ask(text, [1000]),
  transaction: () => pipelined.transaction((run) => run(query)),
};

function oldBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "old_space")!
    .space_used_size;
}

/** What forty answers of 300 KB leave. What is alive at two young collections is old from then on. */
async function leftBy(ask: () => Promise<unknown>): Promise<number> {
  gc({ type: "major" });
  const before = oldBytes();
  for (let n = 0; n < 40; n++) {
    await ask();
    gc({ type: "minor" });
  }
  return oldBytes() - before;
}

const left: Record<string, number> = {};
for (const [way, ask] of Object.entries(ways)) {
  // The first ones connect, and have code compiled.
  await leftBy(ask);
  left[way] = await leftBy(ask);
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(left)));
await pipelined.end();
await db.destroy();
