// CSV (RFC 4180) as spreadsheets may open it: no cell is taken for a formula.
import { stringify } from "csv-stringify/sync";

/** A value that a cell can hold. A list becomes one cell, its items parted by semicolons. */
export type Cell = string | number | boolean | null | undefined | readonly string[];

/** A spreadsheet runs cells that begin so (OWASP, CSV Injection); some skip a NUL before. */
const BEGINNINGS = String.raw`[=+\-@\t\r\0\uff0b\uff0d\uff1d\uff20]`;
/** What is guarded; what looks as if it were is too, so that it keeps its own apostrophe. */
const FORMULA = new RegExp(`^'*${BEGINNINGS}`);
/** A cell that was guarded. */
const GUARDED = new RegExp(`^'(?='*${BEGINNINGS})`);

/** Parts the items of a list in one cell. */
const BETWEEN = "; ";

function textOf(value: Cell): string {
  if (value === null || value === undefined) return "";
  // A number is none of what a person may write.
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : value.join(BETWEEN);
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Lines of these cells, each with its end. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  // A line break alone would end a line for some readers.
  return stringify(rows.map((row) => row.map(textOf)), {
    record_delimiter: "\r\n",
    quoted_match: /[\r\n]/,
  });
}

/** The text of a cell without the guard that `csvLines` put before it. */
export function unguarded(text: string): string {
  return text.replace(GUARDED, "");
}

/** The items of a list in one cell. */
export function itemsIn(cell: string): string[] {
  return cell.split(";").map((item) => item.trim()).filter((item) => item !== "");
}
