// Clusters of tests leave nothing behind, not even when the test's process is killed.
import assert from "node:assert/strict";
import { createCluster } from "./cluster.ts";

const cluster = new URL("./cluster.ts", import.meta.url).href;

/** The process ids of servers whose data is in a directory. */
async function servers(directory: string): Promise<string> {
  const { stdout } = await new Deno.Command("pgrep", { args: ["-f", `${directory}/data`] })
    .output();
  return new TextDecoder().decode(stdout).trim();
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("a cluster ends with a process that is killed, even when it is frozen", async () => {
  const code = `
    import { createCluster } from ${JSON.stringify(cluster)};
    const cluster = await createCluster();
    await cluster.freeze();
    console.log(cluster.directory);
    setInterval(() => {}, 1000);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--frozen", code],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const directory = (await reader.read()).value!.trim();
  assert.match(directory, /quarterdeck-postgres-/);
  assert.notEqual(await servers(directory), "");
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  while (await exists(directory)) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await servers(directory), "");
});

Deno.test("a cluster that is removed is gone when that is done", async () => {
  const { directory, remove } = await createCluster();
  await remove();
  assert.equal(await exists(directory), false);
  assert.equal(await servers(directory), "");
});
