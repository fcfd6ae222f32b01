// The root: what this is and where to go, for people and for programs.
import type { Settings } from "../../config/settings.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { type Places, StartPage } from "../../pages/start.tsx";
import type { ShowConsole } from "./console.ts";
import { hasFrontend, html, type Site } from "./page_answers.tsx";

/** @param showConsole Where the console is served, people get it in place of the start page. */
export function mountStart({ services, assets, serve }: Site, showConsole?: ShowConsole): void {
  const { settings } = services;
  const places = placesOf(settings);
  const text = JSON.stringify({ success: true, data: { name: "Quarterdeck", ...places } });
  serve("GET", "/", (c) => {
    if (c.req.header("accept")?.includes("text/html")) {
      if (showConsole) return showConsole(c, "/");
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
  const { basePath, frontendUrl } = settings;
  return {
    api: basePath || "/",
    docs: `${basePath}/docs`,
    openapi: `${basePath}/openapi.json`,
    health: "/readyz",
    ...(settings.console ? { signIn: "/login" } : {}),
    ...(hasFrontend(settings) ? { frontend: frontendUrl } : {}),
  };
}
