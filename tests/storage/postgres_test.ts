// The storage suite on Postgres, with lists from the database and from memory. TEST_DATABASE_URL names the server.
import type { Store } from "../../storage/port.ts";
import { addRoles, type OpenOptions } from "../sql/databases.ts";
import { dropReused, openReused } from "../sql/reused.ts";
import { storageSuite } from "./suite.ts";

// tests/long/storage/postgres_test.ts tries as many interleavings as the other engines are tried with.
storageSuite("Postgres", openWithRoles, 8);
storageSuite("Postgres with lists from memory", async (options) => {
  const store = await openWithRoles(options);
  await store.warmUp();
  return store;
}, 8);

async function openWithRoles(options: OpenOptions): Promise<Store> {
  const store = await openReused(options);
  await addRoles(store);
  return store;
}

Deno.test.afterAll(dropReused);
