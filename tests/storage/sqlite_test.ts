// The storage suite on SQLite: in memory, in a file, and with hardly any of it held in memory.
import { dropMigrated, migratedFile, openForSuite } from "../sql/databases.ts";
import { storageSuite } from "./suite.ts";

const memory = { url: "sqlite::memory:", drop: () => Promise.resolve() };

storageSuite("SQLite in memory", (options) => openForSuite(memory, options));
storageSuite("SQLite in a file", async (options) => openForSuite(await migratedFile(), options));
storageSuite(
  "SQLite without a cache",
  async (options) => openForSuite(await migratedFile(), { ...options, cacheMaxBytes: 0 }),
);

Deno.test.afterAll(dropMigrated);
