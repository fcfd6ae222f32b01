// Places for the stores that the tests of backups make, what is put into them, and the commands.
import { allCollections } from "../../../models/all.ts";
import { contents } from "../../../models/files.ts";
import { type Manifest, readManifest } from "../../../services/backups/manifest.ts";
import { openFile } from "../../../services/backups/source.ts";
import { takeBackup } from "../../../services/backups/take.ts";
import type { Store } from "../../../storage/port.ts";
import { addRoles } from "../../sql/databases.ts";
import { addPerson, server } from "../../storage/people.ts";

export async function kvFile(): Promise<{ url: string; drop(): Promise<void> }> {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  return { url: `kv:${folder}/store.kv`, drop: () => Deno.remove(folder, { recursive: true }) };
}

export async function scene(create: () => Promise<{ url: string; drop(): Promise<void> }>) {
  const { url, drop } = await create();
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-backups-" });
  return {
    url,
    folder,
    take: (now = Date.now()) => takeBackup({ url, folder, keep: 3, now }),
    async [Symbol.asyncDispose]() {
      await drop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

export async function manifestOf(path: string): Promise<Manifest> {
  using backup = await openFile(path);
  return await readManifest(backup);
}

export async function addContent(store: Store, fill: number, size = 700_000): Promise<string> {
  const bytes = new Uint8Array(size).fill(fill);
  crypto.getRandomValues(bytes.subarray(0, 1000));
  const { id, sha256 } = await store.blobs.put(new Blob([bytes]).stream(), { maxBytes: size });
  return await store.commit(
    [{
      kind: "insert",
      collection: contents.name,
      after: { ...stamped(sha256), blobId: id, size, references: 1 } as never,
    }],
    { actor: server },
  );
}

function stamped(id: string) {
  const at = "2026-01-01T00:00:00.000Z";
  return { id, createdAt: at, updatedAt: at, rev: "" };
}

export async function fill(store: Store, bytes = 700_000): Promise<string> {
  await addRoles(store);
  const ann = await addPerson(store, "Ann", { bio: "Zoë 😀\n\\" });
  await addContent(store, 7, bytes);
  return ann.id;
}

/** A run of a task, to be awaited or killed. */
export async function task(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const config = JSON.parse(await Deno.readTextFile("deno.json"));
  const [, ...words] = config.tasks[name].split(" ");
  const command = new Deno.Command(Deno.execPath(), {
    args: [...words, ...args],
    env: { ...env, JWT_SECRET: "an access secret for tests, long enough", NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  });
  return command.spawn();
}

export async function said(child: Deno.ChildProcess): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await child.output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

export async function everything(store: Store): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const collection of allCollections) {
    if (collection.name.endsWith("Positions")) continue;
    const records = await Array.fromAsync(store.from(collection).scan());
    found[collection.name] = records.map((record) => ({ ...record, rev: "" }));
  }
  return found;
}

export async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}
