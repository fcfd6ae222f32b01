// A browser as far as a sign-in by a provider needs one: it keeps cookies, and goes where it is sent.
import assert from "node:assert/strict";
import type { Ask, Harness, Reply } from "../harness.ts";

/** Where providers send a browser back to. */
export const CALLBACK = /\/api\/auth\/oidc\/[\w-]+\/callback\?/;

export class Browser {
  readonly #cookies = new Map<string, string>();

  constructor(readonly h: Harness, readonly from = "127.0.0.1") {}

  /** Asks this server, with the cookies that it set before. */
  async ask(method: string, path: string, ask: Ask = {}): Promise<Reply> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie ? { cookie } : {}), ...ask.headers };
    const reply = await this.h.ask(method, path, { from: this.from, ...ask, headers });
    for (const set of reply.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const [name = "", value = ""] = pair.split("=");
      if (/max-age=0/i.test(set)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return reply;
  }

  /** Begins a sign-in. @returns Where the provider is asked. */
  async begin(provider = "company", query = ""): Promise<URL> {
    const reply = await this.ask("GET", `/api/auth/oidc/${provider}${query}`);
    assert.equal(reply.status, 303, reply.text);
    return new URL(reply.headers.get("location")!);
  }

  /** Comes back from the provider. @returns The query of the address that this server then leads to. */
  async comeBack(callback: URL): Promise<URLSearchParams> {
    const reply = await this.ask("GET", callback.pathname + callback.search);
    assert.equal(reply.status, 303, reply.text);
    const place = new URL(reply.headers.get("location")!);
    assert.equal(place.pathname, "/oidc");
    // No token of either side: a JWT is three parts. (Codes are random: one may well begin as a JWT does.)
    for (const value of place.searchParams.values()) {
      assert.doesNotMatch(value, /^ey[\w-]*\.[\w-]+\./);
    }
    return place.searchParams;
  }

  exchange(code: string, codeVerifier?: string): Promise<Reply> {
    return this.ask("POST", "/api/auth/oidc/exchange", { body: { code, codeVerifier } });
  }
}
