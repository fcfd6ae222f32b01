// A real provider of OpenID Connect (oidc-provider), started for a test.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import assert from "node:assert/strict";
import Provider from "oidc-provider";
import { CALLBACK } from "./browser.ts";

export const CLIENT = { id: "quarterdeck", secret: "a secret of the client, for tests" };

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Signs in a person there. @returns Where the provider sends the browser back to. */
  signIn(authorization: URL, login: string): Promise<URL>;
}

/** @param redirectUri The one that is registered. */
export async function realProvider(redirectUri: string): Promise<RealProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [redirectUri],
      response_types: ["code"],
      grant_types: ["authorization_code"],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["a key for the cookies of the provider"] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@example.com`,
        email_verified: true,
        name: `The ${sub}`,
      }),
    }),
    // deno-lint-ignore no-explicit-any -- the library brings no types of its own
    async loadExistingGrant(context: any) {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({
        clientId: client!.clientId,
        accountId: session!.accountId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    async signIn(authorization, login) {
      const cookies = new Map<string, string>();
      let [url, init]: [URL, RequestInit] = [authorization, {}];
      for (let step = 0; step < 10; step++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(url, { ...init, headers: { cookie }, redirect: "manual" });
        const text = await response.text();
        for (const set of response.headers.getSetCookie()) {
          const [name = "", value = ""] = set.split(";")[0]!.split("=");
          cookies.set(name, value);
        }
        const location = response.headers.get("location");
        if (location !== null) {
          [url, init] = [new URL(location, url), {}];
          if (CALLBACK.test(url.href)) return url;
          continue;
        }
        const action = /action="([^"]+)"/.exec(text)?.[1];
        assert.ok(action, `${response.status} ${url}: ${text.slice(0, 500)}`);
        const body = new URLSearchParams({ prompt: "login", login, password: "any" });
        [url, init] = [new URL(action, url), { method: "POST", body }];
      }
      throw new Error("The provider leads in a circle");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
