// The frame around every page of those who are signed in: sidebar, top bar, banners.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Icon } from "../parts/icon.tsx";
import { IconButton } from "../parts/button.tsx";
import { prefer, preferences } from "../state/preferences.ts";
import { AccountMenu } from "./account_menu.tsx";
import { Banners } from "./banners.tsx";
import { Bell } from "./bell.tsx";
import { Logo } from "./logo.tsx";
import { Navigation } from "./navigation.tsx";
import { openPalette, Palette } from "./palette.tsx";
import { ShortcutsHelp } from "./shortcuts_help.tsx";
import { useGlobalShortcuts } from "./global_shortcuts.ts";
import { texts } from "./texts.ts";

export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { skip, menu, close, search, collapse, expand } = texts();
  const { narrow = false } = preferences.value;
  useGlobalShortcuts();

  // On phones the sidebar covers the page: whoever has chosen wants to see what they chose.
  useEffect(() => setOpen(false), [path]);
  useEscape(open, () => setOpen(false));

  return (
    <div class={`frame${narrow ? " narrow" : ""}${open ? " open" : ""}`}>
      <a class="skip" href="#main">{skip}</a>
      <aside class="sidebar" id="sidebar" aria-label={menu}>
        <div class="sidebar-head">
          <Logo narrow={narrow} />
          <span class="only-phone">
            <IconButton icon="x" label={close} onClick={() => setOpen(false)} />
          </span>
        </div>
        <Navigation />
        <div class="sidebar-foot">
          <AccountMenu narrow={narrow} />
          <span class="only-wide">
            <IconButton
              icon={narrow ? "chevron-right" : "chevron-left"}
              label={narrow ? expand : collapse}
              onClick={() => prefer({ narrow: !narrow })}
            />
          </span>
        </div>
      </aside>
      <div class="veil" onClick={() => setOpen(false)} />
      <div class="stage">
        <header class="top-bar">
          <span class="only-phone">
            <IconButton
              icon="menu"
              label={menu}
              aria-expanded={open}
              aria-controls="sidebar"
              onClick={() => setOpen(!open)}
            />
          </span>
          <button type="button" class="palette-button" onClick={openPalette}>
            <Icon name="search" />
            <span>{search}</span>
            <kbd>{shortcutOfPalette}</kbd>
          </button>
          <Bell />
        </header>
        <Banners />
        <main id="main" ref={main} tabindex={-1}>{children}</main>
      </div>
      <Palette />
      <ShortcutsHelp />
    </div>
  );
}

const onApple = /Mac|iPhone|iPad/.test(navigator.platform);
const shortcutOfPalette = onApple ? "⌘K" : "Ctrl K";

function useEscape(active: boolean, run: () => void) {
  useEffect(() => {
    if (!active) return;
    const listen = (event: KeyboardEvent) => {
      if (event.key === "Escape") run();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [active]);
}
