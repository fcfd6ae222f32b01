// The tests of the storage port, for every engine. They use nothing but the port.
import type { OpenStore } from "./storage_test_case.ts";
import { blobTests } from "./suite_blobs.ts";
import { commitTests } from "./suite_commits.ts";
import { journalTests } from "./suite_journal.ts";
import { listTests } from "./suite_lists.ts";
import { propertyTests } from "./suite_properties.ts";
import { recordTests } from "./suite_records.ts";
import { transactTests } from "./suite_transact.ts";

/**
 * Registers every test of the port.
 *
 * @param name Of the engine, for the names of the tests.
 * @param open Called once for each test.
 */
export function storageSuite(name: string, open: OpenStore): void {
  const tests = [
    recordTests,
    commitTests,
    transactTests,
    listTests,
    journalTests,
    blobTests,
    propertyTests,
  ].flat();
  for (const test of tests) {
    Deno.test(`${name}: ${test.name}`, async () => {
      const store = await open({ clock: test.clock });
      try {
        await test.run(store);
      } finally {
        await store.close();
      }
    });
  }
}
