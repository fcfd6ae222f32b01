// The focus in a calendar stays where it was: at the event that was moved, changed or opened, at its day where that is
// gone, and at the day that a key has led to.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Day } from "../../state/calendar_days.ts";

/** What had the focus last. */
interface Held {
  readonly event?: string;
  readonly day?: Day;
}

/** @returns The box that holds the calendar, and what gives the focus to a day as soon as it is drawn. */
export function useHeldFocus() {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef<Held>({});
  const wanted = useRef<Day | null>(null);
  // Asked before anything is drawn: what is gone afterwards went by this drawing, not because somebody left.
  const held = box.current?.contains(document.activeElement) ?? false;

  useLayoutEffect(() => {
    const find = (selector: string) => box.current!.querySelector<HTMLElement>(selector);
    const dateOf = (day: Day) => find(`[data-day="${day}"] .month-date`);
    if (wanted.current !== null) {
      const date = dateOf(wanted.current);
      if (date) wanted.current = null;
      return date?.focus();
    }
    if (!held || document.activeElement !== document.body) return;
    const { event, day } = last.current;
    const place = event !== undefined && find(`[data-event="${CSS.escape(event)}"]`) ||
      day !== undefined && dateOf(day) ||
      find("[data-event]") ||
      find(".calendar-title");
    place?.focus();
  });

  return {
    box,
    focusDay: (day: Day) => void (wanted.current = day),
    /** To be called when something gets the focus. */
    remember({ target }: FocusEvent) {
      const at = target as HTMLElement;
      const event = at.closest<HTMLElement>("[data-event]")?.dataset.event;
      const day = at.closest<HTMLElement>("[data-day]")?.dataset.day;
      if (event !== undefined || day !== undefined) last.current = { event, day };
    },
  };
}
