// Every task that a person runs says how it is run, and does nothing else, when it is asked with --help.
import assert from "node:assert/strict";
import { configPath } from "../start_task.ts";

const commands = [
  "main.ts",
  "cli/admin.ts",
  "cli/copy.ts",
  "cli/routes.ts",
  "cli/webhooks.ts",
  "tests/examples.ts",
];

for (const command of commands) {
  Deno.test(`help: ${command} answers --help with its usage, and leaves no file behind`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "quarterdeck-" });
    try {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--quiet", "--config", configPath, "--no-prompt"],
          ...["--allow-env", "--allow-read", "--allow-sys", `--allow-write=${folder}`],
          new URL(`../../${command}`, import.meta.url).pathname,
          "--help",
        ],
        cwd: folder,
        signal: AbortSignal.timeout(60_000),
      }).output();
      assert.equal(new TextDecoder().decode(stderr), "");
      assert.equal(code, 0);
      assert.match(new TextDecoder().decode(stdout), /^Usage:\s+deno task /);
      assert.deepEqual([...Deno.readDirSync(folder)], []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("help: the server takes no options, and says so instead of starting without them", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--config", configPath, "--no-prompt", "--allow-env", "--allow-read"],
      ...[new URL("../../main.ts", import.meta.url).pathname, "--port", "9000"],
    ],
    signal: AbortSignal.timeout(60_000),
  }).output();
  assert.equal(code, 1);
  assert.equal(new TextDecoder().decode(stdout), "");
  assert.match(
    new TextDecoder().decode(stderr),
    /^Cannot start: '--port': there are no options\. Set a variable, such as PORT=9000/,
  );
});

Deno.test("help: the task that writes the client takes a misspelt option for no folder", async () => {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-" });
  try {
    for (const args of [["--hlep"], ["one", "two"]]) {
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--quiet", "--config", configPath, "--no-prompt"],
          ...["--allow-env", "--allow-read", "--allow-sys", `--allow-write=${folder}`],
          new URL("../../cli/client.ts", import.meta.url).pathname,
          ...args,
        ],
        cwd: folder,
      }).output();
      assert.equal(code, 2);
      assert.match(new TextDecoder().decode(stderr), /^Usage: deno task client/);
    }
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
