// Ports for servers that cannot choose one themselves.

/** Below what systems give to connections (Linux: from 32768, RFC 6335: from 49152), so that none takes it meanwhile. */
const FIRST = 20_000;
const COUNT = 12_000;

/** A port of the loopback address that nothing listens on. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
