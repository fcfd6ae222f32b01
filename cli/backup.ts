// Makes a backup while the server runs: `deno task backup`.
import { parseArgs } from "node:util";
import { readSettings } from "../config/read.ts";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { backupPath, takeBackup } from "../services/backups/take.ts";
import { requireSource } from "./sources.ts";

const USAGE = `Usage:
  deno task backup [--store URL] [--to FOLDER]

Copies the whole store, as it is at one moment, into one file in BACKUP_DIR, or the folder that is named, and removes
the oldest beyond BACKUP_KEEP. The server may run and write meanwhile.
URL: kv:path, sqlite:path or postgres://user:password@host/database; else that of the settings.`;

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { store: { type: "string" }, to: { type: "string" } },
    });
    const { settings } = await readSettings();
    const url = values.store ?? settings.storeUrl;
    await requireSource(url);
    const folder = values.to ?? settings.backups.folder;
    const now = Date.now();
    const { id, source, size, position } = await takeBackup({
      ...settings.backups,
      url,
      folder,
      now,
    });
    print(`${source}, position ${position || "none"}, ${size} bytes: ${backupPath(folder, id)}`);
    return 0;
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
