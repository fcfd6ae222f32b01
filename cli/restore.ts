// Brings a backup back into an empty place: `deno task restore`.
import { parseArgs } from "node:util";
import { join } from "node:path";
import { bucketOf } from "../config/bucket.ts";
import { backupFolder, type Environment, storeUrl } from "../config/environment.ts";
import { readEnvironment } from "../config/read.ts";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { makePrivateFolder } from "../core/private_files.ts";
import { Bucket } from "../services/backups/bucket.ts";
import { Folder } from "../services/backups/folder.ts";
import { isBackupId } from "../services/backups/place.ts";
import { restore } from "../services/backups/restore.ts";
import { openFile, type Source } from "../services/backups/source.ts";

const USAGE = `Usage:
  deno task restore --from FILE [--to URL]
  deno task restore --from ID | s3 | s3://BUCKET/KEY [--to URL]

Brings a backup back as the store of the settings, or as the one that is named, where nothing may be yet. Every byte
is compared with its hash before it is used. The engine may be another one than that of the backup.
ID: one in BACKUP_DIR, else in the bucket of BACKUP_S3_URL. s3: the newest there. s3://: an object of that bucket.
URL: kv:path, kv:https://host, sqlite:path or postgres://user:password@host/database.`;

/** What is to be restored, and a path beside which there is room for it. */
interface Found {
  readonly backup: Source;
  readonly beside: string;
}

async function find(from: string, env: Environment): Promise<Found> {
  const folder = backupFolder(env);
  const inFolder = (id: string) => join(folder, id);
  if (from === "s3" || from.startsWith("s3://")) {
    const bucket = requireBucket(env);
    const key = from === "s3" ? null : keyIn(from, bucket);
    const id = key === null ? await bucket.newest() : null;
    const backup = key === null ? id && await bucket.open(id) : await bucket.openKey(key);
    if (!backup) throw new Error(`Cannot restore: there is no backup at ${from}`);
    makePrivateFolder(folder);
    return { backup, beside: inFolder(id ?? "object") };
  }
  if (!isBackupId(from)) return { backup: await openNamed(from), beside: from };
  const bucket = bucketOf(env);
  const backup = await new Folder(folder).open(from) ??
    (bucket && await new Bucket(bucket).open(from));
  if (!backup) {
    throw new Error(
      `Cannot restore: there is no backup ${from} in ${folder}${
        bucket ? `, nor in ${bucket.url}` : ""
      }`,
    );
  }
  makePrivateFolder(folder);
  return { backup, beside: inFolder(from) };
}

async function openNamed(path: string): Promise<Source> {
  return await openFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`Cannot restore: there is no file ${path}`);
  });
}

function requireBucket(env: Environment): Bucket {
  const settings = bucketOf(env);
  if (settings) return new Bucket(settings);
  throw new Error("Cannot restore from s3: BACKUP_S3_URL is not set");
}

function keyIn(from: string, { settings: { name } }: Bucket): string {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/([\w./-]+)$/.exec(from) ?? [];
  if (bucket === name && key !== undefined) return key;
  throw new Error(`Cannot restore: expected s3://${name}/KEY, received '${from}'`);
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: "string" }, to: { type: "string" } },
    });
    if (!values.from) throw new Error(USAGE);
    const env = await readEnvironment();
    const url = values.to ?? storeUrl(env);
    const { backup, beside } = await find(values.from, env);
    using _backup = backup;
    const { source, createdAt, position } = await restore(backup, {
      url,
      beside,
      onProgress: (what, count) => print(`${what}: ${count}`),
    });
    print(`Restored ${source} as it was at ${createdAt}, position ${position || "none"}`);
    return 0;
  } catch (error) {
    printError(explain(error));
    return 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof Deno.errors.IsADirectory) {
    return "Cannot restore: that is a folder; name a backup in it";
  }
  return error instanceof Error ? error.message : String(error);
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
