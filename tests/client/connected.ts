// The typed client against the application in process.
import { connect, type Connection, type ConnectOptions, createClient } from "../../client/mod.ts";
import { type Harness, harness, type HarnessOptions, PASSWORD } from "../harness.ts";

export interface Connected extends AsyncDisposable {
  readonly h: Harness;
  /** A connection with a client of its own, as another tab or program has one. */
  another(options?: ConnectOptions): Connection;
  /** A `fetch` that keeps cookies as a browser does, for a client of the page's own origin. */
  browser(): typeof fetch;
  /** Paths that were asked for, below the API's base path, in their order. */
  readonly asked: string[];
}

const BASE = "http://quarterdeck.test/api";

export async function connected(options?: HarnessOptions): Promise<Connected> {
  const h = await harness(options);
  const asked: string[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${new URL(request.url).pathname.replace("/api", "")}`);
    return await h.app.fetch(request);
  };
  return {
    h,
    asked,
    browser() {
      const jar = new Map<string, string>();
      return async (input, init) => {
        const request = new Request(input, init);
        const cookies = [...jar].map(([name, value]) => `${name}=${value}`);
        if (cookies.length > 0) request.headers.set("cookie", cookies.join("; "));
        const response = await send(request);
        for (const cookie of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
          if (/max-age=0\b/i.test(cookie)) jar.delete(name!);
          else jar.set(name!, value!);
        }
        return response;
      };
    },
    another: (options = {}) =>
      connect({ baseUrl: BASE, fetch: send, client: createClient(), ...options }),
    [Symbol.asyncDispose]: () => h[Symbol.asyncDispose](),
  };
}

/** What the harness's administrator signs in with. */
export const ADMIN = { email: "admin@example.com", password: PASSWORD };
