// Shows the page of the address to whom may see it. While its part of the program loads, the page before stays.
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { LocationProvider, useLocation } from "preact-iso/router";
import { type ConsolePage, pageAt, type PageId } from "../pages.ts";
import { home, isServed, mayOpen } from "../state/reach.ts";
import { sessionEnded, signedOut, user } from "../state/session.ts";
import { secondFactorAsked } from "../state/transport.ts";
import { hasPage, loadedPage, loadPage } from "./components.ts";
import { Forbidden, NotFound, NotLoaded } from "./unavailable.tsx";

export function Outlet() {
  const here = useLocation();
  const { path, url, route } = here;
  const page = pageAt(path) as (ConsolePage & { id: PageId }) | undefined;
  const shown = useRef<VNode | null>(null);
  const [ready, setReady] = useState<PageId | null>(null);
  const [failed, setFailed] = useState(false);
  const [tries, tryAgain] = useState(0);
  const signedIn = Boolean(user.value);

  const params = page ? paramsOf(page.path, path) : null;
  const missing = !page || !params || !hasPage(page.id) || !isServed(page);
  const mayNot = !missing && !page.public && signedIn && !mayOpen(page);
  const elsewhere = signedIn && secondFactorAsked.value && page?.id !== "secondFactor"
    ? "/second-factor"
    : path === "/"
    ? signedIn ? home() : "/login"
    : !signedIn && !page?.public
    ? signedOut.value
      ? "/login?notice=out"
      : `/login?${sessionEnded.value ? "notice=ended&" : ""}redirect=${encodeURIComponent(url)}`
    : null;

  useEffect(() => {
    if (elsewhere !== null) route(elsewhere, true);
  }, [elsewhere]);

  // After the frame in which the navigation shows where one goes: a long page takes longer than that.
  useEffect(() => {
    setFailed(false);
    if (missing || mayNot || elsewhere !== null) return;
    let current = true;
    const { id } = page;
    loadPage(id).then(
      () => current && setReady(id),
      () => current && setFailed(true),
    );
    return () => void (current = false);
  }, [page?.id, missing, mayNot, elsewhere !== null, tries]);

  if (elsewhere !== null) {
    // What may not be shown any more does not come back while the next page loads.
    shown.current = null;
    return null;
  }
  if (missing) return <NotFound />;
  if (mayNot) return <Forbidden />;
  if (failed) return <NotLoaded retry={() => tryAgain((before) => before + 1)} />;
  // Until then the page before stays as it was, with its own address: the same element is not rendered again.
  if (ready === page.id) {
    const Component = loadedPage(page.id)!;
    shown.current = (
      <LocationProvider.ctx.Provider key={page.id} value={here}>
        <Component params={params} />
      </LocationProvider.ctx.Provider>
    );
  }
  return shown.current;
}

/** What stands in the address where a path has names; null where that is no text, such as `%`. */
function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const segments = path.split("/");
  try {
    const named = pattern.split("/").flatMap((one, at): [string, string][] =>
      one.startsWith(":") ? [[one.slice(1), decodeURIComponent(segments[at] ?? "")]] : []
    );
    return Object.fromEntries(named);
  } catch {
    return null;
  }
}
