// The typed client follows events through interruptions.
import assert from "node:assert/strict";
import { createDocument, memoryStorage, type RecordEvent } from "../../client/mod.ts";
import { ADMIN, connected } from "./connected.ts";

/** Passes event streams on until `cut` is called, which breaks the one that is open. */
function breakable(send: typeof fetch): { fetch: typeof fetch; cut(): void } {
  let cut = () => {};
  return {
    cut: () => cut(),
    async fetch(input, init) {
      const response = await send(input, init);
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
      const broken = new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => void (cut = () => controller.error(new TypeError("cut off"))),
      });
      response.body!.pipeTo(broken.writable).catch(() => {});
      return new Response(broken.readable, response);
    },
  };
}

Deno.test("client: events go on after the stream broke off, none missed and none twice", async () => {
  await using c = await connected();
  const net = breakable(c.browser());
  const { client, signIn, events } = c.another({ fetch: net.fetch });
  await signIn(ADMIN);
  const ending = new AbortController();
  const opened: boolean[] = [];
  const add = async (title: string) => (await createDocument({ client, body: { title } })).data.id;
  const ids: string[] = [];
  const seen: RecordEvent[] = [];
  const stream = events({
    collections: ["documents"],
    records: true,
    signal: ending.signal,
    async onConnection(open) {
      opened.push(open);
      if (open && ids.length === 0) ids.push(await add("first"));
    },
  });
  for await (const event of stream) {
    if (event.type !== "documents.created") continue;
    seen.push(event);
    if (seen.length === 1) {
      net.cut();
      // Nobody listens now.
      ids.push(await add("second"), await add("third"));
    }
    if (seen.length === 3) ending.abort();
  }
  assert.deepEqual(seen.map(({ data }) => data.id), ids);
  assert.deepEqual(seen.map(({ data }) => (data.record as { title: string }).title), [
    "first",
    "second",
    "third",
  ]);
  assert.deepEqual(opened, [true, false, true, false]);
});

Deno.test("client: events end with an error where nobody is signed in", async () => {
  await using c = await connected();
  const { events } = c.another();
  await assert.rejects(events().next(), { name: "ApiError", status: 401 });
});

Deno.test("client: events go on as soon as the network is there again", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  await c.another({ storage }).signIn(ADMIN);
  const ending = new AbortController();
  let tries = 0;
  const { events } = c.another({
    storage,
    fetch() {
      // The wait after this would be 1.5 seconds at least.
      if (++tries === 1) setTimeout(() => dispatchEvent(new Event("online")), 20);
      else ending.abort();
      return Promise.reject(new TypeError("no network"));
    },
  });
  const began = performance.now();
  for await (const _ of events({ signal: ending.signal })) assert.fail("there is no event");
  assert.equal(tries, 2);
  assert.ok(performance.now() - began < 1000);
});
