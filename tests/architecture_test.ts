// The layers: which file may import which, held over the whole tree.
import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";

const ROOT = new URL("..", import.meta.url);
const SOURCE = /\.tsx?$/;
const SKIPPED = new Set(["node_modules", "data", "coverage", "generated", "guide", "dist"]);

interface Import {
  /** As written. */
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** Whether it is loaded only when it is asked for. */
  readonly later: boolean;
}

/** Imports and re-exports, static and dynamic. */
function importsOf(source: string): Import[] {
  const statement =
    /^\s*(?:import|export)\s+(type\s)?(?:[^;"'`=]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...source.matchAll(statement)].map(([, type, fixed, dynamic]) => ({
    specifier: fixed ?? dynamic ?? "",
    typeOnly: type !== undefined,
    later: dynamic !== undefined,
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

/**
 * The ladder: what stands on a step imports from its own step and from those below it. The engines stand beside
 * memory, on the port; only the file that opens a store knows them.
 */
const LADDER: readonly (readonly string[])[] = [
  // What others take away knows nothing of the server.
  ["client/"],
  // Runs in browsers, on the public API alone.
  ["console/"],
  ["core/"],
  ["config/", "models/"],
  ["storage/", "kv/", "sql/"],
  ["services/"],
  ["http/"],
  ["middleware/", "routes/", "pages/"],
  ["app.ts"],
  ["main.ts", "cli/"],
  ["tests/", "bench/"],
];

/** Rooms on one step that do not know each other. */
const APART: readonly (readonly [from: string, to: string])[] = [
  ["config/", "models/"],
  ["models/", "config/"],
  ["kv/", "sql/"],
  ["sql/", "kv/"],
  ["storage/", "kv/"],
  ["storage/", "sql/"],
];

/** Opens the engine that a URL names. */
const OPENS_ENGINES = "storage/open.ts";

function stepOf(path: string): number {
  return LADDER.findIndex((rooms) => rooms.some((room) => path.startsWith(room)));
}

/** Every import of one file of the tree by another. */
const arrows = [...imports].flatMap(([from, found]) =>
  found.filter(({ target }) => imports.has(target)).map(({ target }) => [from, target] as const)
);

/** The circles of the import graph: its strongly connected parts of more than one file (Tarjan, 1972). */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];

  function visit(file: string) {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) {
        lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
      }
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) found.push(circle.sort());
  }

  for (const file of graph.keys()) {
    if (!order.has(file)) visit(file);
  }
  return found;
}

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
    importsOf(source).map(({ specifier, typeOnly, later }) =>
      `${typeOnly ? "type " : ""}${later ? "later " : ""}${specifier}`
    ),
    ["a", "type ./b.ts", "../c.ts", "./e.ts", "type f", "./g.ts", "later ./h.ts"],
  );
  assert.ok(inside("models/").length > 10 && arrows.length > 500);
});

Deno.test("architecture: models import zod and each other", () => {
  for (const [path, found] of inside("models/")) {
    for (const { target } of found) {
      assert.ok(target === "zod" || target.startsWith("models/"), `${path} imports ${target}`);
    }
  }
});

Deno.test("architecture: the storage port imports types alone", () => {
  const found = imports.get("storage/port.ts") ?? [];
  assert.ok(found.length > 0);
  for (const { target, typeOnly } of found) {
    assert.ok(typeOnly && /^(core|models)\//.test(target), `the port imports ${target}`);
  }
});

Deno.test("architecture: every file has its place on the ladder", () => {
  assert.deepEqual([...imports.keys()].filter((path) => stepOf(path) < 0), []);
});

Deno.test("architecture: no arrow leads up the ladder, nor to a neighbour that is apart", () => {
  const wrong = arrows.filter(([from, to]) => {
    if (from === OPENS_ENGINES) return false;
    const apart = APART.some(([a, b]) => from.startsWith(a) && to.startsWith(b));
    return apart || stepOf(to) > stepOf(from);
  });
  assert.deepEqual(wrong.map(([from, to]) => `${from} -> ${to}`), []);
});

Deno.test("architecture: circles are found", () => {
  const graph = new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]], ["d", ["a"]]]);
  assert.deepEqual(circles(graph), [["b", "c"]]);
});

Deno.test("architecture: no files import each other in a circle", () => {
  const graph = new Map([...imports].map(([path, found]) => [path, found.map((f) => f.target)]));
  assert.deepEqual(circles(graph), []);
});

/** What every server needs from the start, each with its share of the time to the first answer and of memory at rest. */
const AT_START = [
  "@logtape/logtape",
  "csv-stringify/sync",
  "dotenv",
  "hono",
  "jose",
  "uuid",
  "zod",
];

Deno.test("architecture: a start loads few packages, and nothing of Node that makes connections", () => {
  const reached = new Set(["main.ts"]);
  for (const path of reached) {
    for (const { target, typeOnly, later } of imports.get(path) ?? []) {
      if (!typeOnly && !later) reached.add(target);
    }
  }
  const others = [...reached].filter((one) => !imports.has(one) && !one.startsWith("node:"));
  const packages = others.map((one) => one.replace(/^(hono|jose)\/.*/, "$1"));
  assert.deepEqual([...new Set(packages)].sort(), AT_START);
  const connecting = ["node:dns/promises", "node:http", "node:https", "node:tls"];
  assert.deepEqual(connecting.filter((one) => reached.has(one)), []);
});

Deno.test("architecture: in the root stands what starts and what tools expect there", () => {
  const files = [...imports.keys()].filter((path) => !path.includes("/"));
  assert.deepEqual(files.sort(), ["app.ts", "main.ts"]);
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
