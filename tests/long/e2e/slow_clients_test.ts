// Clients that are slow, or gone: they hold no more memory than is set aside for all of them, and are no errors.
import assert from "node:assert/strict";
import { client, signIn } from "../../client.ts";
import { requestBegun, type Server, startServer } from "../../server.ts";
import { pause, until } from "../../until.ts";

const PASSWORD = "patience has its bounds";
const MIB = 1024 * 1024;

/** Resident memory, in bytes. */
async function memoryOf(server: Server): Promise<number> {
  // Deno itself reads nothing in /proc without every permission.
  const { stdout } = await new Deno.Command("cat", {
    args: [`/proc/${server.process.pid}/status`],
  }).output();
  return Number(/VmRSS:\s+(\d+)/.exec(new TextDecoder().decode(stdout))?.[1]) * 1024;
}

async function request(server: Server, text: string): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(server.origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  return connection;
}

const READERS = 250;
/** MiB: far less than one each. */
const LIMIT = 170;

for (const engine of ["kv", "sqlite"]) {
  Deno.test(`slow clients: ${READERS} readers of 10 MB hold what is set aside for all (${engine})`, async () => {
    await using server = await startServer({
      DATABASE_URL: `${engine}:slow.db`,
      ADMIN_PASSWORD: PASSWORD,
    });
    const token = await signIn(server, PASSWORD);
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(9 * MIB)]), "large.bin");
    const { body } = await client(server, token)("POST", "/api/files/upload", form);
    const path = `/api/files/${body.data.id}/download`;
    const headers = { authorization: `Bearer ${token}` };
    for (let i = 0; i < 3; i++) {
      await (await fetch(server.origin + path, { headers })).arrayBuffer();
    }
    const before = await memoryOf(server);
    const readers = await Promise.all(
      Array.from({ length: READERS }, () =>
        request(
          server,
          `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`,
        )),
    );
    // Each has had its first bytes; the rest waits.
    await Promise.all(readers.map((reader) => reader.read(new Uint8Array(100))));
    // What they hold stays; what the runtime has not collected yet goes.
    let grown = Infinity;
    for (let looks = 0; looks < 20 && grown >= LIMIT; looks++) {
      await pause(500);
      grown = Math.min(grown, (await memoryOf(server) - before) / MIB);
    }
    assert.ok(grown < LIMIT, `${Math.round(grown)} MiB more`);

    const again = await fetch(server.origin + path, { headers });
    assert.equal((await again.arrayBuffer()).byteLength, 9 * MIB);
    for (const reader of readers) reader.close();
  });
}

Deno.test("slow clients: one that hangs up in the middle of its body is no error of the server", async () => {
  const home = await Deno.makeTempDir({ prefix: "quarterdeck-" });
  const server = await startServer({ ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: "info" }, home);
  const lengths = [500, 500_000, Infinity];
  for (const length of lengths) {
    const body = '5\r\n{"ema';
    (await requestBegun(server.origin, "/api/share", { body, length })).close();
  }
  const reader = await request(server, "GET /api/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n");
  reader.close();
  await signIn(server, PASSWORD);
  const statuses = () =>
    server.printed().split("\n").filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line).properties?.status);
  await until(() => statuses().filter((status) => status === 400).length === lengths.length);
  assert.equal((await server.stop()).code, 0);
  assert.deepEqual(statuses().filter((status) => status >= 500), []);
  await Deno.remove(home, { recursive: true });
});

Deno.test("slow clients: a stop while bodies are on their way answers them 503", async () => {
  const server = await startServer({ ADMIN_PASSWORD: PASSWORD });
  const token = await signIn(server, PASSWORD);
  const start = (path: string, type: string, head: string, sent: string) =>
    request(
      server,
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: ${type}\r\n${head}\r\n\r\n${sent}`,
    );
  const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';
  const connections = await Promise.all([
    start("/api/documents", "application/json", "content-length: 500", '{"ti'),
    start("/api/documents", "application/json", "content-length: 500000", '{"ti'),
    start("/api/documents", "application/json", "transfer-encoding: chunked", '5\r\n{"ti'),
    start("/api/files/upload", "multipart/form-data; boundary=x", "content-length: 9999", part),
  ]);
  // An answer on a later connection tells that the bodies are being read.
  await signIn(server, PASSWORD);
  const answers = Promise.all(
    connections.map((connection) => new Response(connection.readable).text()),
  );
  assert.equal((await server.stop()).code, 0);
  for (const answer of await answers) {
    assert.match(answer, /^HTTP\/1.1 503 [^]*"The server is stopping: try again shortly"/);
  }
  await Deno.remove(server.folder, { recursive: true });
});
