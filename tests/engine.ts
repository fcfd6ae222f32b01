// The store of the tests of routes and services: in memory, or on the engine that TEST_ENGINE names.
import type { Store } from "../storage/port.ts";
import { openOnNewServer } from "./kv_connect/open.ts";
import { dropMigrated, openMigrated } from "./sql/databases.ts";
import { dropReused, openReused } from "./sql/reused.ts";
import { openTestStore } from "./storage/open.ts";

type Open = (clock: () => Date) => Promise<Store>;

const engines: Readonly<Record<string, Open>> = {
  kv: (clock) => openTestStore({ clock }),
  kvconnect: (clock) => openOnNewServer({ clock }),
  sqlite: (clock) => openMigrated({ clock }),
  postgres: async (clock) => {
    const store = await openReused({ clock, pool: { max: 4 } });
    // As the server does: lists come from the database first, then from memory.
    void store.warmUp();
    return store;
  },
};

const engine = Deno.env.get("TEST_ENGINE") ?? "kv";

/** An empty store. */
export const openOnEngine: Open = engines[engine] ??
  (() =>
    Promise.reject(
      new Error(`Cannot test: TEST_ENGINE is '${engine}', not kv, kvconnect, sqlite or postgres`),
    ));

if (engine === "sqlite") Deno.test.afterAll(dropMigrated);
if (engine === "postgres") Deno.test.afterAll(dropReused);
