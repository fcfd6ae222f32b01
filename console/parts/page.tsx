// The frame of a page's content: its title, what can be done, its tabs.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";

export interface PageProps {
  /** Of the page and of the window. */
  title: string;
  /** Under the title. */
  text?: ComponentChildren;
  /** Beside the title, such as a badge. */
  mark?: ComponentChildren;
  /** The page that this one belongs to. */
  back?: { readonly label: string; readonly href: string };
  actions?: ComponentChildren;
  tabs?: ComponentChildren;
  /** For forms and texts: as wide as lines are read well. */
  narrow?: boolean;
  children: ComponentChildren;
}

const SITE = "Quarterdeck";

/** Whether a page was shown before: the first one leaves the focus where the browser put it. */
let shownBefore = false;

/** Says that something else was shown in place of a page, such as the way in. */
export function pageFollows(): void {
  shownBefore = true;
}

export function Page(
  { title, text, mark, back, actions, tabs, narrow = false, children }: PageProps,
) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = title ? `${title} · ${SITE}` : SITE;
  }, [title]);
  // A new page is read out from its title on, unless it has put the focus somewhere itself.
  useEffect(() => {
    const page = heading.current!.closest(".page")!;
    if (shownBefore && !page.contains(document.activeElement)) {
      heading.current!.focus({ preventScroll: true });
    }
    shownBefore = true;
  }, []);
  return (
    <div class={classes("page", narrow && "page-narrow")}>
      <header class="page-head">
        <div class="page-words">
          {back && (
            <a class="page-back" href={back.href}>
              <Icon name="chevron-left" size={14} />
              {back.label}
            </a>
          )}
          <div class="page-title">
            <h1 ref={heading} tabIndex={-1}>{title}</h1>
            {mark}
          </div>
          {text && <p class="page-text">{text}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {tabs}
      {children}
    </div>
  );
}
