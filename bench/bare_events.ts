// The least that tells many streams of something, to compare with: no store, no accounts, the same answers and bytes.
import { print } from "../core/command_line.ts";

const encoder = new TextEncoder();
const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform" };
const controllers = new Set<ReadableStreamDefaultController<Uint8Array>>();

function stream(): ReadableStream<Uint8Array> {
  let mine: ReadableStreamDefaultController<Uint8Array>;
  return new ReadableStream({
    start(controller) {
      controllers.add(mine = controller);
      controller.enqueue(encoder.encode("retry: 3000\n\n"));
    },
    cancel: () => void controllers.delete(mine),
  });
}

function tellAll(): Response {
  const data = { id: crypto.randomUUID(), collection: "documents", op: "created", rev: "1" };
  const bytes = encoder.encode(
    `id: 0000000000000042-000001\nevent: documents.created\ndata: ${JSON.stringify(data)}\n\n`,
  );
  for (const controller of controllers) controller.enqueue(bytes);
  return Response.json({ data }, { status: 201 });
}

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => print(`port ${port}`),
}, (request) => {
  if (request.method === "POST") return tellAll();
  return request.url.endsWith("/livez") ? new Response() : new Response(stream(), { headers });
});
