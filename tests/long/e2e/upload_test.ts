// Uploads and downloads over real connections: memory stays flat, and clients that go away leave nothing behind.
import assert from "node:assert/strict";
import { signIn } from "../../client.ts";
import { type Harness, harness } from "../../harness.ts";
import { type Server, startServer } from "../../server.ts";
import { openFile } from "../../storage/open.ts";
import { pause, until } from "../../until.ts";
import { stored } from "../../uploads.ts";

const MIB = 1024 * 1024;
const PASSWORD = "sends large files";
const encoder = new TextEncoder();
const HEAD = '--BB\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n' +
  "Content-Type: application/octet-stream\r\n\r\n";
const TAIL = "\r\n--BB--\r\n";

async function serving(run: (h: Harness, origin: string) => Promise<void>): Promise<void> {
  await using h = await harness({
    env: { UPLOAD_MAX_BYTES: "400MB" },
    open: (clock) => openFile({ clock }),
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, h.app.fetch);
  try {
    await run(h, `http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

/** MiB of the files, and what the large one may take more: less than it has more. */
const [SMALL, LARGE, MORE] = [32, 300, 220];

/** Bytes that the server's process has in memory. */
async function memoryOf(server: Server): Promise<number> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]);
}

/** Uploads so many MiB over a connection that waits for the server: fetch would buffer what is not taken. */
async function sendLarge(origin: string, token: string, size: number) {
  const url = new URL(origin);
  const connection = await Deno.connect({ hostname: url.hostname, port: Number(url.port) });
  const head = `${HEAD}%PDF-1.7\n`;
  const writer = connection.writable.getWriter();
  await writer.write(encoder.encode(
    "POST /api/files/upload HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n" +
      `authorization: Bearer ${token}\r\n` +
      `content-length: ${head.length + size * MIB + TAIL.length}\r\n` +
      `content-type: multipart/form-data; boundary=BB\r\n\r\n${head}`,
  ));
  const chunk = crypto.getRandomValues(new Uint8Array(65536));
  for (let sent = 0; sent < size * MIB; sent += chunk.length) await writer.write(chunk);
  await writer.write(encoder.encode(TAIL));
  const answer = await new Response(connection.readable).text();
  assert.match(answer, /^HTTP\/1.1 201 /);
  return JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)).data;
}

for (const engine of ["kv", "sqlite"]) {
  // A process of its own: the memory of this one is shared with other tests.
  Deno.test(`uploads and downloads stream: memory does not grow with the file (${engine})`, async () => {
    await using server = await startServer({
      VARIANT: "full",
      DATABASE_URL: `${engine}:large.db`,
      ADMIN_PASSWORD: PASSWORD,
      UPLOAD_MAX_BYTES: "400MB",
    });
    const { origin } = server;
    const token = await signIn(server, PASSWORD);
    let peak = 0;
    /** Looks on until the work is done. */
    const watched = async <T>(work: Promise<T>): Promise<T> => {
      let done = false;
      const finished = work.finally(() => done = true);
      while (!done) {
        peak = Math.max(peak, await memoryOf(server));
        await Promise.race([finished, pause(20)]);
      }
      return await finished;
    };
    const receive = (id: string) => watched(download(`${origin}/api/files/${id}/download`, token));
    // As many bytes in small files first: the runtime lets so much garbage gather, whatever the file's size.
    const small = await watched(sendLarge(origin, token, SMALL));
    await watched(sendLarge(origin, token, SMALL));
    for (let i = 0; i < 4; i++) await receive(small.id);
    const before = peak;
    const { id, size } = await watched(sendLarge(origin, token, LARGE));
    assert.ok(size > LARGE * MIB);
    assert.ok(peak - before < MORE * MIB, `${(peak - before) / MIB} MiB more for an upload`);

    assert.equal(await receive(id), size);
    assert.ok(peak - before < MORE * MIB, `${(peak - before) / MIB} MiB more with a download`);
  });
}

/** Resolves to the bytes received. */
async function download(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  let received = 0;
  for await (const chunk of response.body!) received += chunk.length;
  return received;
}

Deno.test("a client that goes away in the middle of an upload leaves nothing behind", async () => {
  await serving(async (h, origin) => {
    const { port } = new URL(origin);
    for (const length of ["content-length: 5000000", "transfer-encoding: chunked"]) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
      const part = HEAD + "x".repeat(300_000);
      const body = length.startsWith("content") ? part : `${part.length.toString(16)}\r\n${part}`;
      const request = "POST /api/files/upload HTTP/1.1\r\nhost: localhost\r\n" +
        `authorization: Bearer ${h.tokens.admin}\r\n` +
        `content-type: multipart/form-data; boundary=BB\r\n${length}\r\n\r\n${body}`;
      const writer = connection.writable.getWriter();
      await writer.write(encoder.encode(request));
      await until(async () => (await stored(h)).blobs.length === 1);
      await writer.close().catch(() => {});
      try {
        connection.close();
      } catch {
        // Closing the writer may have closed it.
      }
      await until(async () => (await stored(h)).blobs.length === 0);
    }
    assert.equal((await stored(h)).files, 0);
  });
});

Deno.test("an upload that is too large is answered before it is sent", async () => {
  await serving(async (h, origin) => {
    const { port } = new URL(origin);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    await connection.write(encoder.encode(
      `POST /api/files/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${h.tokens.admin}\r\n` +
        "content-type: multipart/form-data; boundary=BB\r\ncontent-length: 999999999\r\n\r\n",
    ));
    const answer = new Uint8Array(12);
    await connection.read(answer);
    connection.close();
    assert.equal(new TextDecoder().decode(answer), "HTTP/1.1 413");
  });
});

Deno.test("HEAD and ranges over a real connection", async () => {
  await serving(async (h, origin) => {
    const authorization = `Bearer ${h.tokens.admin}`;
    const response = await fetch(`${origin}/api/files/upload`, {
      method: "POST",
      headers: { authorization, "content-type": "multipart/form-data; boundary=BB" },
      body: `${HEAD}0123456789${TAIL}`,
    });
    const { data } = await response.json();
    const head = await fetch(origin + data.url, { method: "HEAD", headers: { authorization } });
    assert.equal(head.headers.get("content-length"), "10");
    assert.equal(await head.text(), "");
    const whole = await fetch(origin + data.url, { headers: { authorization } });
    assert.equal(whole.headers.get("content-length"), "10");
    assert.equal(await whole.text(), "0123456789");
    const me = `${origin}/api/users/me`;
    const brief = await fetch(me, { method: "HEAD", headers: { authorization } });
    const full = await fetch(me, { headers: { authorization } });
    assert.equal(brief.headers.get("content-length"), String((await full.text()).length));
    const headers = { authorization, range: "bytes=2-4" };
    const part = await fetch(origin + data.url, { headers });
    assert.deepEqual([part.status, await part.text()], [206, "234"]);
  });
});
