// Signing in by a real provider of OpenID Connect, from end to end.
import assert from "node:assert/strict";
import { identities } from "../../../models/identities.ts";
import { users } from "../../../models/users.ts";
import { type Harness, harness, type HarnessOptions } from "../../harness.ts";
import { Browser } from "../../providers/browser.ts";
import { CLIENT, type RealProvider, realProvider } from "../../providers/real.ts";

const CALLBACK_OF = (port: number) => `http://localhost:${port}/api/auth/oidc/company/callback`;

async function withReal(
  options: HarnessOptions & { readonly settings?: Record<string, unknown> },
  test: (h: Harness, provider: RealProvider) => Promise<void>,
): Promise<void> {
  const port = { full: 3001, web: 3000 }[options.variant ?? ""] ?? 8000;
  await using provider = await realProvider(CALLBACK_OF(port));
  const company = {
    name: "company",
    label: "The company",
    issuer: provider.issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    ...options.settings,
  };
  const env = { OIDC_PROVIDERS: JSON.stringify([company]), ...options.env };
  await using h = await harness({ ...options, env });
  await test(h, provider);
}

async function codeFor(browser: Browser, provider: RealProvider, login: string, query = "") {
  const callback = await provider.signIn(await browser.begin("company", query), login);
  const place = await browser.comeBack(callback);
  assert.equal(place.get("error"), null);
  return place.get("code")!;
}

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`providers (${variant}): a first sign-in makes an account, the next ones open it`, async () => {
    await withReal({ variant, settings: { signUp: true } }, async (h, provider) => {
      for (let n = 0; n < 2; n++) {
        const browser = new Browser(h);
        const reply = await browser.exchange(await codeFor(browser, provider, "newcomer"));
        assert.equal(reply.status, 200, reply.text);
        const { user } = reply.body;
        assert.equal(user.email, "newcomer@example.com");
        assert.equal(user.name, "The newcomer");
        assert.equal(user.role, "user");
        const token = reply.body.accessToken ?? reply.body.token;
        const { data } = await h.ask("GET", "/api/auth/identities", { token });
        assert.deepEqual(data.map(({ provider, email }: typeof data) => ({ provider, email })), [
          { provider: "company", email: "newcomer@example.com" },
        ]);
        assert.equal(await h.store.from(users).count({}), 6);
        assert.equal(await h.store.from(identities).count({}), 1);
      }
    });
  });
}
