// The permissions that the server needs with the settings at hand; `deno task start` runs it with these and no others.
import { dirname, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "../config/read.ts";
import { backupFolder, dataFolder, type Environment } from "../config/environment.ts";
import { variableNames } from "../config/settings.ts";
import { variants } from "../config/variants.ts";

/** What libraries read by themselves: libpq's variables, and the token of a KV Connect server. */
const OF_LIBRARIES = ["PG*", "NODE_PG_FORCE_NATIVE", "USER", "USERNAME", "DENO_KV_*"];

/** The folder that the files of the API page are read from where the runtime cannot import them. */
const apiPage = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css")));
/** The folder that the decoder of images reads its WebAssembly from. */
const imageDecoder = dirname(
  fileURLToPath(import.meta.resolve("@silvia-odwyer/photon-node")),
);
const application = fileURLToPath(new URL("..", import.meta.url));

export interface PermissionOptions {
  readonly env: Environment;
  /** The folder that the server is started in. */
  readonly folder: string;
  /** Of Deno, as `2.9.6`. @default the one that runs this */
  readonly version?: string;
}

/**
 * Reads: the application, `.env`, the data, the backups, the API page, the decoder of images and the certificate of the
 * database. Writes: the data and the backups.
 * Environment: the settings' variables. The network is open: the database and the mail server may be anywhere, and only
 * a provider itself tells where its keys and tokens are.
 *
 * @returns Flags of `deno run`.
 */
export function permissionFlags({ env, folder, version }: PermissionOptions): string[] {
  const data = dataFolder(env);
  const backups = backupFolder(env);
  const certificate = env.PGSSLROOTCERT ? [env.PGSSLROOTCERT] : [];
  const names = new Set(Object.values(variants).flatMap(variableNames));
  return [
    "--no-prompt",
    "--allow-net",
    allow(
      "read",
      [application, ".env", data, backups, apiPage, imageDecoder, ...certificate],
      folder,
    ),
    allow("write", [data, backups], folder),
    "--allow-sys=hostname,networkInterfaces,setPriority,statfs",
    ...environmentFlags([...names, ...OF_LIBRARIES], version ?? Deno.version.deno),
  ];
}

/** Spaces or commas in a path would split it on the task's command line: where one has any, all paths are allowed. */
function allow(access: "read" | "write", paths: readonly string[], folder: string): string {
  const local = paths.map((path) => {
    const absolute = resolve(folder, path);
    const inside = relative(folder, absolute) || ".";
    return inside.startsWith("..") ? absolute : inside;
  });
  return local.some((path) => /[\s,]/.test(path))
    ? `--allow-${access}`
    : `--allow-${access}=${local.join(",")}`;
}

/**
 * A library lists the whole environment when it is loaded. From Deno 2.6 on it can be shown the named variables alone;
 * before, the refusal would end the process, so that the whole environment is allowed.
 */
function environmentFlags(names: readonly string[], version: string): string[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const filters = major > 2 || minor >= 6;
  return filters ? [`--allow-env=${names.join(",")}`, "--ignore-env"] : ["--allow-env"];
}

/** Where the settings cannot be read, the server gets only what it needs to read them itself and explain why. */
async function main(): Promise<string[]> {
  try {
    return permissionFlags({ env: await readEnvironment(), folder: process.cwd() });
  } catch {
    return ["--no-prompt", "--allow-env", "--allow-read"];
  }
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode((await main()).join(" ")));
}
