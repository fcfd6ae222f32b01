// CSV: whatever a cell holds, a reader gets it back, and no spreadsheet takes it for a formula.
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLines, itemsIn, unguarded } from "../../core/csv.ts";

const read = (text: string): string[][] => parse(text, { relax_column_count: true });

Deno.test("csv: any text comes back as it was", () => {
  const cell = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "=1+1",
      "+1",
      "-1",
      "@a",
      "\t=1",
      "\r=1",
      "\0=1",
      "＝1",
      'a"b',
      "a,b\r\nc",
      "'=x",
      "''=x",
      "'x",
    ),
  );
  fc.assert(fc.property(fc.array(fc.array(cell, { minLength: 2 }), { minLength: 1 }), (rows) => {
    const back = read(csvLines(rows));
    assert.deepEqual(back.map((row) => row.map(unguarded)), rows);
    for (const text of back.flat()) assert.doesNotMatch(text, /^[=+\-@\t\r\0＋－＝＠]/);
  }));
});

Deno.test("csv: numbers stay numbers, lists are one cell, nothing is an empty one, lines end as RFC 4180 says", () => {
  assert.equal(csvLines([[-5, true, null, undefined, ["a", "b; c"]]]), "-5,true,,,a; b; c\r\n");
  assert.deepEqual(itemsIn(" a; b ;;c"), ["a", "b", "c"]);
});
