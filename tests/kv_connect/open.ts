// Stores on a KV Connect server of the tests.
import { openKvStore } from "../../kv/store.ts";
import type { Store } from "../../storage/port.ts";
import type { TestStoreOptions } from "../storage/open.ts";
import { ACCESS_TOKEN, KvConnect } from "./server.ts";

/** The variable belongs to the process, and so to all tests that run in it: they agree on one token. */
Deno.env.set("DENO_KV_ACCESS_TOKEN", ACCESS_TOKEN);

/** A store on that server, as one process would have it. */
export function openConnected(server: KvConnect, options: TestStoreOptions = {}): Promise<Store> {
  return openKvStore({ ...options, path: server.url });
}

/** An empty store on a server of its own, which ends when the store closes. */
export async function openOnNewServer(options: TestStoreOptions = {}): Promise<Store> {
  const server = new KvConnect();
  const store = await openConnected(server, options);
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await server[Symbol.asyncDispose]();
  };
  return store;
}
