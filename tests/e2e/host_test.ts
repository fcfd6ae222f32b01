// The Host header is the client's to write: whatever it holds, nothing breaks.
import assert from "node:assert/strict";
import { startServer } from "../server.ts";

/** Sends a request by hand, since `fetch` sends no Host but the true one, and reads the status. */
async function statusOf(port: number, lines: readonly string[]): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = [...lines, "Connection: close", "Content-Length: 0", "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(head));
  const answer = await new Response(connection.readable).text();
  return Number(answer.split(" ", 2)[1]);
}

const HOSTS = ["x:8000.", "x y", "[::1", "a:99999", "%", "a:b", "^", "a<b", "a,b"];
const ASKED = [
  "GET /dashboard",
  "GET /api/health",
  "GET /s/00000000-0000-4000-8000-000000000000",
  "POST /api/auth/login",
  "POST /api/checkin",
];

const SETTINGS: Record<string, string>[] = [{}, { SNIPPET_ORIGIN: "http://snippets.test" }];

for (const env of SETTINGS) {
  Deno.test(`host: one that cannot be is never a 500, with ${JSON.stringify(env)}`, async () => {
    await using server = await startServer({ VARIANT: "web", ...env });
    const port = Number(new URL(server.origin).port);
    for (const asked of ASKED) {
      for (const host of HOSTS) {
        const lines = [`${asked} HTTP/1.1`, `Host: ${host}`, "Origin: http://elsewhere.test"];
        const status = await statusOf(port, lines);
        assert.ok(status >= 200 && status < 500, `${status} from ${asked} with Host: ${host}`);
      }
    }
  });
}
