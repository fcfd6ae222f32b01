// Where something that floats stands: at its anchor, inside the window.
import { useLayoutEffect } from "preact/hooks";

/** Pixels between it and its anchor, and at the edge of the window. */
const GAP = 4;
const EDGE = 8;

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Floating {
  readonly width: number;
  readonly height: number;
}

export interface Window {
  readonly width: number;
  readonly height: number;
}

/**
 * Below the anchor where it fits, else above, else where there is more room; along the anchor's start or end, moved as far
 * as the window demands.
 *
 * @param side The edges that are in line with each other: of the screen, not of the text.
 * @returns Pixels, and the height that there is room for.
 */
export function placeAt(
  anchor: Box,
  { width, height }: Floating,
  window: Window,
  side: "left" | "right",
): { left: number; top: number; room: number; above: boolean } {
  const below = window.height - anchor.bottom - GAP - EDGE;
  const over = anchor.top - GAP - EDGE;
  const above = height > below && over > below;
  const room = Math.max(above ? over : below, 0);
  const shown = Math.min(height, room);
  const wished = side === "left" ? anchor.left : anchor.right - width;
  return {
    left: Math.max(EDGE, Math.min(wished, window.width - width - EDGE)),
    top: above ? anchor.top - GAP - shown : anchor.bottom + GAP,
    room,
    above,
  };
}

/** Puts an element at its anchor; once. */
export function place(
  floating: HTMLElement,
  anchor: Element,
  align: "start" | "end" = "start",
): void {
  floating.style.maxBlockSize = "";
  floating.style.setProperty("--anchor", `${anchor.getBoundingClientRect().width}px`);
  const rtl = getComputedStyle(anchor).direction === "rtl";
  const { left, top, room, above } = placeAt(
    anchor.getBoundingClientRect(),
    { width: floating.offsetWidth, height: floating.scrollHeight + 2 },
    { width: document.documentElement.clientWidth, height: innerHeight },
    (align === "start") === rtl ? "right" : "left",
  );
  Object.assign(floating.style, {
    left: `${left}px`,
    top: `${top}px`,
    maxBlockSize: floating.scrollHeight + 2 > room ? `${room}px` : "",
  });
  floating.dataset.above = String(above);
}

/** Keeps an element at its anchor as long as it is open. */
export function usePlace(
  floating: { readonly current: HTMLElement | null },
  anchor: { readonly current: Element | null },
  open: boolean,
  align: "start" | "end" = "start",
): void {
  useLayoutEffect(() => {
    if (!open) return;
    const put = () => {
      if (floating.current && anchor.current) place(floating.current, anchor.current, align);
    };
    put();
    const observer = new ResizeObserver(put);
    observer.observe(floating.current!);
    observer.observe(anchor.current!);
    addEventListener("scroll", put, { capture: true, passive: true });
    addEventListener("resize", put);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", put, { capture: true });
      removeEventListener("resize", put);
    };
  }, [open, align]);
}

/**
 * Gives the focus to something in what opens before the next key comes: a key is not to go elsewhere because the first
 * frame is late.
 */
export function useFocusInside(
  panel: { readonly current: HTMLElement | null },
  open: boolean,
  find: (panel: HTMLElement) => HTMLElement | null | undefined,
): void {
  useLayoutEffect(() => {
    const first = open ? find(panel.current!) : undefined;
    if (!first) return;
    // Opened by its button, it is filled before it is shown, and the browser gives the focus; opened by code, after it.
    first.autofocus = true;
    first.focus();
  }, [open]);
}

/**
 * Follows whether a popover is open: told ahead of its first frame, so that it stands at its place from the beginning; and
 * when it has closed and given the focus back, which it could not if what has the focus went before.
 */
export function openState(tell: (open: boolean) => void) {
  return {
    onBeforeToggle: (event: Event) => {
      if ((event as ToggleEvent).newState === "open") tell(true);
    },
    onToggle: (event: Event) => {
      if ((event as ToggleEvent).newState === "closed") tell(false);
    },
  };
}
