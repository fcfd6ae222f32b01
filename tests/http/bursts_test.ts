// Answers of one turn of the event loop go out together.
import assert from "node:assert/strict";
import { Bursts } from "../../http/bursts.ts";

Deno.test("bursts: the answers of a turn are given together after it, each to its own request", async () => {
  const bursts = new Bursts();
  const given: string[] = [];
  const ask = (name: string) => {
    const answer = new Response(name);
    return bursts.add(answer).then((got) => {
      assert.equal(got, answer);
      given.push(name);
    });
  };
  const first = [ask("a"), ask("b")];
  await Promise.resolve();
  first.push(ask("c"));
  assert.deepEqual(given, []);
  await Promise.all(first);
  assert.deepEqual(given, ["a", "b", "c"]);
  await ask("d");
  assert.deepEqual(given, ["a", "b", "c", "d"]);
});

Deno.test("bursts: what is asked while answers are given is answered with the next ones", async () => {
  const bursts = new Bursts();
  const given: string[] = [];
  const chain = async (depth: number): Promise<void> => {
    await bursts.add(new Response());
    given.push(`${depth}`);
    if (depth < 3) await chain(depth + 1);
  };
  await Promise.all([chain(1), chain(1)]);
  assert.deepEqual(given, ["1", "1", "2", "2", "3", "3"]);
});
