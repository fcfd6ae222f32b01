// Connections: idle ones are closed, those with a request are not, and the port is never given away.
import assert from "node:assert/strict";
import { Listener } from "../../http/listener.ts";
import { pause, until } from "../until.ts";

const encoder = new TextEncoder();

async function connect(port: number, sent = ""): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  if (sent) await connection.write(encoder.encode(sent));
  return connection;
}

/** Resolves when the server closes the connection, to what it sent before. */
async function rest(connection: Deno.TcpConn): Promise<string> {
  return await new Response(connection.readable).text();
}

const REQUEST = "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n";

/** Connections that Deno keeps for as long as their clients like, when it shuts down gently. */
const LASTING = {
  "a GET whose body does not come": "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n{",
  "HTTP/2 without farewell": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
};

Deno.test("listener: idle, fresh and half-open connections are closed; a request in progress is answered", async () => {
  const finish = Promise.withResolvers<void>();
  let begun = 0;
  const listener = new Listener(
    { port: 0, hostname: "127.0.0.1", idleAfter: 200 },
    async (request) => {
      begun++;
      if (request.url.endsWith("/slow")) await finish.promise;
      return new Response("done");
    },
  );
  const { port } = listener;
  const slow = rest(await connect(port, REQUEST));
  await until(() => begun === 1);
  const sent = ["", "GET / HTTP/1.1\r\nho", ...Object.values(LASTING)];
  const idle = await Promise.all(
    Array.from({ length: 240 }, (_, n) => connect(port, sent[n % sent.length])),
  );
  let closed = 0;
  const ends = idle.map((one) => rest(one).then(() => closed++));
  await pause(1000);
  assert.equal(closed, 0, "closed beside a request in progress");
  finish.resolve();
  assert.match(await slow, /^HTTP\/1.1 200 [^]*done$/);
  await Promise.all(ends);

  await until(async () =>
    await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text(), () => "") === "done"
  );
  await listener.close();
});

Deno.test("listener: a few idle connections stay for a while, as those of browsers and proxies", async () => {
  const listener = new Listener(
    { port: 0, hostname: "127.0.0.1", idleAfter: 300 },
    () => new Response("done"),
  );
  const [used, left] = [await connect(listener.port), await connect(listener.port)];
  await pause(700);
  await used.write(encoder.encode("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
  assert.match(await rest(used), /done$/);
  assert.equal(await rest(left), "");
  await listener.close();
});

for (const [name, sent] of Object.entries(LASTING)) {
  Deno.test(`listener: ${name} does not hold the end up`, async () => {
    const listener = new Listener({ port: 0, hostname: "127.0.0.1" }, () => new Response("done"));
    const connection = await connect(listener.port, sent);
    await connection.read(new Uint8Array(1000));
    await listener.close();
    connection.close();
  });
}

Deno.test("listener: a taken port is told, and not shared", async () => {
  const options = { port: 0, hostname: "127.0.0.1" };
  const first = new Listener(options, () => new Response());
  assert.throws(
    () => new Listener({ ...options, port: first.port }, () => new Response()),
    Deno.errors.AddrInUse,
  );
  await first.close();
});

Deno.test("listener: closing waits for requests, and takes no more", async () => {
  const finish = Promise.withResolvers<void>();
  let begun = false;
  const listener = new Listener({ port: 0, hostname: "127.0.0.1" }, async () => {
    begun = true;
    await finish.promise;
    return new Response("done");
  });
  const answer = rest(await connect(listener.port, REQUEST));
  await until(() => begun);
  let closed = false;
  const closing = listener.close().then(() => closed = true);
  await until(() => connect(listener.port).then((c) => (c.close(), false), () => true));
  assert.equal(closed, false);
  finish.resolve();
  assert.match(await answer, /done$/);
  await closing;
});
