// Commits that follow each other closely.
import assert from "node:assert/strict";
import { type Tag, tags } from "../../models/documents.ts";
import { openSqlStore } from "../../sql/store.ts";
import { server } from "../storage/people.ts";

const at = "2026-01-01T00:00:00.000Z";

Deno.test("a commit is not forgotten, at whatever moment of another's end it comes", async () => {
  const store = await openSqlStore({ url: "sqlite::memory:" });
  let made = 0;
  const insert = () => {
    const name = `t${made++}`;
    const after: Tag = { id: name, createdAt: at, updatedAt: at, rev: "", name };
    return store.commit([{ kind: "insert", collection: "tags", after }], { actor: server });
  };
  for (let ticks = 0; ticks < 60; ticks++) {
    await insert();
    for (let tick = 0; tick < ticks; tick++) await null;
    // A commit that is forgotten is never settled, and the test ends with nothing left to wait for.
    await insert();
  }
  assert.equal(await store.from(tags).count(), 120);
  await store.close();
});
