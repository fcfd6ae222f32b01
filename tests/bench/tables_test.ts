// The tables of the pages are those of bench/results.json.
import assert from "node:assert/strict";
import { readResults, type Results, type Row } from "../../bench/report.ts";
import { filled, pages } from "../../bench/tables.ts";

const ROOT = new URL("../..", import.meta.url);
const row = (name: string): Row => ({ name, what: "asked", value: 1, unit: "s", target: {} });
const results: Results = {
  "kv compact": { deno: "2.9.0", at: "2026-01-01T00:00:00.000Z", rows: [row("W1"), row("L1")] },
};
const page = (name: string, within: string) =>
  `Before\n\n<!-- bench: ${name} -->\n${within}\n<!-- /bench -->\n\nAfter\n`;
const head = "|  | Workload, 32 connections | Measured |\n| --- | --- | --- |";

Deno.test("tables: a table takes the place of the one before", () => {
  const table = `\n${head}\n| W1 | asked | 1.00 s |\n| L1 | asked | 1.00 s |\n`;
  assert.equal(filled(page("kv compact", "old"), results), page("kv compact", table));
});

Deno.test("tables: a place may show some of the rows alone", () => {
  const table = `\n${head}\n| L1 | asked | 1.00 s |\n`;
  const name = "kv compact, only B4 L1";
  assert.equal(filled(page(name, "old"), results), page(name, table));
});

Deno.test("tables: what was not measured stays as it is", () => {
  assert.equal(filled(page("sqlite compact", "old"), results), page("sqlite compact", "old"));
});

/** The cells alone: `deno fmt` aligns tables. */
const unaligned = (text: string) => text.replace(/ *\| */g, "|").replace(/-{2,}/g, "--");

for (const path of pages) {
  Deno.test(`tables: ${path} shows what bench/results.json holds`, async () => {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    assert.match(text, /<!-- bench: /);
    assert.equal(unaligned(filled(text, await readResults())), unaligned(text));
  });
}
