// Builds the console, `deno task console`: what a browser gets, in console/dist, each file named after its content.
import * as esbuild from "esbuild";
import { parseArgs } from "node:util";
import { answerHelp, print, printError } from "../core/command_line.ts";

const USAGE = `Usage:
  deno task console [--watch | --check]

Builds console/dist from console/. --watch builds again at each change; --check builds nothing, and fails where
what is there is not what would be built.`;

const ROOT = new URL("..", import.meta.url);
const DIST = new URL("console/dist/", ROOT);

/**
 * Packages are found where Deno has them, by the names of deno.json. The names of the built files follow from the paths
 * of what is in them: so packages go by a name of their own, and what is built is the same wherever the tree lies.
 */
const packages: esbuild.Plugin = {
  name: "packages",
  setup(build) {
    const places = new Map<string, string>();
    const known = (place: string) => {
      const path = place.replace(/^.*\/npm\/[^/]+\//, "");
      places.set(path, place);
      return { path, namespace: "npm" };
    };
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === "entry-point") return null;
      return known(new URL(import.meta.resolve(path)).pathname);
    });
    build.onResolve({ filter: /^\./, namespace: "npm" }, ({ path, importer }) => {
      return known(new URL(path, `file://${places.get(importer)!}`).pathname);
    });
    build.onLoad({ filter: /.*/, namespace: "npm" }, async ({ path }) => {
      return { contents: await Deno.readTextFile(places.get(path)!), loader: "js" };
    });
  },
};

const options = {
  absWorkingDir: ROOT.pathname,
  entryPoints: {
    main: "console/main.tsx",
    theme: "console/theme.ts",
    console: "console/styles/console.css",
  },
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  assetNames: "[name]-[hash]",
  outdir: "console/dist",
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["chrome120", "firefox121", "safari17.2"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  metafile: true,
  write: false,
  legalComments: "none",
  logLevel: "error",
  plugins: [packages],
} as const satisfies esbuild.BuildOptions;

/** What the server has to know of the files. */
interface Manifest {
  readonly script: string;
  /** What `script` imports at once. */
  readonly preload: readonly string[];
  readonly theme: string;
  readonly style: string;
  readonly files: readonly string[];
}

type Built = esbuild.BuildResult<typeof options>;

/** The files of console/dist, by name. */
function filesOf({ outputFiles, metafile }: Built): Map<string, Uint8Array> {
  const nameOf = (path: string) => path.split("/").at(-1)!;
  const files = new Map(outputFiles.map(({ path, contents }) => [nameOf(path), contents]));
  const outputs = Object.entries(metafile.outputs);
  const entry = (source: string) => outputs.find(([, { entryPoint }]) => entryPoint === source)!;
  const [script, { imports }] = entry(options.entryPoints.main);
  const manifest: Manifest = {
    script: nameOf(script),
    preload: imports.filter(({ kind }) => kind === "import-statement")
      .map(({ path }) => nameOf(path)).sort(),
    theme: nameOf(entry(options.entryPoints.theme)[0]),
    style: nameOf(entry(options.entryPoints.console)[0]),
    files: [...files.keys()].sort(),
  };
  const text = JSON.stringify(manifest, null, 2) + "\n";
  return files.set("manifest.json", new TextEncoder().encode(text));
}

async function write(built: Built): Promise<void> {
  const files = filesOf(built);
  await Deno.mkdir(DIST, { recursive: true });
  for await (const { name } of Deno.readDir(DIST)) {
    if (!files.has(name)) await Deno.remove(new URL(name, DIST));
  }
  for (const [name, bytes] of files) await Deno.writeFile(new URL(name, DIST), bytes);
  const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  print(`console/dist: ${files.size} files, ${size} bytes`);
}

/** Names of what is missing in console/dist, or is not as it would be built, or has no place there. */
async function differences(built: Built): Promise<string[]> {
  const files = filesOf(built);
  const there = new Set<string>();
  for await (const { name } of Deno.readDir(DIST)) there.add(name);
  const differing = await Promise.all(
    [...files].map(async ([name, bytes]) => {
      if (!there.has(name)) return [name];
      const found = await Deno.readFile(new URL(name, DIST));
      return found.length === bytes.length && found.every((byte, at) => byte === bytes[at])
        ? []
        : [name];
    }),
  );
  return [...differing.flat(), ...[...there].filter((name) => !files.has(name))].sort();
}

async function watch(): Promise<void> {
  const rebuilt: esbuild.Plugin = {
    name: "write",
    setup(build) {
      build.onEnd(async (result) => {
        if (result.errors.length === 0) await write(result as unknown as Built);
      });
    },
  };
  const context = await esbuild.context({ ...options, plugins: [packages, rebuilt] });
  await context.watch();
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { watch: { type: "boolean" }, check: { type: "boolean" } },
    });
    if (values.watch) {
      await watch();
      await new Promise(() => {});
    }
    const built = await esbuild.build(options);
    if (!values.check) {
      await write(built);
      return 0;
    }
    const differing = await differences(built);
    if (differing.length === 0) return 0;
    printError(`console/dist is not what is built from console/: ${differing.join(", ")}`);
    return 1;
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await esbuild.stop();
  }
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
