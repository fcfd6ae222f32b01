// What every view of the calendar is given.
import type { Event } from "../../../client/mod.ts";
import type { Day } from "../../state/calendar_days.ts";

export interface CalendarView {
  readonly days: readonly Day[];
  /** The one that the address names. */
  readonly day: Day;
  readonly today: Day;
  /** IANA name. */
  readonly zone: string;
  readonly events: readonly Event[];
  readonly onOpen: (event: Event) => void;
  /** Told by keys the day that an event begins on from now on. */
  readonly onMoved: (day: Day) => void;
  /** Absent where the signed-in user may not. @param time `09:00`; without one, the next whole hour. */
  readonly onCreate?: (day: Day, time?: string) => void;
}
