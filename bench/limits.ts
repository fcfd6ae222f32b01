// What the machine can do at most, to compare with: a bare Hono server, also with one raw operation per request.
import { Hono } from "hono";
import { semaphore } from "../core/semaphore.ts";

const [folder = "."] = Deno.args;
const kv = await Deno.openKv(`${folder}/limits.kv`);
await kv.set(["record", "1"], { id: "1", name: "One", email: "one@example.com" });

const body = JSON.stringify({
  success: true,
  data: { id: "1", name: "One", email: "one@example.com" },
});
const json = { "content-type": "application/json" };
const answer = () => new Response(body, { headers: json });

const password = await crypto.subtle.importKey(
  "raw-secret" as "raw",
  new TextEncoder().encode("a password"),
  "Argon2id",
  false,
  ["deriveBits"],
);

/** Derives one key with Argon2id, with the parameters of a login: 19 MiB, 2 passes, 1 lane. */
async function deriveOnce(): Promise<void> {
  const nonce = crypto.getRandomValues(new Uint8Array(16));
  const parameters = {
    name: "Argon2id",
    nonce,
    parallelism: 1,
    memory: 19_456,
    passes: 2,
    version: 19,
  };
  await crypto.subtle.deriveBits(parameters as AlgorithmIdentifier, password, 256);
}

const app = new Hono();
app.get("/bare", answer);
app.get("/kv-get", async () => {
  await kv.get(["record", "1"]);
  return answer();
});
app.post("/kv-create", async (c) => {
  const record = await c.req.json();
  const id = crypto.randomUUID();
  await kv.atomic().check({ key: ["created", id], versionstamp: null })
    .set(["created", id], record).set(["unique", id], id).set(["journal", id], { id }).commit();
  return answer();
});
/** One derivation per core: more at a time would be slower. */
const limited = semaphore(navigator.hardwareConcurrency);
app.post("/argon2id", async () => {
  await limited(deriveOnce);
  return answer();
});

/** Bytes of a chunk, as in the blobs of the KV engine: Deno KV takes values of at most 64 KiB. */
const CHUNK = 60 * 1024;

/** Stores the body while it arrives, cut into chunks that are each set on their own. */
app.post("/chunks/:name", async (c) => {
  const name = c.req.param("name");
  let buffered: Uint8Array[] = [];
  let size = 0;
  let n = 0;
  const flush = async () => {
    const bytes = new Uint8Array(await new Blob(buffered as BlobPart[]).arrayBuffer());
    buffered = [];
    size = 0;
    for (let at = 0; at < bytes.length; at += CHUNK) {
      await kv.set(["chunk", name, n++], bytes.subarray(at, at + CHUNK));
    }
  };
  for await (const piece of c.req.raw.body!) {
    buffered.push(piece);
    size += piece.length;
    if (size >= CHUNK * 10) await flush();
  }
  await flush();
  return answer();
});

app.get("/chunks/:name", (c) => {
  const entries = kv.list<Uint8Array>({ prefix: ["chunk", c.req.param("name")] }, {
    batchSize: 16,
  });
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await entries.next();
      if (done) controller.close();
      else controller.enqueue(value.value);
    },
  });
  return new Response(stream);
});

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`port ${port}\n`)),
}, app.fetch);
