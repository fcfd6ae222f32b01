// Imports CSV: every row is looked at first, then all are written in one commit, or none.
import { Readable } from "node:stream";
import type { z } from "zod";
import { unguarded } from "../core/csv.ts";
import { delay, nextTurn } from "../core/delay.ts";
import { ApiError, invalid } from "../core/errors.ts";
import type { ImportOutcome } from "../models/csv.ts";
import type { Transaction } from "../storage/port.ts";
import type { Call } from "./endpoint.ts";
import { wordsFor } from "./words.ts";

/** Rows of one import, at most. */
export const MAX_ROWS = 10_000;
/** Cells of a row, those of columns that are not taken among them. */
const MAX_CELLS = 1000;
/** Errors that an answer names. */
const MAX_ERRORS = 1000;
/** What is parsed in one turn of the event loop, at most: some 5 ms of work. */
const SLICE = { characters: 16 * 1024, delimiters: 1000 };
/** Rows that are looked at, or planned, in one turn of the event loop. */
const TURN = 50;

/** A row as it is to be written. */
export interface ImportedRow<T> {
  /** As spreadsheets count: the header is row 1. */
  readonly row: number;
  readonly value: T;
}

/** What is wrong with the rows of an import. */
export class RowErrors {
  readonly errors: { row: number; field: string; message: string }[] = [];
  count = 0;

  add(row: number, field: string, message: string): void {
    this.count++;
    if (this.errors.length < MAX_ERRORS) this.errors.push({ row, field, message });
  }

  /** Adds what a rule throws for a row. @throws What is no fault of the row. */
  addThrown(row: number, field: string, thrown: unknown): void {
    if (!(thrown instanceof ApiError) || thrown.status >= 500) throw thrown;
    const detail = thrown.details?.find((one) => one.field !== "permission");
    this.add(row, detail?.field ?? field, detail?.message ?? thrown.message);
  }

  copy(): RowErrors {
    const copy = new RowErrors();
    copy.errors.push(...this.errors);
    copy.count = this.count;
    return copy;
  }
}

/** What a plan has written of an import. */
export type Written = Pick<ImportOutcome, "created" | "updated">;

interface Import<T, W extends Written> {
  /** The columns it takes, and how the text of a cell becomes a value of the schema. */
  readonly columns: Readonly<Record<string, (text: string) => unknown>>;
  readonly schema: z.ZodType<T>;
  /** Plans all rows; what is wrong with them beyond the schema is added to the errors. */
  plan(tx: Transaction, rows: readonly ImportedRow<T>[], errors: RowErrors): Promise<W>;
}

/** Whoever imports, and may. */
type Importer = Pick<
  Call<"users:create" | "documents:create" | "calendar:create">,
  "services" | "principal" | "transact"
>;

/** How cells of texts become values: without the blanks around. */
export function textColumns(...names: readonly string[]): Import<unknown, Written>["columns"] {
  return Object.fromEntries(names.map((name) => [name, (text: string) => text.trim()]));
}

/** Ends the plan of an import that is not to be committed. */
class NotImported extends Error {
  constructor(readonly written: Written, readonly problems: RowErrors) {
    super("Nothing is imported");
  }
}

/**
 * @throws {ApiError} VALIDATION_ERROR for what is no CSV with a header, and for rows that cannot be imported, unless
 * it is a dry run.
 */
export async function importCsv<T, W extends Written>(
  call: Importer,
  { text, dryRun }: { text: string; dryRun: boolean },
  { columns, schema, plan }: Import<T, W>,
): Promise<{ readonly outcome: ImportOutcome; readonly written: W | null }> {
  call.services.limiter.take("transfer", { account: call.principal.user.id });
  const { lines, ignored } = await linesOf(text, Object.keys(columns));
  const found = new RowErrors();
  const rows: ImportedRow<T>[] = [];
  for (const [n, { row, cells, problem }] of lines.entries()) {
    if (n % TURN === 0) await delay();
    if (problem !== undefined) {
      found.add(row, "row", problem);
      continue;
    }
    const given = Object.entries(cells).map(([name, cell]) => [name, columns[name]!(cell)]);
    const result = schema.safeParse(Object.fromEntries(given), { error: wordsFor });
    if (result.success) rows.push({ row, value: result.data });
    else {for (const { path, message } of result.error.issues) {
        found.add(row, path.map(String).join(".") || "row", message);
      }}
  }
  const told = (written: Written, { errors, count: errorCount }: RowErrors, dry: boolean) => {
    const { created, updated } = written;
    return { dryRun: dry, rows: lines.length, created, updated, errors, errorCount, ignored };
  };
  try {
    const written = await call.transact(async (tx) => {
      const problems = found.copy();
      const written = await plan(tx, rows, problems);
      if (dryRun || problems.count > 0) throw new NotImported(written, problems);
      return written;
    });
    return { outcome: told(written, found, false), written };
  } catch (thrown) {
    if (!(thrown instanceof NotImported)) throw thrown;
    const { written, problems } = thrown;
    if (dryRun) return { outcome: told(written, problems, true), written: null };
    const details = problems.errors.map(({ row, field, message }) => ({
      field: `${row}.${field}`,
      message,
    }));
    throw new ApiError(
      "VALIDATION_ERROR",
      `Nothing is imported (errors: ${problems.count}, rows: ${lines.length})`,
      { details },
    );
  }
}

