// Connections that can be cut: what comes to a port is passed on to a server of this process.

interface Pair {
  readonly inner: Deno.TcpConn;
  readonly outer: Deno.TcpConn;
}

export class Wire {
  readonly #pairs = new Map<number, Pair>();
  #listener: Deno.TcpListener | null = null;
  #port = 0;

  /** @param target The port of the server on this machine. */
  constructor(readonly target: number) {}

  get port(): number {
    return this.#port;
  }

  /** Takes connections, on the port that it had before. */
  listen(): void {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: this.#port });
    this.#port = listener.addr.port;
    this.#listener = listener;
    (async () => {
      for await (const outer of listener) this.#join(outer).catch(() => close(outer));
    })().catch(() => {});
  }

  /** Cuts every connection, and takes no other. */
  close(): void {
    this.#listener?.close();
    this.#listener = null;
    for (const port of [...this.#pairs.keys()]) this.cut(port);
  }

  /** @param port Where the connection comes from, as the server sees it. */
  cut(port: number): void {
    const pair = this.#pairs.get(port);
    this.#pairs.delete(port);
    if (!pair) return;
    close(pair.inner);
    close(pair.outer);
  }

  async #join(outer: Deno.TcpConn): Promise<void> {
    const inner = await Deno.connect({ hostname: "127.0.0.1", port: this.target });
    // What is small goes at once, or each call would wait for an acknowledgement that the system puts off.
    for (const end of [inner, outer]) end.setNoDelay(true);
    const { port } = inner.localAddr as Deno.NetAddr;
    this.#pairs.set(port, { inner, outer });
    const ends = [[outer, inner], [inner, outer]] as const;
    await Promise.all(ends.map(([from, to]) => from.readable.pipeTo(to.writable).catch(() => {})));
    this.#pairs.delete(port);
  }
}

function close(end: Deno.TcpConn): void {
  try {
    end.close();
  } catch {
    // Closed already.
  }
}
