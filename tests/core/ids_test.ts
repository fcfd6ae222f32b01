// Ids: their order and their time.
import assert from "node:assert/strict";
import { newId, timeOfId } from "../../core/ids.ts";

Deno.test("ids ascend whatever the clock does, and tell their time", () => {
  let last = "";
  for (const ms of [1000, 1000, 2000, 1500, 0, 2000, 2001]) {
    for (let i = 0; i < 1000; i++) {
      const id = newId(ms + 4e12);
      assert.ok(id > last, `${id} after ${last}`);
      last = id;
    }
  }
  assert.equal(timeOfId(newId(5e12)), 5e12);
  for (const other of ["", "ann", crypto.randomUUID(), "2026-01-01:ann"]) {
    assert.equal(timeOfId(other), null);
  }
});