/** Lets others have their turn after every few rows of a plan. */
export async function* inTurns<T>(rows: readonly T[]): AsyncGenerator<T> {
  for (const [n, row] of rows.entries()) {
    if (n % TURN === 0) await delay();
    yield row;
  }
}

/** A row below the header that holds anything. */
interface Line {
  /** As spreadsheets count: the first is row 1, and one without anything is a row too. */
  readonly row: number;
  /** By the names of the columns; empty ones are left out. */
  readonly cells: Readonly<Record<string, string>>;
  /** Why the cells cannot be told apart. */
  readonly problem?: string;
}

async function linesOf(
  text: string,
  known: readonly string[],
): Promise<{ readonly lines: readonly Line[]; readonly ignored: string[] }> {
  const names = new Map(known.map((name) => [name.toLowerCase(), name]));
  const ignored: string[] = [];
  let header: (string | undefined)[] | null = null;
  const lines: Line[] = [];
  let read = 0;
  for await (const { record, row } of recordsIn(text, delimiterOf(text, names))) {
    if (++read > MAX_ROWS + 1) {
      throw invalid("body", `an import has at most ${MAX_ROWS} rows`);
    }
    if (record.every((cell) => cell.trim() === "")) continue;
    if (header === null) {
      header = headerOf(record, names, ignored);
      continue;
    }
    const [given, wanted] = [record.length, header.length];
    if (given !== wanted) {
      lines.push({ row, cells: {}, problem: `has ${given} cells, the first row has ${wanted}` });
      continue;
    }
    const cells: Record<string, string> = {};
    for (const [n, name] of header.entries()) {
      const cell = unguarded(record[n] ?? "");
      if (name !== undefined && cell.trim() !== "") cells[name] = cell;
    }
    lines.push({ row, cells });
  }
  if (header === null) throw invalid("body", "is empty: the first row names the columns");
  return { lines, ignored };
}

/** What cells are parted by: spreadsheets write semicolons where numbers have a comma before their decimals. */
function delimiterOf(text: string, names: ReadonlyMap<string, string>): string {
  const first = /[^\s\ufeff][^\r\n]{0,9999}/.exec(text)?.[0] ?? "";
  const named = (delimiter: string) =>
    first.split(delimiter).filter((cell) =>
      names.has(cell.trim().replace(/^"(.*)"$/, "$1").trim().toLowerCase())
    ).length;
  return [",", ";", "\t"].reduce((best, other) => named(other) > named(best) ? other : best);
}

function headerOf(
  record: readonly string[],
  names: ReadonlyMap<string, string>,
  ignored: string[],
): (string | undefined)[] {
  const header = record.map((cell) => {
    const name = names.get(cell.trim().toLowerCase());
    if (/^password/i.test(cell.trim())) {
      throw invalid("password", "passwords are not imported: whoever is imported sets their own");
    }
    if (name === undefined) ignored.push(cell.slice(0, 100));
    return name;
  });
  const named = header.filter((name) => name !== undefined);
  const twice = named.find((name, n) => named.indexOf(name) !== n);
  if (twice !== undefined) throw invalid("body", `the column ${twice} is there twice`);
  if (named.length === 0) {
    throw invalid(
      "body",
      `the first row names none of the columns ${[...names.values()].join(", ")}`,
    );
  }
  return header;
}

/** The text in parts that take as long to parse: cells cost more than what they hold. */
export function* slicesOf(text: string, delimiter: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const slice = text.slice(at, at + SLICE.characters);
    const end = endOfCells(slice, delimiter);
    yield slice.slice(0, end);
    at += end;
  }
}

/** The end of as many cells as one slice has, or of the text. */
function endOfCells(text: string, delimiter: string): number {
  let end = 0;
  for (let n = 0; n < SLICE.delimiters; n++) {
    const next = text.indexOf(delimiter, end);
    if (next === -1) return text.length;
    end = next + delimiter.length;
  }
  return end;
}

async function* recordsIn(
  text: string,
  delimiter: string,
): AsyncGenerator<{ readonly record: string[]; readonly row: number }> {
  async function* slices() {
    for (const slice of slicesOf(text, delimiter)) {
      await nextTurn();
      yield slice;
    }
  }
  // Loaded by the first import, not by the start.
  const { CsvError, parse } = await import("csv-parse");
  const parser = parse({
    bom: true,
    // A row is looked at whole: one of millions of cells would hold the event loop for seconds.
    cast(cell, { index }) {
      if (index < MAX_CELLS) return cell;
      throw invalid("body", `a row of an import has at most ${MAX_CELLS} cells`);
    },
    delimiter,
    info: true,
    // Named: to look for the one of the file takes ten times as long, for each character of its first row.
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const source = Readable.from(slices());
  try {
    for await (const { record, info } of source.pipe(parser)) {
      yield { record, row: info.records + info.empty_lines };
    }
  } catch (error) {
    if (error instanceof CsvError) {
      throw invalid("body", `Cannot read the CSV: ${error.message.slice(0, 300)}`);
    }
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}
