// The thread that takes what the log of a file of SQLite holds into the file, on a connection of its own. sql/sqlite_log.ts
// starts it, with the path as its name.
import type { DatabaseSync } from "node:sqlite";
import { type Checkpoint, type LogState, openFile, takeIn } from "./sqlite_file.ts";

export type ToCheckpoints = Checkpoint | "close";

const port = self as unknown as Worker & { readonly name: string };
let database: DatabaseSync | undefined;

port.onmessage = ({ data }: MessageEvent<ToCheckpoints>) => {
  let state: LogState = { whole: false };
  try {
    if (data === "close") database?.close();
    else state = takeIn(database ??= openFile(port.name), data);
  } catch {
    // A file that cannot be opened is left to the commits, which tell.
  }
  port.postMessage(state);
};
