// What one test of the storage port is.
import type { Store } from "../../storage/port.ts";

export interface SuiteOptions {
  readonly clock?: () => Date;
}

/** Opens an empty store. The test closes it. */
export type OpenStore = (options: SuiteOptions) => Promise<Store>;

/** One test of the port. */
export interface StorageTest {
  readonly name: string;
  /** @default the system's time */
  readonly clock?: () => Date;
  readonly run: (store: Store) => Promise<void>;
}
