// The layers: which file may import which, held over the whole tree.
import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";

const ROOT = new URL("..", import.meta.url);
const SOURCE = /\.tsx?$/;
const SKIPPED = new Set(["node_modules", "data", "coverage"]);

interface Import {
  /** As written. */
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** Imports and re-exports, static and dynamic. */
function importsOf(source: string): Import[] {
  const statement =
    /^\s*(?:import|export)\s+(type\s)?(?:[^;"'`=]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...source.matchAll(statement)].map(([, type, fixed, dynamic]) => ({
    specifier: fixed ?? dynamic ?? "",
    typeOnly: type !== undefined,
  }));
}

/** Paths of the source files, from the root of the repository. */
async function* sources(folder = ""): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = `${folder}${entry.name}`;
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) continue;
    if (entry.isDirectory) yield* sources(`${path}/`);
    else if (SOURCE.test(entry.name)) yield path;
  }
}

const texts = new Map<string, string>();
for await (const path of sources()) texts.set(path, await Deno.readTextFile(new URL(path, ROOT)));

const imports = new Map(
  [...texts].map(([path, text]) =>
    [
      path,
      importsOf(text).map((found) => ({
        ...found,
        /** The file in the tree; a package as it is written. */
        target: found.specifier.startsWith(".")
          ? join(dirname(path), found.specifier)
          : found.specifier,
      })),
    ] as const
  ),
);

const inside = (...folders: string[]) =>
  [...imports].filter(([path]) => folders.some((folder) => path.startsWith(folder)));

/** The first chain of imports from a file to one that is forbidden; null when there is none. */
function chainTo(
  start: string,
  forbidden: (path: string) => boolean,
  seen = new Set<string>(),
): string[] | null {
  if (forbidden(start)) return [start];
  seen.add(start);
  for (const { target } of imports.get(start) ?? []) {
    const chain = seen.has(target) ? null : chainTo(target, forbidden, seen);
    if (chain) return [start, ...chain];
  }
  return null;
}

function assertNoWay(from: string[], forbidden: (path: string) => boolean) {
  const chains = inside(...from).map(([path]) => chainTo(path, forbidden)?.join(" -> "))
    .filter((chain) => chain !== undefined);
  assert.deepEqual(chains, []);
}

const isEngine = (path: string) => /^(kv|sql)\//.test(path);

Deno.test("architecture: the scan finds every form of import", () => {
  // In pieces, so that the scan does not find them in this file.
  const source = [
    'import a from "a";',
    'import type { B } from "./b.ts";',
    'import { c,\n  d } from "../c.ts";',
    'export * from "./e.ts";',
    'export type { F } from "f";',
    'import "./g.ts";',
    `const h = await ${"import"}("./h.ts");`,
    'export const text = "from";',
  ].join("\n");
  assert.deepEqual(
    importsOf(source).map(({ specifier, typeOnly }) => (typeOnly ? "type " : "") + specifier),
    ["a", "type ./b.ts", "../c.ts", "./e.ts", "type f", "./g.ts", "./h.ts"],
  );
  assert.ok(inside("models/").length > 10 && inside("routes/").length > 2);
  assert.ok(chainTo("main.ts", (path) => path === "store.ts"));
});

Deno.test("architecture: models import zod and each other", () => {
  for (const [path, found] of inside("models/")) {
    for (const { target } of found) {
      assert.ok(target === "zod" || target.startsWith("models/"), `${path} imports ${target}`);
    }
  }
});

Deno.test("architecture: the storage port imports types of models alone", () => {
  const found = imports.get("store.ts") ?? [];
  assert.ok(found.length > 0);
  for (const { target, typeOnly } of found) {
    assert.ok(typeOnly && target.startsWith("models/"), `store.ts imports ${target}`);
  }
});

Deno.test("architecture: no way leads from routes, services and middleware to an engine", () => {
  assertNoWay(["routes/", "services/", "middleware/", "app.ts"], isEngine);
});

Deno.test("architecture: services do not know routes", () => {
  assertNoWay(["services/"], (path) => path.startsWith("routes/"));
});

Deno.test("architecture: engines know neither routes nor services, nor each other", () => {
  assertNoWay(["kv/", "sql/"], (path) => /^(routes|services|middleware)\//.test(path));
  assertNoWay(["kv/"], (path) => path.startsWith("sql/"));
  assertNoWay(["sql/"], (path) => path.startsWith("kv/"));
});

Deno.test("architecture: the product does not import its tests", () => {
  const product = [...imports.keys()].filter((path) => !/^(tests|bench)\//.test(path));
  assertNoWay(product, (path) => path.startsWith("tests/"));
});

Deno.test("architecture: packages come from npm, through deno.json", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const names = Object.keys(config.imports);
  for (const [name, specifier] of Object.entries<string>(config.imports)) {
    assert.match(specifier, /^npm:/, name);
  }
  for (const [path, found] of imports) {
    for (const { specifier } of found.filter(({ specifier }) => !specifier.startsWith("."))) {
      const known = specifier.startsWith("node:") ||
        names.some((name) => name.endsWith("/") ? specifier.startsWith(name) : specifier === name);
      assert.ok(known, `${path} imports ${specifier}`);
    }
  }
});

Deno.test("architecture: the first line of every file says what it is for", () => {
  for (const [path, text] of texts) {
    assert.match(text, /^(#!.*\n)?\/\/ \S.*\S/, path);
  }
});
