// A bucket that answers whatever it likes: what it sends is bounded in time, bytes and requests, and never taken as it is.
import assert from "node:assert/strict";
import type { BucketSettings } from "../../../config/bucket.ts";
import { Bucket } from "../../../services/backups/bucket.ts";
import { elementsOf, textIn } from "../../../services/backups/xml.ts";

const ID = "20260101T000000000Z";
const KEY = `${ID}.qdbackup`;
/** Milliseconds after which an answer that never ends is given up. */
const SOON = 1000;

/**
 * Asks a server that answers in its own way.
 *
 * @param timeout Milliseconds for an answer. @default as many as one takes that is sent at once, on any machine
 */
async function against<R>(
  answer: (url: URL, asked: number) => Response,
  ask: (bucket: Bucket) => Promise<R>,
  timeout = 30_000,
): Promise<{ result: R; asked: number }> {
  let asked = 0;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => answer(new URL(request.url), ++asked),
  );
  const settings: BucketSettings = {
    url: `http://127.0.0.1:${server.addr.port}/bucket`,
    name: "bucket",
    prefix: "",
    region: "us-east-1",
    accessKeyId: "key",
    secretAccessKey: "secret",
    sessionToken: undefined,
  };
  return { result: await ask(new Bucket(settings, { tries: 1, timeout })), asked };
}

const listOf = (size: string, more = "") =>
  `<ListBucketResult>${more}<Contents><Key>${KEY}</Key><Size>${size}</Size></Contents></ListBucketResult>`;

/** Begins well, and never ends. */
function endless(first: string, more: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(more);
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
    pull: more === "" ? () => new Promise(() => {}) : (controller) => controller.enqueue(bytes),
  });
}

Deno.test("hostile bucket: a list that goes on at the same place, or for ever, ends", async () => {
  const same = listOf(
    "1",
    "<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>",
  );
  const first = await against(
    () => new Response(same),
    (bucket) => assert.rejects(bucket.sizes(), /does not end/),
  );
  assert.equal(first.asked, 2);
  const other = (n: number) => same.replace(">a<", `>${n}<`);
  const second = await against(
    (_, n) => new Response(other(n)),
    (bucket) => assert.rejects(bucket.sizes(), /does not end/),
  );
  assert.equal(second.asked, 1000);
});

Deno.test("hostile bucket: an answer that stops, or does not end, is not waited for", async () => {
  for (const more of ["", "x".repeat(64 * 1024)]) {
    await against(
      () => new Response(endless("<ListBucketResult>", more)),
      (bucket) => assert.rejects(bucket.sizes(), /breaks off, or is too long/),
      SOON,
    );
    await against(
      ({ pathname }) =>
        pathname.endsWith(KEY)
          ? new Response(endless("a", more), { status: 206 })
          : new Response(listOf("100")),
      async (bucket) => {
        using backup = await bucket.open(ID);
        await assert.rejects(backup!.read(0, 100), /breaks off while it sends/);
      },
      SOON,
    );
  }
});

Deno.test("hostile bucket: sizes that are none, and moments that never were, are not there", async () => {
  for (const size of ["-1", "many", "1.5", "1e400"]) {
    const { result } = await against(
      () => new Response(listOf(size)),
      (bucket) => bucket.sizes(),
    );
    assert.equal(result.size, 0, size);
  }
  const { result } = await against(
    () => new Response(listOf("1").replace(ID, "20269999T999999999Z")),
    (bucket) => bucket.sizes(),
  );
  assert.equal(result.size, 0);
});

Deno.test("hostile bucket: elements that begin and do not end cost one look", () => {
  const began = performance.now();
  assert.deepEqual(elementsOf("<Contents>".repeat(500_000), "Contents"), []);
  assert.deepEqual(elementsOf("<Contents ".repeat(500_000), "Contents"), []);
  assert.ok(performance.now() - began < 2000);
  assert.deepEqual(elementsOf('<a xmlns="b">1</a><ab>2</ab><a>3</a><a>', "a"), ["1", "3"]);
  assert.equal(textIn("<Key>a &amp; &#98;</Key>", "Key"), "a & b");
});
