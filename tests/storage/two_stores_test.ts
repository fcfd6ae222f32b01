// Two stores on one database, as two processes have them: what one has made, the other finds at once.
import assert from "node:assert/strict";
import { tasks } from "../../models/dashboard.ts";
import { users } from "../../models/users.ts";
import { shownUser } from "../../services/access/users.ts";
import type { Store } from "../../storage/port.ts";
import { openSqlStore } from "../../sql/store.ts";
import { addRoles, postgresDatabase, sqliteFile, type TestDatabase } from "../sql/databases.ts";
import { openShared } from "./open.ts";
import { addPerson } from "./people.ts";

type Opened = readonly [Store, Store, () => Promise<void>];

async function openTwice({ url, drop }: TestDatabase): Promise<Opened> {
  const first = await openSqlStore({ url });
  await addRoles(first);
  return [first, await openSqlStore({ url }), drop];
}

const engines: Record<string, () => Promise<Opened>> = {
  "Deno KV": async () => [...await openShared(), () => Promise.resolve()],
  SQLite: async () => await openTwice(await sqliteFile()),
  Postgres: async () => await openTwice(await postgresDatabase()),
};

for (const [engine, open] of Object.entries(engines)) {
  Deno.test(`what another store has just made is found by its id and by its values (${engine})`, async () => {
    const [first, second, drop] = await open();
    const reader = first.from(users);
    // From here on all records are known in memory.
    await reader.list({ where: { status: "active" }, sort: "name" });
    for (let n = 0; n < 20; n++) {
      const { id, email } = await addPerson(second, `Person ${n}`);
      if (n % 3 === 0) assert.ok(await reader.get(id));
      else if (n % 3 === 1) assert.ok(await reader.findBy("email", email));
      else assert.ok(await shownUser(first, id));
    }
    assert.equal(await reader.get("none"), null);
    // Lists on Deno KV read the journal first; what memory holds without that is not told.
    if (engine === "Deno KV") {
      await first.warmUp?.();
      await first.from(tasks).list({ sort: "title" });
      assert.equal(first.from(tasks).held!("status", ["pending"]), null);
    }
    await second.close();
    await first.close();
    await drop();
  });
}

for (const [engine, open] of Object.entries(engines)) {
  Deno.test(`a tail does not pass over what another store has written (${engine})`, async () => {
    const [first, second, drop] = await open();
    const tail = first.tail(users, ({ name }) => name);
    await addPerson(first, "Ann");
    const before = first.position();
    await addPerson(second, "Ben");
    await addPerson(first, "Cyd");
    assert.equal(tail.take(before, first.position()), null);
    await second.close();
    await first.close();
    await drop();
  });
}
