// A place for backups in the tests of the application, whose own store is in memory: a folder, and a store to back up.
import { Folder } from "../services/backups/folder.ts";
import { takeBackup } from "../services/backups/take.ts";
import { openStore } from "../storage/open.ts";
import { persistently, until } from "./until.ts";
import type { Services } from "../services/services.ts";

/** Backups that were made here: each has a moment of its own. */
let count = 0;

export interface BackupPlace {
  /** The variables that name it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Nothing is made before it is used. */
export function backupPlace(): BackupPlace {
  const base = Deno.env.get("TMPDIR") ?? "/tmp";
  // Files of tests that run at once share a process.
  const folder = `${base}/quarterdeck-backups-${crypto.randomUUID()}`;
  return {
    env: { BACKUP_DIR: `${folder}/backups`, DATABASE_URL: `sqlite:${folder}/store.db` },
    // The thread of a backup that was ended finishes what it has begun, such as making a file.
    remove: () =>
      persistently(() =>
        Deno.remove(folder, { recursive: true }).catch((error) => {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        })
      ),
  };
}

/** The application, as far as backups go. */
interface Installation {
  readonly app: { readonly services: Pick<Services, "backups"> };
  readonly settings: Services["settings"];
}

/**
 * Makes the store that is backed up, where it is not there yet, and waits for a backup that is being made, by whatever
 * application in the process.
 */
export async function readyToBackUp({ app, settings }: Installation): Promise<void> {
  await app.services.backups.idle();
  const folder = new Folder(settings.backups.folder);
  await until(async () => !await folder.isBusy(), "the end of the backup that is being made");
  await (await openStore({ url: settings.storeUrl })).close();
}

/** A backup that is done. @returns Its id. */
export async function doneBackup(h: Installation): Promise<string> {
  await readyToBackUp(h);
  const { storeUrl: url, backups: { folder } } = h.settings;
  const { id } = await takeBackup({ url, folder, keep: 1000, now: Date.UTC(2026, 0, 1) + ++count });
  return id;
}
