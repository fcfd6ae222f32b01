// What a browser loads of the console before the first page is shown: it keeps its budget, and comes in one go.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

/** Bytes, compressed: docs/console.md. */
const BUDGET = 100_000;

const dist = new URL("../../console/dist/", import.meta.url);
const manifest: {
  readonly script: string;
  readonly preload: readonly string[];
  readonly theme: string;
  readonly style: string;
} = JSON.parse(await Deno.readTextFile(new URL("manifest.json", dist)));

/** What a script needs before it runs: its imports, and theirs. */
async function needs(name: string, all = new Set<string>()): Promise<ReadonlySet<string>> {
  if (all.has(name)) return all;
  all.add(name);
  const text = await Deno.readTextFile(new URL(name, dist));
  for (const [, imported] of text.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) {
    await needs(imported!, all);
  }
  return all;
}

Deno.test("first load: script and style take at most 100 kB, compressed", async () => {
  const scripts = await needs(manifest.script);
  assert.ok(scripts.size > 1, "its imports are seen");
  let bytes = 0;
  for (const name of [...scripts, manifest.theme, manifest.style]) {
    bytes += gzipSync(await Deno.readFile(new URL(name, dist))).length;
  }
  assert.ok(bytes <= BUDGET, `${bytes} bytes`);
});

Deno.test("first load: the page names all that its script needs, so that nothing is found out late", async () => {
  const named = [manifest.script, ...manifest.preload];
  assert.deepEqual([...await needs(manifest.script)].sort(), named.sort());
});
