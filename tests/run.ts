// Runs test files; those of a folder that change nothing for each other share an isolate: to load what they test and to
// warm it up takes a file as much as its tests. `tests/run.ts test|long|engines [option of deno test]…`; `deno test` runs
// a single file.
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files, and folders whose files are run; the first are begun first, and those of several lists in turns. */
const SETS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  test: [["tests/storage", "tests/e2e", "tests"]],
  // Browsers keep the processors busy; most of the others wait for servers and databases.
  long: [["tests/long/browser/console_pages_test.ts", "tests/long/browser"], [
    "tests/long/storage",
    "tests/long/sql",
    "tests/long/services",
    "tests/long/kv",
    "tests/long/e2e",
    "tests/long",
  ]],
  engines: [[
    "tests/long/fuzz_test.ts",
    "tests/routes",
    "tests/http/answers_test.ts",
    "tests/storage/unit_of_work_test.ts",
    "tests/services/audit",
    "tests/ownership_test.ts",
    "tests/freshness_test.ts",
  ]],
};
/** Runs only where a set names it. */
const LONG = "tests/long";

/** Folders whose files share an isolate. */
const TOGETHER =
  /^tests\/(?:bench|client|config|console|core|http|middleware|models|routes|services|storage\/memory)\//;
/** What makes the application cheap to test; files that do without it are together apart from those. */
const HARNESS = /\bfrom "(?:\.\.\/)+harness\.ts"/;
/** Files that open every engine themselves; the set that runs on the engine of TEST_ENGINE leaves them out. */
const EVERY_ENGINE = /\bpostgresDatabase\b/;
/** What would hold for the others, too: the files that do it have an isolate of their own. */
const ALONE =
  /\bhashAtFullCost\(\)|\bDeno\.test\.(?:before|after)|\bDeno\.env\.set\(|\.prototype\.\w+ = |\bglobalThis\.\w+ = |\bpreferences\.value = |\/listener\.ts"/;

/** Paths of the test files, from the root of the repository. */
async function* testFiles(path: string): AsyncGenerator<string> {
  if (/_test\.tsx?$/.test(path)) return yield path;
  if (!(await Deno.stat(join(ROOT, path))).isDirectory) return;
  const entries = await Array.fromAsync(Deno.readDir(join(ROOT, path)));
  for (const { name } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (`${path}/${name}` !== LONG) yield* testFiles(`${path}/${name}`);
  }
}

/** The test files of all lists, one of each list after the other; some more than once. */
async function inTurns(lists: readonly (readonly string[])[]): Promise<string[]> {
  const found = await Promise.all(lists.map(async (paths) => {
    const files = await Promise.all(paths.map((path) => Array.fromAsync(testFiles(path))));
    return [...new Set(files.flat())];
  }));
  const most = Math.max(...found.map(({ length }) => length));
  return Array.from({ length: most }, (_, n) => found.flatMap((files) => files[n] ?? [])).flat();
}

/** By what the files of a group have in common; a file of its own by its path. */
async function groupsOf(files: readonly string[]): Promise<Map<string, Set<string>>> {
  const groups = new Map<string, Set<string>>();
  for (const file of files) {
    const text = await Deno.readTextFile(join(ROOT, file));
    if (set === "engines" && EVERY_ENGINE.test(text)) continue;
    const together = TOGETHER.test(file) && !ALONE.test(text);
    const folders = file.split("/").slice(1, -1);
    const shared = HARNESS.test(text) ? folders.join("_") : `${folders[0]}_without`;
    const group = together ? shared : file;
    groups.set(group, (groups.get(group) ?? new Set()).add(file));
  }
  return groups;
}

/** Modules to run: a file, or one that imports the files of a group. */
async function modulesOf(groups: Map<string, Set<string>>, folder: string): Promise<string[]> {
  return await Promise.all([...groups].map(async ([name, files]) => {
    if (files.has(name)) return name;
    const module = join(folder, `${name}.ts`);
    const imports = [...files].map((file) => `import "${pathToFileURL(join(ROOT, file))}";\n`);
    await Deno.writeTextFile(module, imports.join(""));
    return module;
  }));
}

const [set = "", ...options] = Deno.args;
const lists = SETS[set];
if (!lists) throw new Error(`Cannot run tests: '${set}' is not ${Object.keys(SETS).join(" or ")}`);
const folder = await Deno.makeTempDir({ prefix: "quarterdeck-tests-" });
try {
  const modules = await modulesOf(await groupsOf(await inTurns(lists)), folder);
  const tests = new Deno.Command(Deno.execPath(), {
    args: ["test", "--parallel", "--no-check", ...options, ...modules],
    cwd: ROOT,
    // More than there are processors, since many wait for servers, databases and disks.
    env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(2 * navigator.hardwareConcurrency) },
  }).spawn();
  // Whoever ends this ends them, and the folder goes then.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => tests.kill(signal));
  }
  Deno.exitCode = (await tests.status).code;
} finally {
  await Deno.remove(folder, { recursive: true });
}
