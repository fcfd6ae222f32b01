// The thread that makes checkpoints of a file of SQLite, on a connection of its own. sql/checkpoints.ts starts it, with the
// path as its name, and is answered when what it asked for is done or has failed.
import type { DatabaseSync } from "node:sqlite";
import { openFile } from "./sqlite_file.ts";

export type ToCheckpoints = "checkpoint" | "close";

const port = self as unknown as Worker & { readonly name: string };
let database: DatabaseSync | undefined;

function perform(asked: ToCheckpoints): void {
  if (asked === "close") return database?.close();
  database ??= openFile(port.name);
  // Passive: it waits for nobody, and nobody for it.
  database.exec("pragma wal_checkpoint(passive)");
}

port.onmessage = ({ data }: MessageEvent<ToCheckpoints>) => {
  try {
    perform(data);
  } catch {
    // A full disk, or one that fails: the commits tell of it.
  }
  port.postMessage(null);
};
