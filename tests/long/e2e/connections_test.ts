// More connections than the system has descriptors for: the process goes on, and others are still answered.
import assert from "node:assert/strict";
import { signIn } from "../../client.ts";
import { startServer } from "../../server.ts";
import { pause, persistently } from "../../until.ts";

const PASSWORD = "floods end at the door";

/** A request of which one byte of the body comes. */
function begun(request: string, length: number): string {
  return `${request} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`;
}

const SHAPES: Readonly<Record<string, string>> = {
  "fresh": "",
  "half-open": "GET /api/users HTTP/1.1\r\nHost: x\r\nX-Slow: ",
  "with large bodies that do not come": begun("POST /api/share", 90_000),
  "with small bodies that do not come": begun("POST /api/auth/login", 900),
  "with bodies that nobody reads": begun("POST /api/users", 90_000),
  "with a GET's body that does not come": begun("GET /livez", 900),
  "of HTTP/2 without farewell": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
};

for (const [name, sent] of Object.entries(SHAPES)) {
  Deno.test(`connections: 600 ${name} at a limit of 256 descriptors neither end nor lock the server`, async () => {
    await using server = await startServer({ ADMIN_PASSWORD: PASSWORD }, undefined, {
      descriptors: 256,
    });
    const { hostname, port } = new URL(server.origin);
    const flood: Deno.TcpConn[] = [];
    let stopped = false;
    const flooding = (async () => {
      while (!stopped && flood.length < 600) {
        try {
          const connection = await Deno.connect({ hostname, port: Number(port) });
          flood.push(connection);
          if (sent) await connection.write(new TextEncoder().encode(sent));
        } catch {
          await pause(5);
        }
      }
    })();
    const livez = async () => {
      const response = await fetch(`${server.origin}/livez`);
      await response.body?.cancel();
      return response.status;
    };
    for (let i = 0; i < 5; i++) {
      assert.equal(await persistently(livez), 200);
      await pause(100);
    }
    await persistently(() => signIn(server, PASSWORD));
    stopped = true;
    await flooding;
    for (const connection of flood) {
      try {
        connection.close();
      } catch {
        // Closed by the server's end.
      }
    }
    assert.equal(await persistently(livez), 200);
    assert.equal((await server.stop("SIGTERM")).code, 0);
  });
}
