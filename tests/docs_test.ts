// What the pages for people say of the tree is so.
import assert from "node:assert/strict";

const ROOT = new URL("..", import.meta.url);
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/api.md",
  "docs/architecture.md",
  "docs/performance.md",
];

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(new URL(path, ROOT));
    return true;
  } catch {
    return false;
  }
}

for (const page of PAGES) {
  Deno.test(`docs: the files and folders that ${page} names are there`, async () => {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    const named = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.tsx?|\/))`/g)].map(([, path]) =>
      path!
    );
    const missing = [];
    // What the server makes is not in the tree.
    for (const path of new Set(named)) {
      if (path !== "data/" && !await exists(path)) missing.push(path);
    }
    assert.deepEqual(missing, []);
  });
}

Deno.test("docs: README and CONTRIBUTING lead to the architecture", async () => {
  for (const page of ["README.md", "CONTRIBUTING.md"]) {
    assert.match(await Deno.readTextFile(new URL(page, ROOT)), /docs\/architecture\.md/);
  }
});
