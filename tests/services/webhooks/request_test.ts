// The request of a webhook: where it may go, that it goes to the address that was checked, and what of the answer is read.
import assert from "node:assert/strict";
import { DeliveryError, MAX_RESPONSE, post } from "../../../services/webhooks/request.ts";
import { urlProblem } from "../../../services/webhooks/urls.ts";

const signal = new AbortController().signal;
const asked = { headers: {}, body: "{}", allowPrivate: true, signal };

/** A server on this machine. */
function serving(handler: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("webhook request: addresses that lead inside are refused as they are written", () => {
  const refused = [
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://metadata.google.internal/",
    "https://printer.local/",
    "https://user:password@example.com/",
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "example.com",
    "",
  ];
  for (const url of refused) assert.notEqual(urlProblem(url, false), null, url);
  assert.equal(urlProblem("https://example.com:8443/hook?key=1", false), null);
  assert.equal(urlProblem("http://127.0.0.1:8000/hook", true), null);
  assert.notEqual(urlProblem("http://user@127.0.0.1/", true), null);
});

Deno.test("webhook request: a name that leads inside is refused once it is looked up, also among others", async () => {
  for (const addresses of [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::ffff:192.168.0.1"]]) {
    const resolve = () => Promise.resolve(addresses);
    const request = post("https://rebinding.example/", { ...asked, allowPrivate: false, resolve });
    await assert.rejects(request, /leads into a private network/);
  }
});

Deno.test("webhook request: the connection goes to the address that was found, the name with it", async () => {
  await using server = serving((request) => new Response(request.headers.get("host")));
  let lookups = 0;
  const resolve = () => (lookups++, Promise.resolve(["127.0.0.1"]));
  const { status, body } = await post(`http://hooks.example:${server.port}/`, {
    ...asked,
    resolve,
  });
  assert.deepEqual([status, body, lookups], [200, `hooks.example:${server.port}`, 1]);
});

Deno.test("webhook request: an endless answer is cut, and its connection ended", async () => {
  const ended = Promise.withResolvers<void>();
  await using server = serving(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1000).fill(65)),
        cancel: () => ended.resolve(),
      }),
    )
  );
  const { body } = await post(`http://127.0.0.1:${server.port}/`, asked);
  assert.equal(body, "A".repeat(MAX_RESPONSE));
  await ended.promise;
});

Deno.test("webhook request: a status counts though its body breaks off, or never ends", async () => {
  const beginnings = {
    "/endless": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n",
    "/short": "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nok",
    "/long": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more",
  };
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const serve = async (connection: Deno.Conn) => {
    const request = new Uint8Array(4096);
    const length = await connection.read(request);
    const [, path] = new TextDecoder().decode(request.subarray(0, length!)).split(" ");
    await connection.write(new TextEncoder().encode(beginnings[path as keyof typeof beginnings]));
    // The other end closes it, or gives up.
    if (path === "/endless") await connection.read(request).catch(() => {});
    connection.close();
  };
  const origin = `http://127.0.0.1:${listener.addr.port}`;
  for (const path of Object.keys(beginnings)) {
    const answer = post(`${origin}${path}`, { ...asked, timeout: 500 });
    await serve(await listener.accept());
    assert.equal((await answer).status, 200, path);
  }
});

Deno.test("webhook request: an answer that does not come, and a redirect, are no success", async () => {
  const held = Promise.withResolvers<Response>();
  await using server = serving((request) =>
    request.url.endsWith("/slow") ? held.promise : Response.redirect("http://127.0.0.1:1/", 308)
  );
  const origin = `http://127.0.0.1:${server.port}`;
  await assert.rejects(post(`${origin}/slow`, { ...asked, timeout: 50 }), DeliveryError);
  held.resolve(new Response());
  assert.equal((await post(`${origin}/moved`, asked)).status, 308);
  const never = () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
  await assert.rejects(post("https://nowhere.example/", { ...asked, resolve: never }), /ENOTFOUND/);
});
