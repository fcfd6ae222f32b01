// The styles of the console hold from right to left as from left to right.
import assert from "node:assert/strict";

const folder = new URL("../../console/styles/", import.meta.url);

/** Sides of the screen; and lines that begin where their text does, which may be of another language than the page. */
const SIDES =
  /(?<![\w-])(?:(?:[a-z]+-)*(?:left|right)\s*:|text-align\s*:\s*(?:start|end|left|right)\b)/;
/** Charts go from left to right everywhere. */
const EXEMPT = "chart.css";

Deno.test("styles: nothing is placed by left and right", async () => {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name === EXEMPT) continue;
    const text = await Deno.readTextFile(new URL(name, folder));
    for (const line of text.replace(/\/\*[^]*?\*\//g, "").split("\n")) {
      if (SIDES.test(line)) found.push(`${name}: ${line.trim()}`);
    }
  }
  assert.deepEqual(found, []);
});
