// The thread that makes one large commit to a file of SQLite, on a connection of its own. sql/writer_thread.ts starts it.
import type { DatabaseSync } from "node:sqlite";
import {
  assertInTransaction,
  BEGIN,
  openFile,
  PreparedStatements,
  withTable,
} from "./sqlite_file.ts";

export type ToWriter =
  /** Comes first. */
  | { readonly path: string }
  | { readonly text: string; readonly parameters: readonly unknown[] }
  /** Comes last. */
  | "close";

/** The answers, in the order of what was asked. */
export type FromWriter =
  | { readonly rows: unknown[]; readonly changes: number | bigint | undefined }
  | { readonly problem: string; readonly table?: string };

/** Milliseconds to wait for whoever else writes. */
const BUSY_TIMEOUT = 5000;

const port = self as unknown as Worker;
let database: DatabaseSync | undefined;
let statements: PreparedStatements | undefined;

function done(asked: ToWriter): FromWriter {
  const nothing: FromWriter = { rows: [], changes: undefined };
  if (asked === "close") database?.close();
  else if ("path" in asked) {
    database = openFile(asked.path);
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
    statements = new PreparedStatements(database);
  } else {
    if (asked.text !== BEGIN) assertInTransaction(database!);
    const statement = statements!.prepare(asked.text);
    if (statement.reader) return { rows: statement.all(asked.parameters), changes: undefined };
    return { rows: [], changes: statement.run(asked.parameters).changes };
  }
  return nothing;
}

function answerTo(asked: ToWriter): FromWriter {
  try {
    return done(asked);
  } catch (error) {
    const { message, table } = withTable(error as Error, database);
    return { problem: message, table };
  }
}

port.onmessage = ({ data }: MessageEvent<ToWriter>) => port.postMessage(answerTo(data));
