// Random writers on Postgres, as many as the other engines are tried with: each takes a second there.
import { addRoles } from "../../sql/databases.ts";
import { dropReused, openReused } from "../../sql/reused.ts";
import { propertySuite } from "../../storage/suite.ts";

propertySuite("Postgres", async (options) => {
  const store = await openReused(options);
  await addRoles(store);
  return store;
});

Deno.test.afterAll(dropReused);
