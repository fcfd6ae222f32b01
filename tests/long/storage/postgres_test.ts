// Random writers on Postgres, as many as the other engines are tried with: each takes a second there.
import { openSqlStore } from "../../../sql/store.ts";
import type { Store } from "../../../storage/port.ts";
import { addRoles } from "../../sql/databases.ts";
import { dropReused, openReused, reusedDatabase } from "../../sql/reused.ts";
import type { OpenStore } from "../../storage/storage_test_case.ts";
import { propertySuite } from "../../storage/suite.ts";

propertySuite("Postgres", async (options) => {
  const store = await openReused(options);
  await addRoles(store);
  return store;
});

propertySuite("Postgres, where another process writes", (options) => openForTwo(options, false));
propertySuite(
  "Postgres with lists from memory, where another process writes",
  (options) => openForTwo(options, true),
);

/** A store of which every second commit is made by another one, and waited for until it is heard of. */
async function openForTwo(
  options: Parameters<OpenStore>[0],
  warm: boolean,
): Promise<Store> {
  const { url, drop } = await reusedDatabase();
  const open = () => openSqlStore({ ...options, url, pool: { max: 4 } });
  const [here, there] = [await open(), await open()];
  await addRoles(here);
  if (warm) await here.warmUp();
  let commits = 0;
  const writer = () => commits++ % 2 === 0 ? there : here;
  // Whoever is shown an entry reads what it tells of. The position alone may be that of a later commit of its own.
  const heard = async (position: string) => {
    const before = String(Number(position) - 1);
    for await (const _ of here.changes({ after: before })) return;
  };
  return {
    engine: here.engine,
    shared: true,
    blobs: here.blobs,
    notes: here.notes,
    from: (collection) => here.from(collection),
    async commit(changes, by) {
      const position = await writer().commit(changes, by);
      await heard(position);
      return position;
    },
    async transact(actor, plan) {
      let position = "";
      const result = await writer().transact(actor, plan, (at) => position = at);
      await heard(position);
      return result;
    },
    load: (collection, records) => here.load(collection, records),
    changes: (from) => here.changes(from),
    tail: (collection, make) => here.tail(collection, make),
    position: () => here.position(),
    entry: (position) => here.entry(position),
    unreadable: () => 0,
    facts: () => here.facts(),
    check: () => here.check(),
    warmUp: () => here.warmUp(),
    ping: () => here.ping(),
    async close() {
      await there.close();
      await here.close();
      await drop();
    },
  };
}

Deno.test.afterAll(dropReused);
