// What is committed of the console is what is built from it.
import assert from "node:assert/strict";

Deno.test("console/dist is what deno task console builds", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "console", "--check"],
    cwd: new URL("../../..", import.meta.url).pathname,
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
