// The README's tours, run as they are printed against a fresh server.
import assert from "node:assert/strict";
import { startServer } from "./server.ts";

/** The shell block that follows the marker of a tour. */
async function tour(name: string): Promise<string> {
  const readme = await Deno.readTextFile(new URL("../README.md", import.meta.url));
  const block = new RegExp(`<!-- tour:${name} -->\\s+\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(readme);
  assert.ok(block?.[1], `the README has a tour named ${name}`);
  return block[1];
}

for (const variant of ["compact", "full"]) {
  Deno.test(`readme: the tour of ${variant} works`, async () => {
    await using server = await startServer({ VARIANT: variant, ADMIN_PASSWORD: "" });
    const script = (await tour(variant))
      .replace(/^URL=.*$/m, `URL=${server.origin}/api`)
      .replaceAll("/tmp/", `${server.folder}/`);
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-euo", "pipefail", "-c", script],
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.ok(success, output);
    assert.equal(/"success":false/.test(output), false, output);
  });
}
