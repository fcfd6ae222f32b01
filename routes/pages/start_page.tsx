// The root: what this is and where to go, for people and for programs. Whoever is signed in goes on to the dashboard.
import type { Settings } from "../../config/settings.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { type Places, StartPage } from "../../pages/start.tsx";
import { hasFrontend, HOME, html, principalOf, seeOther, type Site } from "./page_answers.tsx";

export function mountStart({ services, assets, serve }: Site): void {
  const { settings } = services;
  const places = placesOf(settings);
  const text = JSON.stringify({ success: true, data: { name: "Quarterdeck", ...places } });
  serve("GET", "/", async (c) => {
    if (settings.variant.cookies && await principalOf(c, services)) return seeOther(c, HOME);
    if (c.req.header("accept")?.includes("text/html")) {
      return html(c, <StartPage assets={assets} places={places} />);
    }
    const headers = {
      ...exchangeOf(c).headers,
      "content-type": "application/json",
      "cache-control": "no-cache",
      vary: "Accept, Cookie",
    };
    return new Response(text, { headers });
  });
}

function placesOf(settings: Settings): Places {
  const { basePath, frontendUrl, variant } = settings;
  return {
    api: basePath || "/",
    docs: `${basePath}/docs`,
    openapi: `${basePath}/openapi.json`,
    health: "/readyz",
    ...(variant.cookies ? { signIn: "/login" } : {}),
    ...(hasFrontend(settings) ? { frontend: frontendUrl } : {}),
  };
}
