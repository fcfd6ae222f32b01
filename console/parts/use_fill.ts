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
    measure();
    const observer = new ResizeObserver(measure);
    // What stands before it may grow: filters, messages.
    for (
      let before = element.parentElement?.parentElement?.firstElementChild;
      before;
      before = before.nextElementSibling
    ) {
      observer.observe(before);
    }
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [fill]);
}
