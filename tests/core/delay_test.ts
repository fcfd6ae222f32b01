// Turns of the event loop: requests are served between pieces of long work, however many of these there are.
import assert from "node:assert/strict";
import { nextTurn } from "../../core/delay.ts";
import { Slices } from "../../core/slices.ts";

/** Milliseconds of a piece. */
const PIECE = 2;

function work(): void {
  for (const until = performance.now() + PIECE; performance.now() < until;);
}

/** How many pieces are done while a request is answered, at most. Without a look at the sockets it takes 61 or more. */
async function piecesAhead(pieces: () => number): Promise<number> {
  const server = Deno.serve({ port: 0, onListen() {} }, () => new Response("here"));
  const ask = async () => await (await fetch(`http://127.0.0.1:${server.addr.port}`)).text();
  await ask();
  let most = 0;
  for (let n = 0; n < 10; n++) {
    const before = pieces();
    await ask();
    most = Math.max(most, pieces() - before);
  }
  await server.shutdown();
  return most;
}

Deno.test("turns: a request is answered between them", async () => {
  let pieces = 0, done = false;
  const working = (async () => {
    while (!done) {
      work();
      pieces++;
      await nextTurn();
    }
  })();
  const most = await piecesAhead(() => pieces);
  done = true;
  await working;
  assert.ok(most < 50, `${most} pieces were done first`);
});

Deno.test("turns: a request is answered between slices", async () => {
  let pieces = 0, done = false;
  const working = new Slices().run(function* () {
    while (!done) {
      work();
      pieces++;
      yield;
    }
  }());
  const most = await piecesAhead(() => pieces);
  done = true;
  await working;
  assert.ok(most < 50, `${most} pieces were done first`);
});
