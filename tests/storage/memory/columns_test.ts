// Columns give back what was put into them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { TimeColumn } from "../../../storage/memory/columns.ts";

Deno.test("a column of times gives them back as they were written", () => {
  const [min, max] = ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"].map((text) =>
    new Date(text)
  );
  const time = fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  const odd = fc.constantFrom(null, "2026-01-01T00:00:00Z", "2026-01-01T09:00:00.000+09:00", "");
  fc.assert(fc.property(fc.array(fc.oneof(time, odd), { minLength: 1 }), (values) => {
    const column = new TimeColumn();
    values.forEach((value, slot) => column.set(slot, value));
    assert.deepEqual(values.map((_, slot) => column.get(slot)), values);
    assert.ok(values.every((value, slot) => column.has(slot, value)));
  }));
});
