// The columns of a table: which are shown, and how they are sorted.
import assert from "node:assert/strict";
import {
  type Column,
  direction,
  nextSort,
  sortField,
  tableShape,
  visibleColumns,
} from "../../../console/parts/table_columns.ts";
import { tableCsv } from "../../../console/parts/csv.ts";

interface Row {
  readonly name: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "name",
    title: "Name",
    render: ({ name }) => name,
    sortable: true,
    csv: ({ name }) => name,
  },
  {
    id: "count",
    title: "Count",
    render: ({ count }) => count,
    sortable: "total",
    csv: ({ count }) => count,
  },
  { id: "note", title: "Note", render: () => null, hidden: true },
  { id: "state", title: "State", render: () => null, hideable: false },
];
const ids = (columns: readonly Column<Row>[]) => columns.map(({ id }) => id);

Deno.test("columns: the first stays, others go as people want", () => {
  assert.deepEqual(ids(visibleColumns(COLUMNS, undefined)), ["name", "count", "state"]);
  assert.deepEqual(ids(visibleColumns(COLUMNS, [])), ["name", "count", "note", "state"]);
  assert.deepEqual(ids(visibleColumns(COLUMNS, ["name", "count", "state"])), [
    "name",
    "note",
    "state",
  ]);
});

Deno.test("columns: up, down, up again; by the server's name of the field", () => {
  assert.deepEqual(COLUMNS.map(sortField), ["name", "total", null, null]);
  assert.equal(nextSort("total", "name"), "total");
  assert.equal(nextSort("total", "total"), "-total");
  assert.equal(nextSort("total", "-total"), "total");
  assert.equal(direction("total", "-total"), "descending");
  assert.equal(direction("total", "total"), "ascending");
  assert.equal(direction("name", "total"), "none");
  assert.equal(direction(null, "total"), undefined);
});

Deno.test("columns: those without a width share what is left; where all have one, the first takes it", () => {
  const of = (...widths: readonly (string | undefined)[]) =>
    widths.map((width, at): Column<Row> => ({
      id: `${at}`,
      title: "",
      render: () => null,
      ...(width ? { width } : {}),
    }));
  assert.deepEqual(tableShape(of(undefined, "8rem", undefined), false, false), {
    "--columns": "minmax(0, 1fr) 8rem minmax(0, 1fr)",
    "--least": "calc(14rem + 8rem + 8rem)",
    "--fields": 2,
  });
  assert.deepEqual(tableShape(of("30%", "8rem"), true, true), {
    "--columns": "2.5rem minmax(30%, 1fr) 8rem 3rem",
    "--least": "calc(2.5rem + 14rem + 8rem + 3rem)",
    "--fields": 1,
  });
});

Deno.test("columns: as CSV, nothing in it is a formula", () => {
  const rows: readonly Row[] = [
    { name: 'Ada "the first", Lovelace', count: 3 },
    { name: "=HYPERLINK(1)", count: -2 },
    { name: "@sum", count: 0 },
  ];
  assert.equal(
    tableCsv(COLUMNS, rows),
    'Name,Count\r\n"Ada ""the first"", Lovelace",3\r\n\'=HYPERLINK(1),-2\r\n\'@sum,0\r\n',
  );
});

Deno.test("columns: as CSV, what the server guards is guarded, in full width and behind a NUL too", () => {
  const rows = ["\uff1d1+1", "\0=1", "\uff20x", "1=1"].map((name) => ({ name, count: 1 }));
  assert.equal(
    tableCsv(COLUMNS, rows),
    "Name,Count\r\n'\uff1d1+1,1\r\n'\0=1,1\r\n'\uff20x,1\r\n1=1,1\r\n",
  );
});
