// The storage suite on Postgres. TEST_DATABASE_URL names the server.
import { addRoles } from "../sql/databases.ts";
import { dropReused, openReused } from "../sql/reused.ts";
import { storageSuite } from "./suite.ts";

storageSuite("Postgres", async (options) => {
  const store = await openReused(options);
  await addRoles(store);
  return store;
});

Deno.test.afterAll(dropReused);
