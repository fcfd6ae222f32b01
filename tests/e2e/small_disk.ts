// A file system with little room, that a test fills: a mounted one, else what a container has for shared memory.
import { statfsSync } from "node:fs";

const MIB = 1024 * 1024;

export interface SmallDisk extends AsyncDisposable {
  /** An empty folder on it, for its owner. */
  readonly folder: string;
  /** Makes room. */
  grow(): Promise<void>;
}

/**
 * @param mebibytes What there is room for at first, in MiB.
 * @throws {Error} There is none to be had on this machine: no right to mount one, and no small one at /dev/shm.
 */
export async function smallDisk(mebibytes: number): Promise<SmallDisk> {
  const disk = await mountedDisk(mebibytes, []) ?? await mountedDisk(mebibytes, ["sudo", "-n"]) ??
    await filledDisk("/dev/shm", mebibytes);
  if (disk) return disk;
  throw new Error(
    "Cannot make a small disk: run as root, or let sudo run without a password, or give /dev/shm 64 MiB, as Docker does",
  );
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

/** @param as What goes before a command that not everybody may run. */
async function mountedDisk(mebibytes: number, as: readonly string[]): Promise<SmallDisk | null> {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-" });
  const asRoot = (...words: string[]) => {
    const [command, ...args] = [...as, ...words];
    return run(command!, ...args);
  };
  const options = `size=${mebibytes}m,mode=0700,uid=${Deno.uid()}`;
  if (!await asRoot("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder)) {
    await Deno.remove(folder);
    return null;
  }
  return {
    folder,
    async grow() {
      const options = `remount,size=${mebibytes + 40}m`;
      if (!await asRoot("mount", "-o", options, folder)) throw new Error("Cannot grow the disk");
    },
    async [Symbol.asyncDispose]() {
      await asRoot("umount", "-l", folder);
      await Deno.remove(folder);
    },
  };
}

/** The most room, in bytes, that is filled up to make a disk small. */
const MOST = 512 * MIB;

async function filledDisk(path: string, mebibytes: number): Promise<SmallDisk | null> {
  try {
    const { bavail, bsize } = statfsSync(path);
    const surplus = bavail * bsize - mebibytes * MIB;
    if (surplus < 0 || surplus > MOST) return null;
    const folder = await Deno.makeTempDir({ dir: path, prefix: "quarterdeck-" });
    const ballast = `${folder}.ballast`;
    using file = await Deno.open(ballast, { write: true, create: true });
    const piece = new Uint8Array(MIB);
    for (let left = surplus; left > 0; left -= piece.length) {
      await file.write(piece.subarray(0, Math.min(left, piece.length)));
    }
    return {
      folder,
      grow: () => Deno.remove(ballast),
      async [Symbol.asyncDispose]() {
        await Deno.remove(ballast).catch(() => {});
        await Deno.remove(folder, { recursive: true });
      },
    };
  } catch {
    return null;
  }
}
