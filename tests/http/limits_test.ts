// Rate limits that hold whatever the body says: whoever is beyond them is answered before the body is read.
import assert from "node:assert/strict";
import type { RateLimitName } from "../../services/accounts/limits.ts";
import type { Caller } from "../../services/accounts/rate_limits.ts";
import { harness } from "../harness.ts";

const NETWORK = "192.0.2.7";

interface Case {
  readonly path: string;
  readonly limit: RateLimitName;
  /** Has an account. */
  readonly known?: boolean;
}

const CASES: readonly Case[] = [
  { path: "/api/auth/register", limit: "register" },
  { path: "/api/share", limit: "share" },
  { path: "/api/share", limit: "shareByDay" },
  { path: "/api/share", limit: "ownShare", known: true },
  { path: "/api/markdown", limit: "markdown" },
  { path: "/api/markdown", limit: "ownMarkdown", known: true },
];

for (const { path, limit, known = false } of CASES) {
  Deno.test(`limits: POST ${path} is refused by ${limit} before its body is read`, async () => {
    await using h = await harness();
    const { limiter } = h.app.services;
    const caller: Caller = known ? { account: h.accounts.user.id } : { address: NETWORK };

    /** @returns The status, and whether the body was asked for. */
    async function post() {
      let read = false;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          read = true;
          controller.enqueue(new TextEncoder().encode("{}"));
          controller.close();
        },
      }, { highWaterMark: 0 });
      const headers: Record<string, string> = { "content-type": "application/json" };
      if (known) headers["authorization"] = `Bearer ${h.tokens.user}`;
      const request = new Request(`http://localhost${path}`, { method: "POST", headers, body });
      const { status } = await h.app.fetch(request, { remoteAddr: { hostname: NETWORK } });
      return { status, read };
    }

    while (limiter.tryTake(limit, caller));
    assert.deepEqual(await post(), { status: 429, read: false });
    h.clock.advance(limiter.blocked(limit, caller) * 1000);
    assert.deepEqual(await post(), { status: 400, read: true });
  });
}
