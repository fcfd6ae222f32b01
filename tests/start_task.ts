// What `deno task start` runs with: its permissions and environment, read from deno.json.
import { permissionFlags } from "../cli/permissions.ts";

const config = new URL("../deno.json", import.meta.url);
const { tasks } = JSON.parse(await Deno.readTextFile(config));
export const startTask: string = tasks.start;
export const devTask: string = tasks.dev;
const words = startTask.split(" ");

export const configPath = config.pathname;
/** Of a process that is no server: a script of the benchmark. */
export const openPermissions: readonly string[] = [
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys",
];
/** Variables that the task sets. */
export const environment: Readonly<Record<string, string>> = Object.fromEntries(
  words.slice(0, words.indexOf("deno")).map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)];
  }),
);

/** The flags that the task computes for a server with these variables, started in a folder. */
export function permissionsFor(
  env: Readonly<Record<string, string>>,
  folder: string,
): readonly string[] {
  return permissionFlags({ env: { ...Deno.env.toObject(), ...env }, folder });
}
