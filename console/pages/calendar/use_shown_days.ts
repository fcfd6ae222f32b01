// Which days the calendar shows, and how: as its address says.
import { useParameter } from "../../state/address.ts";
import {
  addDays,
  addMonths,
  type Day,
  dayIn,
  daysFrom,
  firstWeekday,
  monthDays,
  weekStart,
} from "../../state/calendar_days.ts";
import { timeZone } from "../../state/format.ts";
import { locale } from "../../state/language.ts";

export type View = "month" | "week" | "agenda";

/** Days that the list shows. */
const AGENDA = 30;

export function useShownDays() {
  const zone = timeZone.value;
  const today = dayIn(zone);
  const narrow = matchMedia("(max-width: 699px)").matches;
  const [chosen, setView] = useParameter("view", narrow ? "agenda" : "month");
  const [asked, setDay] = useParameter("date", today);
  const day = /^\d{4}-\d\d-\d\d$/.test(asked) ? asked : today;
  const view: View = chosen === "week" || chosen === "agenda" ? chosen : "month";
  return {
    /** IANA name. */
    zone,
    today,
    /** The one that the address names. */
    day,
    setDay,
    days: daysOf(view, day, firstWeekday(locale.value)),
    view,
    setView,
    /** To what comes before or after: a month, a week or as many days as the list shows. */
    step(way: -1 | 1) {
      if (view === "month") setDay(addMonths(day, way));
      else setDay(addDays(day, way * (view === "week" ? 7 : AGENDA)));
    },
  };
}

function daysOf(view: View, day: Day, first: number): Day[] {
  if (view === "month") return monthDays(day, first);
  return view === "week" ? daysFrom(weekStart(day, first), 7) : daysFrom(day, AGENDA);
}
