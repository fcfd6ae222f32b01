// Where a sign-in by a provider ends where there is no console, and FRONTEND_URL names no application that takes over.
import { ProviderPage } from "../../pages/provider.tsx";
import { html, type Site } from "./page_answers.tsx";

/** What is said of a sign-in that came to nothing. */
const PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  ["denied", "You were not signed in there. Nothing has changed."],
  ["unavailable", "The provider cannot be reached: try again shortly, or sign in another way."],
]);
const FAILED = "The sign-in did not work, or took too long: begin anew.";

export function mountProviderPage(site: Site): void {
  const { services: { settings }, assets, serve, signIn } = site;
  serve("GET", "/oidc", (c) => {
    const code = c.req.query("code");
    if (code === undefined) {
      const message = PROBLEMS.get(c.req.query("error")) ?? FAILED;
      return html(c, <ProviderPage assets={assets} message={message} exit={signIn} />);
    }
    const message = "You have signed in there. An application ends it with the code in the " +
      `address: POST ${settings.basePath}/auth/oidc/exchange.`;
    return html(c, <ProviderPage assets={assets} message={message} exit={signIn} />);
  });
}
