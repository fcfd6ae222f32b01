// Follows how far a table is scrolled, in a box of its own or with the page.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type RowWindow, rowWindow, seen, WHOLE } from "./row_window.ts";

interface Reference {
  readonly current: HTMLElement | null;
}

/** Pixels, until the first row was measured. */
const FIRST_GUESS = 40;

/**
 * @param body What holds the rows.
 * @param box What scrolls them, where the page does not.
 * @param whole Whether all rows are shown, however many: only where they are of one height can it be told which are seen.
 * @returns The rows to show, and the height of each in pixels.
 */
export function useRowWindow(
  body: Reference,
  box: Reference,
  count: number,
  kept: number,
  whole: boolean,
): { window: RowWindow; rowHeight: number } {
  const [rowHeight, setRowHeight] = useState(FIRST_GUESS);
  const lastHeight = useRef(FIRST_GUESS);
  const [range, setRange] = useState<readonly [number, number]>([0, WHOLE]);
  const long = count > WHOLE && !whole;

  useLayoutEffect(() => {
    if (!long) return;
    const look = () => {
      const rows = body.current!;
      // There may be none yet: then the last height counts, and what comes is measured.
      const height = rows.querySelector("[data-row]")?.getBoundingClientRect().height ||
        lastHeight.current;
      lastHeight.current = height;
      const frame = box.current!.getBoundingClientRect();
      const top = Math.max(frame.top, 0);
      const bottom = Math.min(frame.bottom, innerHeight);
      setRowHeight(height);
      const next = seen(
        count,
        height,
        top - rows.getBoundingClientRect().top,
        Math.max(bottom - top, height),
      );
      setRange((before) => before[0] === next[0] && before[1] === next[1] ? before : next);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box.current!);
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [long, count]);

  return { window: rowWindow(count, long ? range : [0, count], kept), rowHeight };
}
