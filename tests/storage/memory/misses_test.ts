// What memory lacks: read once, however often a page names it.
import assert from "node:assert/strict";
import { type User, users } from "../../../models/users.ts";
import type { Memory } from "../../../storage/memory/memory.ts";
import { Misses } from "../../../storage/memory/misses.ts";
import { Projection } from "../../../storage/memory/projection.ts";
import { RecordsBudget } from "../../../storage/memory/records.ts";
import { RowReader } from "../../../storage/memory/row_reader.ts";
import { MIB } from "../../../core/units.ts";
import { storedPerson } from "../people.ts";

Deno.test("what is asked for again in one turn is read once, and told to each who asked", async () => {
  const read: (readonly string[])[] = [];
  const misses = new Misses((ids) => {
    read.push(ids);
    return Promise.resolve(ids.map((id) => id === "none" ? null : `record ${id}`));
  });
  const asked = ["a", "b", "a", "none", "a", "none"].map((id) => misses.fetch(id));
  assert.deepEqual(
    await Promise.all(asked),
    ["record a", "record b", "record a", null, "record a", null],
  );
  assert.deepEqual(read, [["a", "b", "none"]]);
});

Deno.test("a row that memory lacks is made once for a page that shows it again and again", async () => {
  const id = crypto.randomUUID();
  const person = { ...storedPerson(id, "2026-01-01T00:00:00.000Z"), rev: "1" } as User;
  let made = 0;
  const row = (user: User) => `${user.name} ${++made}`;
  const declaration = { ...users, row };
  for (const held of [true, false]) {
    const projection = new Projection(declaration, new RecordsBudget(MIB));
    projection.apply([{ id, record: person }]);
    projection.texts!.drop(projection.slotOf(id)!);
    const records = { get: () => held ? person : undefined };
    const memory = { declaration, projection, records, version: 1 } as unknown as Memory<User>;
    const reader = new RowReader(memory, {
      fetch: () => Promise.resolve(person),
      projection: () => Promise.resolve(projection),
    });
    made = 0;
    const rows = await reader.rowsOf([id, id, id]);
    assert.deepEqual(rows, Array.from({ length: 3 }, () => `${person.name} 1`), `held: ${held}`);
  }
});
