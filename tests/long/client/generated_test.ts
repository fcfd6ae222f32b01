// What is generated of the client is what the declared routes give now.
import assert from "node:assert/strict";
import { generateClient } from "../../../cli/client.ts";

const committed = new URL("../../../client/generated", import.meta.url).pathname;

/** The files of a folder, by their paths in it. */
async function filesIn(folder: string, below = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${below}`)) {
    const path = `${below}${name}`;
    if (isDirectory) (await filesIn(folder, `${path}/`)).forEach((text, at) => files.set(at, text));
    else files.set(path, await Deno.readTextFile(`${folder}/${path}`));
  }
  return files;
}

Deno.test("client: `deno task client` has been run since the routes changed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-client-" });
  try {
    await generateClient(folder);
    const [made, kept] = [await filesIn(folder), await filesIn(committed)];
    assert.deepEqual([...made.keys()].sort(), [...kept.keys()].sort());
    for (const [path, text] of made) assert.ok(text === kept.get(path), `${path} is out of date`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
