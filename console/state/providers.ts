// Signing in by providers, and linking identities there: the browser leaves for them, and comes back to /oidc.
import { place } from "./place.ts";

/** What somebody left for a provider for; the browser keeps it for the way back. */
export type Errand = "signIn" | "link";

const KEY = "quarterdeck.provider";

/** Leaves for a provider. @param back A path to go to after the sign-in. */
export function beginAtProvider(name: string, errand: Errand, back = ""): void {
  sessionStorage.setItem(KEY, errand);
  const query = back ? `?${new URLSearchParams({ redirect: back })}` : "";
  location.assign(`${place.api}/auth/oidc/${encodeURIComponent(name)}${query}`);
}

/** What the browser has come back from; it is told once. */
export function takeErrand(): Errand {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === "link" ? "link" : "signIn";
}
