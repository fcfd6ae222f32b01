// Tables as CSV (RFC 4180), made in the browser from what it shows.
import type { Column } from "./table_columns.ts";

type Cell = string | number | boolean | null | undefined;

/** Spreadsheets take what begins so for a formula, in full width too (OWASP, CSV injection): the server's list. */
const FORMULA = /^[=+\-@\t\r\0\uff0b\uff0d\uff1d\uff20]/;

/** An apostrophe keeps a text a text. */
function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** Of the columns that have something to export. */
export function tableCsv<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const exported = columns.filter(({ csv }) => csv !== undefined);
  return csvOf(
    exported.map(({ title }) => title),
    rows.map((row) => exported.map(({ csv }) => csv!(row))),
  );
}

/** Gives a file to the person at the browser. */
export function download(name: string, content: string | Blob): void {
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  const blob = typeof content === "string"
    ? new Blob(["\ufeff", content], { type: "text/csv;charset=utf-8" })
    : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
