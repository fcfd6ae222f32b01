// What the engine says where the runtime has no Deno KV.
import assert from "node:assert/strict";
import { openKvStore } from "../../kv/store.ts";
import { StoreUnavailable } from "../../storage/port.ts";

/** Runs with another `Deno.openKv`: test files share no globals. */
async function withOpenKv(openKv: unknown, run: () => Promise<void>): Promise<void> {
  const own = Object.getOwnPropertyDescriptor(Deno, "openKv")!;
  Object.defineProperty(Deno, "openKv", { value: openKv, configurable: true });
  try {
    await run();
  } finally {
    Object.defineProperty(Deno, "openKv", own);
  }
}

const unbound = () => Promise.reject(new TypeError("no database"));

for (const [name, openKv] of [["without it", undefined], ["none is bound", unbound]] as const) {
  Deno.test(`kv: Deno Deploy, ${name}: the message says what to do`, async () => {
    await withOpenKv(openKv, async () => {
      await assert.rejects(openKvStore(), (error: Error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /bind a KV database to the application.*DATABASE_URL/);
        return true;
      });
    });
  });
}
