// The shortcuts that hold on every page: the palette, the help, the theme, and `g` and a letter to go somewhere.
import { useEffect } from "preact/hooks";
import { type ConsolePage, type PageId, PAGES } from "../pages.ts";
import { prefer } from "../state/preferences.ts";
import { mayOpen } from "../state/reach.ts";
import { permissions } from "../state/session.ts";
import { followShortcuts, register } from "../state/shortcuts.ts";
import { hasPage } from "./components.ts";
import { useDeparture } from "./leaving.ts";
import { openPalette } from "./palette.tsx";
import { openShortcuts } from "./shortcuts_help.tsx";
import { texts } from "./texts.ts";

export function useGlobalShortcuts(): void {
  const route = useDeparture();
  const held = permissions.value;
  useEffect(followShortcuts, []);
  useEffect(() => {
    const general = () => texts().general;
    const pages = (PAGES as readonly (ConsolePage & { id: PageId })[])
      .filter((page) => page.key && hasPage(page.id) && mayOpen(page));
    const undo = [
      register({
        keys: "mod+k",
        label: () => texts().palette.label,
        scope: general,
        run: openPalette,
      }),
      register({ keys: "?", label: () => texts().shortcuts, scope: general, run: openShortcuts }),
      register({ keys: "shift+d", label: () => texts().theme, scope: general, run: switchTheme }),
      ...pages.map(({ id, path, key }) =>
        register({
          keys: `g ${key}`,
          label: () => texts().goTo(texts().pages[id]),
          scope: general,
          run: () => route(path),
        })
      ),
    ];
    return () => undo.forEach((back) => back());
  }, [held]);
}

function switchTheme(): void {
  const { theme } = document.documentElement.dataset;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  prefer({ theme: dark ? "light" : "dark" });
}
