// Threads: for one caller, and for tasks of one kind.
import assert from "node:assert/strict";
import { delay } from "../../core/delay.ts";
import { onThread, startWorker } from "../../services/threads/threads.ts";
import { until } from "../until.ts";

const moduleOf = (text: string) => `data:application/javascript,${encodeURIComponent(text)}`;

Deno.test("a thread for one caller answers that one alone", async () => {
  const text =
    "self.onmessage = ({ data }) => { self.postMessage(1); self.postMessage(data + 1); };";
  const heard: number[][] = [[], []];
  const fail = (problem: string) => assert.fail(problem);
  const threads = heard.map((into) =>
    startWorker<number>(moduleOf(text), (data) => into.push(data), fail)
  );
  threads.forEach((thread, n) => thread.postMessage(10 * n));
  await until(() => heard.every(({ length }) => length === 2));
  assert.deepEqual(heard, [[1, 1], [1, 11]]);
  for (const thread of threads) thread.terminate();
});

Deno.test("a thread that fails tells why", async () => {
  let told = "";
  const text = "self.onmessage = () => { throw new Error('out of rope'); };";
  const thread = startWorker(moduleOf(text), () => {}, (problem) => told = problem);
  thread.postMessage(1);
  await until(() => told !== "");
  assert.match(told, /out of rope/);
});

Deno.test("a thread that is ended does no more", async () => {
  const path = await Deno.makeTempFile();
  const text = `let n = 0;
    setInterval(() => { Deno.writeTextFileSync(${JSON.stringify(path)}, String(++n)); }, 5);`;
  const thread = startWorker(moduleOf(text), () => {}, (problem) => assert.fail(problem));
  const size = async () => Number(await Deno.readTextFile(path));
  await until(async () => await size() > 2);
  thread.terminate();
  await until(async () => {
    const before = await size();
    await delay(100);
    return before === await size();
  });
  await Deno.remove(path);
});

Deno.test("a task that fails fails alone: the thread does the next one", async () => {
  const convert = (task: unknown) =>
    onThread<unknown, { document: Uint8Array }>({ kind: "markdown", task, weight: 1 });
  const [broken, whole] = [convert(null), convert({ source: "# Rope", form: "json" })];
  await assert.rejects(broken, /^Error: A thread has failed: /);
  assert.match(new TextDecoder().decode((await whole).document), /<h1>Rope/);
});
