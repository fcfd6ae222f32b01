// Reads bytes from Postgres by COPY, in binary: in the answers to queries the client gets bytes as hexadecimal text.
import { Buffer } from "node:buffer";
import type pg from "pg";
import { answerTo } from "./answer.ts";

/**
 * What comes before the rows: a signature of 11 bytes, flags, a length.
 * https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"
 */
const SIGNATURE = "PGCOPY\n\xff\r\n\0";
const HEADER = 19;
/** Each row begins with the number of its fields, or -1 after the last row, and each field with its length: bytes. */
const FIELD_COUNT = 2;
const FIELD_LENGTH = 4;

/**
 * The values of a `copy (select …) to stdout (format binary)` of one column without nulls.
 *
 * @param within Milliseconds. @default for as long as it takes
 * @throws {ReadTimeout}
 */
export function copyOut(
  client: Pick<pg.ClientBase, "query">,
  text: string,
  within?: number,
): Promise<Uint8Array[]> {
  return answerTo(client, new CopyOut(text), within);
}

/** As the client runs its own queries. */
class CopyOut {
  /** Called by the client. */
  callback: ((error: Error | null, values?: Uint8Array[]) => void) | undefined;
  #failed = false;
  readonly #values: Uint8Array[] = [];

  constructor(readonly text: string) {}

  submit(connection: pg.Connection): void {
    (connection as unknown as { query(text: string): void }).query(this.text);
  }

  /** Each message is one row; the first has the header too. The bytes are copied, as the client reuses its buffer. */
  handleCopyData({ chunk }: { chunk: Uint8Array }): void {
    const message = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const at = message.toString("latin1", 0, SIGNATURE.length) === SIGNATURE ? HEADER : 0;
    if (message.length <= at || message.readInt16BE(at) !== 1) return;
    const start = at + FIELD_COUNT + FIELD_LENGTH;
    const length = message.readInt32BE(at + FIELD_COUNT);
    this.#values.push(new Uint8Array(message.subarray(start, start + length)));
  }

  handleError(error: Error): void {
    this.#failed = true;
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.callback?.(null, this.#values);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
}
