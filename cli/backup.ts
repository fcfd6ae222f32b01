// Makes a backup while the server runs: `deno task backup`.
import { parseArgs } from "node:util";
import { readSettings } from "../config/read.ts";
import type { Settings } from "../config/settings.ts";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { giveWay } from "../core/pace.ts";
import { backupPath } from "../services/backups/folder.ts";
import { type BackupTask, NotSent, takeBackup } from "../services/backups/take.ts";
import { requireSource } from "./sources.ts";

const USAGE = `Usage:
  deno task backup [--store URL] [--to FOLDER | --to s3]

Copies the whole store, as it is at one moment, into one file in BACKUP_DIR and, where BACKUP_S3_URL is set, sends it to
that bucket; of both the oldest beyond BACKUP_KEEP are removed. The server may run and write meanwhile.
--to FOLDER: into that folder alone. --to s3: into the bucket alone.
URL: kv:path, kv:https://host, sqlite:path or postgres://user:password@host/database; else that of the settings.`;

/** Where it goes. @throws There is no bucket to go to. */
function placesOf(
  to: string | undefined,
  { backups: { folder, bucket } }: Settings,
): Pick<BackupTask, "folder" | "bucket" | "leaves"> {
  if (to === undefined) return { folder, bucket };
  if (to !== "s3") return { folder: to };
  if (bucket) return { folder, bucket, leaves: true };
  throw new Error("Cannot back up to s3: BACKUP_S3_URL is not set");
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { store: { type: "string" }, to: { type: "string" } },
    });
    giveWay();
    const { settings } = await readSettings();
    const url = values.store ?? settings.storeUrl;
    const places = placesOf(values.to, settings);
    await requireSource(url);
    const { keep } = settings.backups;
    const { id, source, size, position } = await takeBackup({
      ...places,
      url,
      keep,
      now: Date.now(),
    });
    const { folder, bucket, leaves } = places;
    const where = [
      ...(leaves ? [] : [backupPath(folder, id)]),
      ...(bucket ? [`${id} in ${bucket.url}`] : []),
    ];
    print(`${source}, position ${position || "none"}, ${size} bytes: ${where.join(", ")}`);
    return 0;
  } catch (error) {
    const made = error instanceof NotSent ? `The backup ${error.id} is made, and not sent. ` : "";
    printError(made + (error instanceof Error ? error.message : String(error)));
    return 1;
  }
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
