// What `deno task start` runs with: its permissions and environment, read from deno.json.
const config = new URL("../deno.json", import.meta.url);
const { tasks } = JSON.parse(await Deno.readTextFile(config));
const words: string[] = tasks.start.split(" ");

export const configPath = config.pathname;
/** `--allow-…` flags. */
export const permissions: readonly string[] = words.filter((word) => word.startsWith("--"));
/** Variables that the task sets. */
export const environment: Readonly<Record<string, string>> = Object.fromEntries(
  words.slice(0, words.indexOf("deno")).map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)];
  }),
);
