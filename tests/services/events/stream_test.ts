// One stream: whoever takes too little is cut off, and what waits for them is bounded.
import assert from "node:assert/strict";
import type { Principal } from "../../../services/access/access.ts";
import { CutStream, EventStream } from "../../../services/events/stream.ts";

function streamOf(onEnd = () => {}): EventStream {
  const principal = { user: { id: "ann" }, session: null } as unknown as Principal;
  const views = { admits: () => true, show: () => Promise.resolve(null) };
  const options = { topics: null, records: false, ip: "127.0.0.1" };
  return new EventStream(principal, options, views, onEnd);
}

Deno.test("a reader who takes nothing is cut off when a mebibyte waits", async () => {
  let ends = 0;
  const stream = streamOf(() => ends++);
  stream.open("0001");
  const piece = new Uint8Array(64 * 1024);
  let sent = 0;
  for (; !stream.ended && sent < 100; sent++) stream.send(piece);
  assert.ok(sent >= 15 && sent <= 17, `${sent} pieces of 64 KiB`);
  assert.equal(ends, 1);
  stream.send(piece);
  stream.end();
  await assert.rejects(stream.body.getReader().read(), CutStream);
  assert.equal(ends, 1);
});

Deno.test("a reader who takes what comes is not, and one who goes ends the stream", async () => {
  let ends = 0;
  const stream = streamOf(() => ends++);
  stream.open("0001");
  const reader = stream.body.getReader();
  const piece = new Uint8Array(64 * 1024);
  for (let sent = 0; sent < 100; sent++) {
    stream.send(piece);
    await reader.read();
  }
  assert.equal(stream.ended, false);
  await reader.cancel();
  assert.deepEqual([stream.ended, ends], [true, 1]);
});

Deno.test("a sign of life moves the reader's place on, and never back", async () => {
  const stream = streamOf();
  stream.open("0001");
  stream.place("0002-000001", new TextEncoder().encode("id: 0002-000001\n\n"));
  for (const position of ["0001", "0002", null, "0003"]) stream.beat(position);
  stream.end();
  const text = await new Response(stream.body).text();
  assert.deepEqual(text.match(/id: .*/g), ["id: 0001", "id: 0002-000001", "id: 0003"]);
  assert.equal(text.match(/^:$/gm)?.length, 4);
});

Deno.test("a reader who takes nothing while much waits is cut off after some signs of life", async () => {
  const stream = streamOf();
  stream.open("0001");
  const reader = stream.body.getReader();
  const piece = new Uint8Array(64 * 1024);
  while (stream.hasRoom) stream.send(piece);
  for (let n = 0; n < 3; n++) stream.beat(null);
  await reader.read();
  await reader.read();
  for (let n = 0; stream.hasRoom; n++) stream.send(piece);
  for (let n = 0; n < 4; n++) stream.beat(null);
  assert.equal(stream.ended, false);
  stream.beat(null);
  assert.equal(stream.ended, true);
  await assert.rejects(reader.read(), CutStream);
});

Deno.test("a reader who has little to take is not cut off, nor at one record larger than what may wait", async () => {
  const stream = streamOf();
  stream.open("0001");
  for (let n = 0; n < 10; n++) stream.beat(null);
  assert.equal(stream.ended, false);
  stream.send(new Uint8Array(2 * 1024 * 1024));
  assert.equal(stream.ended, false);
  assert.equal(stream.hasRoom, false);
  stream.send(new Uint8Array(1));
  assert.equal(stream.ended, true);
  await stream.body.cancel().catch(() => {});
});
