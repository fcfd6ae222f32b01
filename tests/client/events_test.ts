// The typed client follows events through interruptions.
import assert from "node:assert/strict";
import { createDocument, type RecordEvent } from "../../client/mod.ts";
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
