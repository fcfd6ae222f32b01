// Brings a backup back into an empty place: `deno task restore`.
import { parseArgs } from "node:util";
import { storeUrl } from "../config/environment.ts";
import { readEnvironment } from "../config/read.ts";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { restoreBackup } from "../services/backups/restore.ts";

const USAGE = `Usage:
  deno task restore --from FILE [--to URL]

Brings a backup back as the store of the settings, or as the one that is named, where nothing may be yet. Every byte
is compared with its hash before it is used. The engine may be another one than that of the backup.
URL: kv:path, sqlite:path or postgres://user:password@host/database.`;

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: "string" }, to: { type: "string" } },
    });
    if (!values.from) throw new Error(USAGE);
    const url = values.to ?? storeUrl(await readEnvironment());
    const { source, createdAt, position } = await restoreBackup(
      values.from,
      url,
      (what, count) => print(`${what}: ${count}`),
    );
    print(`Restored ${source} as it was at ${createdAt}, position ${position || "none"}`);
    return 0;
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound;
    printError(missing ? `Cannot restore: there is no such file` : explain(error));
    return 1;
  }
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
