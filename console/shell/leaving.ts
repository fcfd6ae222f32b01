// Asks before a page goes on which something is written and not saved: by a link, by Back or Forward, by a key or a command.
// Form asks where the window closes, and Dialog where the dialog does.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { confirm } from "../parts/dialog.tsx";
import { texts } from "../parts/texts.ts";
import { formsOfPage, holdsUnsaved } from "../parts/unsaved.ts";
import { PAGES_OF_CONSOLE } from "../state/place.ts";

/** Whether what comes next has been asked about already. */
let answered = false;
let asking = false;

/** Does what takes the page away; where something would be lost with it, after a question. */
export async function leaveBy(run: () => void): Promise<void> {
  if (!holdsUnsaved(formsOfPage)) return run();
  if (asking) return;
  asking = true;
  const yes = await confirm({ ...texts().unsaved, danger: true }).finally(() => asking = false);
  if (yes) run();
}

/** The way to another page for what a person asks for. */
export function useDeparture(): (path: string) => void {
  const { route } = useLocation();
  return (path) => void leaveBy(() => route(path));
}

/** Holds back links, Back and Forward. */
export function useGuardedPage(): void {
  const { url } = useLocation();
  const shown = useRef(url);
  shown.current = url;
  useLayoutEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = answered ? null : leadingAway(event);
      if (!link || !holdsUnsaved(formsOfPage)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void leaveBy(() => {
        answered = true;
        link.click();
        answered = false;
      });
    };
    const onPopState = (event: PopStateEvent) => {
      const stays = new URL(shown.current, location.origin).pathname === location.pathname;
      if (answered || stays || !holdsUnsaved(formsOfPage)) return void (answered = false);
      event.stopImmediatePropagation();
      // The browser is there already: the page goes on top of it, so that Back leads there, be it before or behind.
      history.pushState(null, "", shown.current);
      void leaveBy(() => {
        answered = true;
        history.back();
      });
    };
    // Before the router, which listens at the window too.
    const options = { capture: true };
    addEventListener("click", onClick, options);
    addEventListener("popstate", onPopState, options);
    return () => {
      removeEventListener("click", onClick, options);
      removeEventListener("popstate", onPopState, options);
    };
  }, []);
}

/** The link that a click follows to another page in this window. */
function leadingAway(event: MouseEvent): HTMLAnchorElement | null {
  const { ctrlKey, metaKey, altKey, shiftKey, button, target } = event;
  if (ctrlKey || metaKey || altKey || shiftKey || button !== 0) return null;
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || link.target || link.hasAttribute("download")) return null;
  const { origin, pathname } = link;
  if (origin !== location.origin || !PAGES_OF_CONSOLE.test(pathname)) return null;
  return pathname === location.pathname ? null : link;
}
