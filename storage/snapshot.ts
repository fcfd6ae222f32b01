// Takes a copy of a whole store at one position of its journal into a new file, while others use the store.
import { rm } from "node:fs/promises";
import * as sqlite from "node:sqlite";
import { localPath } from "../config/environment.ts";
import { Pace } from "../core/pace.ts";
import { fileProblem, foundNoRoom, makePrivateFile } from "../core/private_files.ts";
import { allCollections } from "../models/all.ts";
import { copySnapshot } from "./copying.ts";
import { copyLive } from "./live_copy.ts";
import { layoutOf, openStore, withLive, withSnapshot } from "./open.ts";
import type { Store } from "./port.ts";
import { Spool } from "./spool.ts";

export interface Snapshot {
  /** What was copied, for people; without a password. */
  readonly source: string;
  /** What the copy is a file of. */
  readonly engine: "kv" | "sqlite";
  readonly layout: string;
  /** In the journal of the source. */
  readonly position: string;
  /** Records by collection. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Milliseconds to wait for another connection that keeps the file for itself. */
const BUSY_TIMEOUT = 5000;
/** Pages in one step, of 4 KiB: a commit of the server may have to wait until the disk has taken them. */
const STEP = 250;

/** Why a store cannot be backed up; null where it can. */
export function snapshotProblem(url: string): string | null {
  if (localPath(url) === null) {
    return isPostgres(url) || isKvServer(url)
      ? null
      : "a store in memory, or on Deno Deploy, is backed up by its own means";
  }
  return typeof sqlite.backup === "function"
    ? null
    : `Deno ${Deno.version.deno} copies no file in use: it takes a later version, such as 2.9`;
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

function isKvServer(url: string): boolean {
  return /^kv:https?:\/\//.test(url);
}

/**
 * To be called in a thread or a process of its own: it works in large steps.
 *
 * @param to A file that does not exist. It is whole when this returns; after an error the caller removes it.
 */
export async function takeSnapshot(url: string, to: string): Promise<Snapshot> {
  const problem = snapshotProblem(url);
  if (problem !== null) throw new Error(`Cannot back up: ${problem}`);
  const path = localPath(url);
  if (path !== null) {
    await copyFile(path, to);
    const engine = url.startsWith("kv:") ? "kv" : "sqlite";
    const source = engine === "kv" ? `Deno KV (${path})` : `SQLite (${path})`;
    return { source, engine, ...await look(engine, to) };
  }
  if (isKvServer(url)) return await copyKvServer(url, to);
  return await withSnapshot(url, async (source, position) => {
    await intoFile("sqlite", to, (copy) => copySnapshot(source, copy));
    return { source: source.engine, engine: "sqlite", ...await look("sqlite", to), position };
  });
}

/** The copy is a file of Deno KV, which has no foreign keys either: nothing that the source holds is refused there. */
async function copyKvServer(url: string, to: string): Promise<Snapshot> {
  const records = `${to}-records`;
  await rm(records, { force: true });
  try {
    return await withLive(url, async (source) => {
      const position = await intoFile("kv", to, async (copy) => {
        using spool = new Spool(records);
        return await copyLive(source, copy, spool);
      });
      return { source: source.engine, engine: "kv", ...await look("kv", to), position };
    });
  } finally {
    await rm(records, { force: true });
  }
}

async function intoFile<R>(
  engine: Snapshot["engine"],
  path: string,
  copy: (store: Store) => Promise<R>,
): Promise<R> {
  makePrivateFile(path);
  const store = await openStore({ url: `${engine}:${path}`, acceptUnfinished: true, lazy: true });
  try {
    return await copy(store);
  } finally {
    await store.close();
  }
}

/**
 * SQLite's own copy of a database in use. One transaction reads all of it, and so one moment, however many steps it
 * takes; writers are not held up, since the file has a write-ahead log. (`VACUUM INTO` would
 * attach a database, which Deno allows to programs with every permission alone.) Deno KV keeps its data in a file of
 * SQLite. All connections of a process are of the one SQLite that is in Deno, so that none drops the locks of another.
 * https://www.sqlite.org/backup.html
 */
async function copyFile(path: string, to: string): Promise<void> {
  try {
    await Deno.stat(path);
    makePrivateFile(to);
    const database = new sqlite.DatabaseSync(path);
    try {
      database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
      database.exec("begin");
      // The transaction begins with what it reads first.
      database.prepare("select count(*) from sqlite_schema").get();
      using pace = new Pace(to);
      const progress = () => pace.rest();
      await sqlite.backup(database, to, { rate: STEP, progress });
      database.exec("commit");
    } finally {
      database.close();
    }
  } catch (error) {
    // It is the copy that grows: this file's disk may have room.
    throw foundNoRoom(error) ? error : fileProblem(path, error);
  }
}

/** Opens a file, which finishes what was under way in it, and leaves nothing beside it. */
async function look(
  engine: Snapshot["engine"],
  path: string,
): Promise<Pick<Snapshot, "layout" | "position" | "counts">> {
  try {
    const store = await openStore({ url: `${engine}:${path}` });
    try {
      return {
        layout: await layoutOf(engine),
        position: store.position(),
        counts: await countAll(store),
      };
    } finally {
      await store.close();
    }
  } finally {
    await removeBeside(path);
  }
}

/** How many records a store has, by collection. */
export async function countAll(store: Pick<Store, "from">): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const collection of allCollections) {
    counts[collection.name] = await store.from(collection).count();
  }
  return counts;
}

/** Removes what engines put beside a file; nobody may have it open. */
export async function removeBeside(path: string): Promise<void> {
  for (const end of BESIDE) await rm(path + end, { force: true });
}

/** The ends of the names of what stands beside the file of a store. */
export const BESIDE = ["-wal", "-shm", "-journal", ".lock", ".reserve"] as const;
