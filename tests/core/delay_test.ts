// Turns of the event loop: requests are served between pieces of long work, however many of these there are.
import assert from "node:assert/strict";
import { nextTurn } from "../../core/delay.ts";
import { traffic } from "../../core/traffic.ts";
import { Slices } from "../../core/slices.ts";

/** Milliseconds of a piece. */
const PIECE = 2;

function work(): void {
  for (const until = performance.now() + PIECE; performance.now() < until;);
}

/**
 * How many pieces are done while a request is answered, at most. Without a look at the sockets it takes 61 or more.
 *
 * @param counted Whether requests count as such.
 */
async function piecesAhead(pieces: () => number, counted: boolean): Promise<number> {
  const server = Deno.serve({ port: 0, onListen() {} }, () => {
    traffic.requests += Number(counted);
    return new Response("here");
  });
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

/** The same beside work that goes on by `nextTurn`. */
async function aheadInTurns(counted: boolean): Promise<number> {
  let pieces = 0, done = false;
  const working = (async () => {
    while (!done) {
      work();
      pieces++;
      await nextTurn();
    }
  })();
  const most = await piecesAhead(() => pieces, counted);
  done = true;
  await working;
  return most;
}

Deno.test("turns: a request is answered between them, sooner while others come", async () => {
  const quiet = await aheadInTurns(false), busy = await aheadInTurns(true);
  assert.ok(quiet < 50, `${quiet} pieces were done first`);
  assert.ok(busy < 12, `${busy} pieces were done first, beside others`);
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
  const most = await piecesAhead(() => pieces, false);
  done = true;
  await working;
  assert.ok(most < 50, `${most} pieces were done first`);
});
