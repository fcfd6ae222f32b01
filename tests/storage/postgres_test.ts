// The storage suite on Postgres, each test in a database of its own. TEST_DATABASE_URL names the server.
import { openForSuite, postgresDatabase } from "../sql/databases.ts";
import { storageSuite } from "./suite.ts";

storageSuite("Postgres", async (options) => openForSuite(await postgresDatabase(), options));
