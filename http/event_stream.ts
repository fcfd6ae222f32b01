// How a stream of events is answered (HTML standard, section 9.2).
import type { Context } from "hono";
import { exchangeOf } from "./exchange.ts";

export function eventStream(c: Context, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, {
    headers: {
      ...exchangeOf(c).headers,
      "content-type": "text/event-stream; charset=utf-8",
      // Compressed, events would wait for the compressor.
      "cache-control": "no-store, no-transform",
      // nginx passes on what comes as it comes.
      "x-accel-buffering": "no",
    },
  });
}
