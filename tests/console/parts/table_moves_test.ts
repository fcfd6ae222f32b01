// What a key does on a row of a table: which row has the focus next, and which page is shown.
import assert from "node:assert/strict";
import { onTableKey } from "../../../console/parts/table_moves.ts";
import type { TableProps } from "../../../console/parts/table_props.ts";

/** A table of the letters; returns what it did at a key, in words. */
function press(
  key: string,
  { on = "row", at = 1, shift = false, ...table }: Press = {},
): string[] {
  const told: string[] = [];
  const say = (text: string) => void told.push(text);
  const rows = table.rows ?? ["a", "b", "c"];
  const props: TableProps<string> = {
    label: "Letters",
    columns: [],
    rows,
    rowId: (row) => row,
    onOpen: (row) => say(`open ${row}`),
    onPage: (page) => say(`page ${page}`),
    ...table,
  };
  const element = {
    matches: () => on === "row",
    querySelector: () => ({ click: () => say("menu") }),
  };
  const event = {
    key,
    shiftKey: shift,
    target: element,
    preventDefault: () => say("taken"),
    stopPropagation() {},
  };
  onTableKey(props, rows, { at, focusAt: (index) => say(`focus ${index}`) }, {
    choose: (id, range) => say(`choose ${id}${range ? " and those before" : ""}`),
    extend: (from, to) => say(`choose ${from} and ${to}`),
    chooseAll: () => say("choose all"),
    clear: () => false,
  })(event as unknown as KeyboardEvent);
  return told;
}

interface Press extends Partial<TableProps<string>> {
  on?: "row" | "field";
  at?: number;
  shift?: boolean;
}

Deno.test("table keys: the row that the focus is on moves, opens, is chosen", () => {
  assert.deepEqual(press("ArrowDown"), ["focus 2", "taken"]);
  assert.deepEqual(press("ArrowUp"), ["focus 0", "taken"]);
  assert.deepEqual(press("End"), ["focus 2", "taken"]);
  assert.deepEqual(press("Enter"), ["open b", "taken"]);
  assert.deepEqual(press("x"), ["choose b", "taken"]);
  assert.deepEqual(press("."), ["menu", "taken"]);
});

Deno.test("table keys: with Shift, arrows choose as they go", () => {
  const shift = true;
  assert.deepEqual(press("ArrowDown", { shift }), ["choose b and c", "focus 2", "taken"]);
  assert.deepEqual(press("K", { shift }), ["choose b and a", "focus 0", "taken"]);
  assert.deepEqual(press("ArrowDown", { shift, at: 2 }), ["choose c and c", "focus 3", "taken"]);
});

Deno.test("table keys: keys of a field in a row, and of a table without rows, are left alone", () => {
  assert.deepEqual(press("ArrowDown", { on: "field" }), []);
  assert.deepEqual(press("ArrowDown", { rows: [] }), []);
  assert.deepEqual(press("Escape"), [], "nothing was chosen that it could let go");
});

Deno.test("table keys: PageDown and PageUp turn pages, and go by ten rows where there are none", () => {
  const pages = { page: 2, limit: 3, total: 9 };
  assert.deepEqual(press("PageDown", pages), ["page 3", "taken"]);
  assert.deepEqual(press("PageUp", pages), ["page 1", "taken"]);
  assert.deepEqual(press("PageDown", { ...pages, page: 3 }), ["taken"], "it is the last page");
  assert.deepEqual(press("PageUp", { ...pages, page: 1 }), ["taken"], "it is the first page");
  assert.deepEqual(press("PageDown"), ["focus 11", "taken"]);
  assert.deepEqual(press("PageUp", { ...pages, onPage: undefined }), ["focus -9", "taken"]);
});
