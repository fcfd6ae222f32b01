// Answers a list as CSV, whole: it is read as the client takes it, a page at a time.
import { type Cell, csvLines } from "../core/csv.ts";
import { delay } from "../core/delay.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Call } from "./endpoint.ts";
import { attachment } from "./download.ts";
import { exchangeOf } from "./exchange.ts";

/** The columns of an export by their names, and what of a record they hold. */
export type Columns<R> = Readonly<Record<string, (record: R) => Cell>>;

/** Columns that hold the field of their name. */
export function columnsOf<R>(...fields: readonly (keyof R & string)[]): Columns<R> {
  return Object.fromEntries(
    fields.map((field) => [field, (record: R) => record[field] as Cell]),
  );
}

/** A page of what is exported. */
export interface ExportedPage<R> {
  readonly records: readonly R[];
  /** How many there are in all. */
  readonly total: number;
  readonly nextCursor: string | null;
}

interface Export<R> {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly columns: Columns<R>;
  /** Whether it begins with a byte order mark. */
  readonly bom: boolean | undefined;
  /** Reads the page after a cursor: some milliseconds of work. */
  read(cursor: string | undefined): Awaitable<ExportedPage<R>>;
}

/**
 * @throws What the reading of the first page throws. Where a later one fails the connection is broken off, so that no
 * client takes the part for the whole.
 */
export async function csvAnswer<R>(
  { context, services, principal }: Pick<Call<"users:view">, "context" | "services" | "principal">,
  { name, columns, bom, read }: Export<R>,
): Promise<Response> {
  services.limiter.take("transfer", { account: principal.user.id });
  const first = await read(undefined);
  const headers = {
    ...exchangeOf(context).headers,
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": attachment(`${name}.csv`),
    "cache-control": "private, no-cache",
    "x-total-count": String(first.total),
  };
  const cells = Object.values(columns);
  const encoder = new TextEncoder();

  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield encoder.encode((bom ? "\ufeff" : "") + csvLines([Object.keys(columns)]));
    for (let page = first;;) {
      const rows = page.records.map((record) => cells.map((cell) => cell(record)));
      if (rows.length > 0) yield encoder.encode(csvLines(rows));
      if (page.nextCursor === null) return;
      // Memory answers at once: others get their turn in between.
      await delay();
      page = await read(page.nextCursor);
    }
  }
  // For HEAD too: it is cancelled before its first piece is made, where a missing body would be told as a length of 0.
  return new Response(ReadableStream.from(pieces()) as ReadableStream<Uint8Array>, { headers });
}
