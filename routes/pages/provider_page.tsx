// Where a sign-in by a provider ends, unless FRONTEND_URL names an application that takes over.
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { PROVIDER_COOKIE, providerCookie } from "../../http/cookies.ts";
import { ProviderPage } from "../../pages/provider.tsx";
import { openCode } from "../../services/accounts/provider_codes.ts";
import { signInByProvider } from "../../services/accounts/provider_sign_in.ts";
import { localPath } from "../../services/accounts/redirects.ts";
import { html, type Site } from "./page_answers.tsx";
import { askForCode, enter } from "./second_factor_pages.tsx";

/** What is said of a sign-in that came to nothing. */
const PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  ["denied", "You were not signed in there. Nothing has changed."],
  ["unavailable", "The provider cannot be reached: try again shortly, or sign in another way."],
]);
const FAILED = "The sign-in did not work, or took too long: begin anew.";

export function mountProviderPage(site: Site): void {
  const { services: { settings }, assets, serve, signIn } = site;
  serve("GET", "/oidc", async (c) => {
    const code = c.req.query("code");
    if (code === undefined) {
      const message = PROBLEMS.get(c.req.query("error")) ?? FAILED;
      return html(c, <ProviderPage assets={assets} message={message} exit={signIn} />);
    }
    if (settings.variant.cookies) return await end(c, site, code);
    const message = "You have signed in there. An application ends it with the code in the " +
      `address: POST ${settings.basePath}/auth/oidc/exchange.`;
    return html(c, <ProviderPage assets={assets} message={message} exit={signIn} />);
  });
}

/** Signs in the browser that began. It is a GET, for the browser is sent here; the code in it is good once. */
async function end(c: Context, site: Site, code: string): Promise<Response> {
  const { services: { settings, clock }, visitorOf } = site;
  const proven = openCode(settings, { code, flow: getCookie(c, PROVIDER_COOKIE) }, clock());
  const result = await signInByProvider(visitorOf(c), proven);
  const back = localPath(proven.back);
  const response = "challenge" in result
    ? askForCode(c, site, result.challenge, back)
    : enter(c, site, result, back);
  response.headers.append("set-cookie", providerCookie(c, settings, "", 0));
  return response;
}
