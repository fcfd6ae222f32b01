// The typed client's reading of event streams, cut into pieces anywhere.
import assert from "node:assert/strict";
import fc from "fast-check";
import { messagesIn } from "../../client/events.ts";

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\0]/g, ""));
const message = fc.record({
  type: line.filter((text) => text !== "" && !text.startsWith(" ")),
  id: line.filter((text) => text !== "" && !text.startsWith(" ")),
  data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
}, { noNullPrototype: true });

Deno.test("client: every message comes whole, however the stream is cut, with any line ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 5 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.nat(400), { maxLength: 8 }),
      async (messages, end, cuts) => {
        const text = messages.map(({ type, id, data }) =>
          [
            `: comment`,
            "",
            `event: ${type}`,
            `id: ${id}`,
            ...data.split("\n").map((one) => `data: ${one}`),
            "",
            "",
          ]
            .join(end)
        ).join("");
        // A lone CR could be half of CRLF, so the last message waits for what follows.
        const bytes = new TextEncoder().encode(`${text}: end${end}${end}`);
        const at = [
          0,
          ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const pieces = at.slice(1).map((to, n) => bytes.subarray(at[n], to));
        const read = [];
        for await (const one of messagesIn(streamOf(pieces))) read.push(one);
        assert.deepEqual(read, messages);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("client: comments and unknown fields are no messages, retry alone is one", async () => {
  const text = new TextEncoder().encode(
    ": hello\n\nfoo: bar\n\nretry: 5000\n\nretry: soon\n\ndata\n\n",
  );
  const read = [];
  for await (const one of messagesIn(streamOf([text]))) read.push(one);
  assert.deepEqual(read, [{ type: "message", retry: 5000 }, { type: "message", data: "" }]);
});
