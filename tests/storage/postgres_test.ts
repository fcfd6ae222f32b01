// The storage suite on Postgres. TEST_DATABASE_URL names the server.
import { addRoles } from "../sql/databases.ts";
import { dropReused, openReused } from "../sql/reused.ts";
import { storageSuite } from "./suite.ts";

// tests/long/storage/postgres_test.ts tries as many interleavings as the other engines are tried with.
storageSuite("Postgres", async (options) => {
  const store = await openReused(options);
  await addRoles(store);
  return store;
}, 8);

Deno.test.afterAll(dropReused);
