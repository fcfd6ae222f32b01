// A folder with a package.json of its own, in a temporary place, with the npm packages that its lock file names.
import assert from "node:assert/strict";

export interface Packages extends AsyncDisposable {
  readonly folder: string;
  /** Runs a program there; its output. Anything but success is an error that shows the output. */
  run(program: string, args: readonly string[], env?: Record<string, string>): Promise<string>;
}

/** @param path From the root of the repository. */
export async function packagesOf(path: string): Promise<Packages> {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-packages-" });
  const packages: Packages = {
    folder,
    async run(program, args, env = {}) {
      const command = new Deno.Command(program, {
        args: [...args],
        cwd: folder,
        env,
        stdin: "null",
      });
      const { success, stdout, stderr } = await command.output();
      const [told, complained] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      assert.ok(success, `${program} ${args.join(" ")}\n${told}${complained}`);
      return told!;
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(folder, { recursive: true });
    },
  };
  await copyFolder(new URL(`../../${path}/`, import.meta.url).pathname, folder);
  await packages.run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
  return packages;
}

/** What was built or installed there is left out. */
export async function copyFolder(from: string, to: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name === "node_modules" || name === "dist") continue;
    if (!isDirectory) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
    else {
      await Deno.mkdir(`${to}/${name}`);
      await copyFolder(`${from}/${name}`, `${to}/${name}`);
    }
  }
}
