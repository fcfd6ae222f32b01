// The tests of the storage port, for every engine. They use nothing but the port.
import type { OpenStore, StorageTest } from "./storage_test_case.ts";
import { blobTests } from "./suite_blobs.ts";
import { commitTests } from "./suite_commits.ts";
import { journalTests } from "./suite_journal.ts";
import { listTests } from "./suite_lists.ts";
import { propertyTests } from "./suite_properties.ts";
import { recordTests } from "./suite_records.ts";
import { transactTests } from "./suite_transact.ts";

/** Interleavings of writers that an engine is tried with. */
const RUNS = 30;

/**
 * Registers every test of the port.
 *
 * @param name Of the engine, for the names of the tests.
 * @param open Called once for each test.
 * @param runs Fewer where each takes long; see `propertySuite`.
 */
export function storageSuite(name: string, open: OpenStore, runs = RUNS): void {
  const tests = [
    recordTests,
    commitTests,
    transactTests,
    listTests,
    journalTests,
    blobTests,
    propertyTests(runs),
  ].flat();
  register(name, open, tests);
}

/** Registers what is tried with random writers alone, as often as on every engine. */
export function propertySuite(name: string, open: OpenStore): void {
  register(name, open, propertyTests(RUNS));
}

function register(name: string, open: OpenStore, tests: readonly StorageTest[]): void {
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
