// Makes a box reach from where it stands to the end of the window.
import { useLayoutEffect } from "preact/hooks";

/** Tells the style sheet where the box begins, in pixels from the top of the page, as `--box-top`. */
export function useFill(box: { readonly current: HTMLElement | null }, fill: boolean): void {
  useLayoutEffect(() => {
    if (!fill) return;
    const element = box.current!;
    let last = -1;
    const measure = () => {
      const top = Math.round(element.getBoundingClientRect().top + scrollY);
      if (top === last) return;
      last = top;
      element.style.setProperty("--box-top", `${top}px`);
    };
    // What stands before it may grow, come and go: filters, messages.
    const page = element.parentElement!.parentElement!;
    const sizes = new ResizeObserver(measure);
    const watch = () => {
      for (const part of page.children) sizes.observe(part);
      measure();
    };
    const parts = new MutationObserver(watch);
    parts.observe(page, { childList: true });
    watch();
    addEventListener("resize", measure);
    return () => {
      parts.disconnect();
      sizes.disconnect();
      removeEventListener("resize", measure);
    };
  }, [fill]);
}
