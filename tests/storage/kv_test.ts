// The storage suite on Deno KV: in memory, in a file, with hardly any cache, and shared by two stores.
import { openFile, openMemory, openShared } from "./open.ts";
import { storageSuite } from "./suite.ts";

storageSuite("KV in memory", openMemory);
storageSuite("KV in a file", openFile);
storageSuite("KV without a cache", (options) => openMemory({ ...options, cacheMaxBytes: 0 }));
storageSuite("shared KV", async (options) => {
  const [store, other] = await openShared(options);
  const close = store.close.bind(store);
  store.close = async () => {
    await other.close().catch(() => {});
    await close();
  };
  return store;
});
