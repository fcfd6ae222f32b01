// What commands print: tables, and lines that nobody reads any more.
import assert from "node:assert/strict";
import { tableOf } from "../../core/command_line.ts";

const module = new URL("../../core/command_line.ts", import.meta.url).href;

Deno.test("command line: columns stand below each other, and no line ends with spaces", () => {
  assert.deepEqual(tableOf([["ID", "STATE"], ["long one", ""], ["x", "open"]]), [
    "ID        STATE",
    "long one",
    "x         open",
  ]);
});

Deno.test("command line: a table may have more rows than a call takes arguments", () => {
  const rows = Array.from({ length: 300_000 }, (_, n) => [`${n}`, "user"]);
  assert.equal(tableOf(rows).at(-1), "299999  user");
  assert.deepEqual(tableOf([]), []);
});

Deno.test("command line: a reader that goes away, such as head, ends no command", async () => {
  const code = `import { print } from ${JSON.stringify(module)};
    for (let n = 0; n < 100_000; n++) print("a line of some length, to fill the pipe");`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", code],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  const [{ code: ended }, said] = await Promise.all([
    child.status,
    new Response(child.stderr).text(),
  ]);
  assert.equal(ended, 0, said);
});
