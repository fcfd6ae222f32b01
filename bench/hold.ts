// Preloaded into a server that is measured: on SIGUSR2 it prints the longest hold of the event loop since the last time.

/** Milliseconds between looks at the clock; a hold is known to within that much. */
const TICK = 2;

let last = performance.now();
let longest = 0;

function look(): void {
  const now = performance.now();
  longest = Math.max(longest, now - last - TICK);
  last = now;
}

Deno.unrefTimer(setInterval(look, TICK));
Deno.addSignalListener("SIGUSR2", () => {
  look();
  Deno.stdout.writeSync(new TextEncoder().encode(`held ${longest.toFixed(1)} ms\n`));
  longest = 0;
});
