// The form of an upload, however the network cuts it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../core/errors.ts";
import { type FormOptions, readForm } from "../../http/multipart.ts";

const encoder = new TextEncoder();

interface Kept {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** Reads `body`, cut into pieces of these sizes; the rest comes whole. */
function read(
  body: Uint8Array,
  sizes: readonly number[],
  options: Partial<FormOptions<Kept>> = {},
) {
  const discarded: Kept[] = [];
  let at = 0;
  let n = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close();
      const end = at + (sizes[n++] ?? body.length);
      controller.enqueue(body.slice(at, end));
      at = end;
    },
  });
  const request = new Request("http://localhost", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=BB" },
    body: stream,
  });
  const form = readForm(request, {
    maxBytes: 1_000_000,
    keep: async (part) => ({
      filename: part.filename,
      bytes: await new Response(part.stream).bytes(),
    }),
    discard: (kept) => {
      discarded.push(kept);
      return Promise.resolve();
    },
    ...options,
  });
  return { form, discarded };
}

function join(...parts: (string | Uint8Array)[]): Uint8Array {
  const bytes = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  const joined = new Uint8Array(bytes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of bytes) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const field = (name: string, value: string) =>
  `--BB\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileStart = (filename: string, name = "file") =>
  `--BB\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
  "Content-Type: application/octet-stream\r\n\r\n";

Deno.test("readForm gives the same whatever the pieces and the bytes", async () => {
  const near = fc.array(fc.constantFrom(13, 10, 45, 66, 0), { maxLength: 60 }).map((bytes) =>
    Uint8Array.from(bytes)
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array({ maxLength: 300 }), near),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }),
      async (bytes, sizes) => {
        // The boundary must not be at the start of a line of the content: that is the sender's duty.
        fc.pre(!`\r\n${new TextDecoder("latin1").decode(bytes)}`.includes("\r\n--BB"));
        const body = join(
          field("name", "häß"),
          fileStart("ä.bin"),
          bytes,
          "\r\n",
          field("after", "x"),
          "--BB--\r\n",
        );
        const { file, fields } = await read(body, sizes).form;
        assert.deepEqual({ ...fields }, { name: "häß", after: "x" });
        assert.equal(file?.filename, "ä.bin");
        assert.deepEqual(file?.bytes, bytes);
      },
    ),
  );
});

Deno.test("readForm refuses a form cut off anywhere, and discards what was kept", async () => {
  const body = join(fileStart("a"), "content\r\n", field("name", "x"), "--BB--");
  for (let length = 0; length < body.length; length++) {
    const { form } = read(body.slice(0, length), [7, 7, 7]);
    await assert.rejects(form, (error) => error instanceof ApiError && error.status === 400);
  }
  const { form, discarded } = read(body.slice(0, -6), []);
  await assert.rejects(form);
  assert.equal(discarded.length, 1);
});

Deno.test("readForm skips files of other names, and what follows the form", async () => {
  const body = join(fileStart("a", "avatar"), "1\r\n", fileStart("b"), "2\r\n--BB--\r\nepilogue");
  const { file } = await read(body, []).form;
  assert.equal(file?.filename, "b");
  assert.deepEqual(file?.bytes, encoder.encode("2"));
});

Deno.test("readForm holds the number and length of fields", async () => {
  const many = join(...Array.from({ length: 30 }, (_, n) => field(`f${n}`, "x")), "--BB--\r\n");
  await assert.rejects(read(many, []).form, /more than 20 fields/);
  const long = join(field("name", "x".repeat(9000)), "--BB--\r\n");
  await assert.rejects(read(long, []).form, /at most 8192 bytes/);
});

Deno.test("readForm passes on what keep throws, without reading on", async () => {
  let pieces = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(pieces++ === 0 ? join(fileStart("a")) : new Uint8Array(65536));
    },
  });
  const request = new Request("http://localhost", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=BB" },
    body: endless,
  });
  const form = readForm(request, {
    maxBytes: 1e9,
    keep: () => Promise.reject(new ApiError("UNSUPPORTED_MEDIA_TYPE", "no")),
    discard: () => Promise.resolve(),
  });
  await assert.rejects(form, /^ApiError: no$/);
  assert.ok(pieces < 20, `${pieces} pieces were read`);
});

Deno.test("readForm reads no more than keep takes", async () => {
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(pieces++ === 0 ? join(fileStart("a")) : new Uint8Array(65536));
      if (pieces === 200) {
        controller.enqueue(join("\r\n--BB--\r\n"));
        controller.close();
      }
    },
  }, { highWaterMark: 0 });
  const request = new Request("http://localhost", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=BB" },
    body,
  });
  let ahead = 0;
  const { file } = await readForm(request, {
    maxBytes: 1e9,
    async keep({ stream }) {
      let taken = 0;
      for await (const chunk of stream) {
        taken += chunk.length;
        ahead = Math.max(ahead, pieces - taken / 65536);
        await new Promise((resolve) => setTimeout(resolve));
      }
      return taken;
    },
    discard: () => Promise.resolve(),
  });
  assert.equal(file, 199 * 65536);
  assert.ok(ahead < 10, `${ahead} pieces were read ahead`);
});
