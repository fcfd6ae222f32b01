// HEAD: the answer to GET without its body (RFC 9110 section 9.3.2).
import type { Awaitable } from "../core/awaitable.ts";
import type { Bindings } from "./exchange.ts";

type Serve = (request: Request, bindings: Bindings) => Awaitable<Response>;

/** Types of bodies that are made before they are sent. */
const WHOLE = /^(application\/(problem\+)?json|text\/html)\b/;

/**
 * Asks for the answer to GET, and leaves its body out. Left to itself the runtime would tell its length as 0: the
 * length is told as it is where the body is at hand, and not at all where it would come in pieces.
 */
export async function headOf(
  request: Request,
  bindings: Bindings,
  serve: Serve,
): Promise<Response> {
  bindings.exchange.bodiless = true;
  const { status, headers, body } = await serve(new Request(request, { method: "GET" }), bindings);
  const told = { status, headers: new Headers(headers) };
  if (body === null || headers.has("content-length")) {
    await body?.cancel();
    return new Response(null, told);
  }
  if (WHOLE.test(headers.get("content-type") ?? "")) {
    const { byteLength } = await new Response(body).arrayBuffer();
    told.headers.set("content-length", String(byteLength));
    return new Response(null, told);
  }
  await body.cancel();
  return new Response(new ReadableStream({ start: (controller) => controller.close() }), told);
}
