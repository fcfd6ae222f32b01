// Threads for one caller, which the keeper of the threads starts.
import assert from "node:assert/strict";
import { delay } from "../../core/delay.ts";
import { ownThread } from "../../services/threads/threads.ts";
import { until } from "../until.ts";

const moduleOf = (text: string) => `data:application/javascript,${encodeURIComponent(text)}`;

Deno.test("a thread of one's own answers its caller alone, until it is ended", async () => {
  const text =
    "self.onmessage = ({ data }) => { self.postMessage(1); self.postMessage(data + 1); };";
  const heard: number[][] = [[], []];
  const fail = (problem: string) => assert.fail(problem);
  const threads = heard.map((into) =>
    ownThread<number>(moduleOf(text), (data) => into.push(data), fail)
  );
  threads.forEach((thread, n) => thread.post(10 * n));
  await until(() => heard.every(({ length }) => length === 2));
  assert.deepEqual(heard, [[1, 1], [1, 11]]);
  for (const thread of threads) thread.end();
});

Deno.test("a thread of one's own that fails tells why", async () => {
  let told = "";
  const text = "self.onmessage = () => { throw new Error('out of rope'); };";
  const thread = ownThread(moduleOf(text), () => {}, (problem) => told = problem);
  thread.post(1);
  await until(() => told !== "");
  assert.match(told, /out of rope/);
  thread.end();
});

Deno.test("a thread of one's own that is ended does no more", async () => {
  const path = await Deno.makeTempFile();
  const text = `let n = 0;
    setInterval(() => { Deno.writeTextFileSync(${JSON.stringify(path)}, String(++n)); }, 5);`;
  const thread = ownThread(moduleOf(text), () => {}, (problem) => assert.fail(problem));
  const size = async () => Number(await Deno.readTextFile(path));
  await until(async () => await size() > 2);
  thread.end();
  await until(async () => {
    const before = await size();
    await delay(100);
    return before === await size();
  });
  await Deno.remove(path);
});
