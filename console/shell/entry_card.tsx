// What all pages that lead in look like: the product's sign, one card, links under it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../parts/button.tsx";
import { pageFollows } from "../parts/page.tsx";
import { language, LANGUAGES } from "../state/language.ts";
import { prefer, preferences } from "../state/preferences.ts";
import { Logo } from "./logo.tsx";
import { texts } from "./texts.ts";

export interface EntryCardProps {
  readonly title: string;
  readonly text?: ComponentChildren;
  /** Under the card. */
  readonly links?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function EntryCard({ title, text, links, children }: EntryCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(pageFollows, []);
  useEffect(() => void (document.title = `${title} · Quarterdeck`), [title]);
  // What follows another page or a form begins at its field, or is read out from its title on.
  useEffect(() => {
    const card = heading.current!.closest(".entry-card")!;
    if (card.contains(document.activeElement)) return;
    const first = card.querySelector<HTMLElement>("[autofocus]") ?? heading.current!;
    first.focus({ preventScroll: true });
  }, [title]);
  return (
    <div class="entry">
      <div class="entry-logo">
        <Logo />
      </div>
      <section class="entry-card">
        <header>
          <h1 ref={heading} tabIndex={-1}>{title}</h1>
          {text && <p class="muted">{text}</p>}
        </header>
        {children}
      </section>
      {links && <div class="entry-links">{links}</div>}
      <Choices />
    </div>
  );
}

/** Whoever is not signed in has a language and a theme too. */
function Choices() {
  const { language: label, theme } = texts();
  return (
    <div class="entry-choices">
      <div class="row" role="group" aria-label={label}>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <button
            key={code}
            type="button"
            class="link entry-language"
            lang={code}
            aria-pressed={language.value === code}
            onClick={() => prefer({ language: code })}
          >
            {name}
          </button>
        ))}
      </div>
      <IconButton size="s" icon={isDark() ? "sun" : "moon"} label={theme} onClick={switchTheme} />
    </div>
  );
}

function isDark(): boolean {
  const { theme } = preferences.value;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme(): void {
  prefer({ theme: isDark() ? "light" : "dark" });
}
