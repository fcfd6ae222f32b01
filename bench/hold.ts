// Preloaded into a server that is measured: on SIGUSR2 it prints for how long the event loop was held at worst since the
// last time, or a byte waited that came in through a socket, as requests do: where the runtime goes from one turn to the
// next it serves timers, and looks at its sockets now and then.

/** Milliseconds between looks at the clock; a hold is known to within that much. */
const TICK = 2;
/** Milliseconds between bytes: each takes some 0.1 ms of the processor. */
const ASK = 25;

let last = performance.now();
let longest = 0;
let askedAt = Infinity;

function look(): void {
  const now = performance.now();
  longest = Math.max(longest, now - last - TICK, now - askedAt);
  last = now;
}

const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const [asking, answering] = await Promise.all([
  Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
  listener.accept(),
]);
listener.close();
// The server may end all the same.
asking.unref();
answering.unref();
const byte = new Uint8Array(1);

async function ask(): Promise<void> {
  await asking.write(byte);
  askedAt = performance.now();
  await answering.read(byte);
  look();
  askedAt = Infinity;
  Deno.unrefTimer(setTimeout(ask, ASK));
}

void ask();
Deno.unrefTimer(setInterval(look, TICK));
Deno.addSignalListener("SIGUSR2", () => {
  look();
  Deno.stdout.writeSync(new TextEncoder().encode(`held ${longest.toFixed(1)} ms\n`));
  longest = 0;
});
