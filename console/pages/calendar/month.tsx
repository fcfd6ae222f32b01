// A month, six weeks high; its days are moved through by arrow keys.
import type { Event } from "../../../client/mod.ts";
import { byDay, type Day, firstWeekday } from "../../state/calendar_days.ts";
import { dayByKey, daysBetween, shifted } from "../../state/calendar_moves.ts";
import { classes } from "../../parts/classes.ts";
import { date, number } from "../../state/format.ts";
import { locale } from "../../state/language.ts";
import { Chip, droppedEvent } from "./chip.tsx";
import { move } from "./events.ts";
import { texts } from "./texts.ts";
import type { CalendarView } from "./view.ts";

/** Events of a day that are shown before the rest is counted. */
const SHOWN = 2;

interface MonthProps extends CalendarView {
  /** Keys have led to another day. */
  readonly onDay: (day: Day) => void;
}

export function Month(props: MonthProps) {
  const { days, day, zone, events } = props;
  const found = byDay(events, days, zone);
  return (
    <div class="month" role="grid" aria-label={date(`${day}T12:00:00Z`, "month")}>
      <div class="month-head" role="row">
        {days.slice(0, 7).map((one) => (
          <span key={one} role="columnheader">{date(one, "weekday")}</span>
        ))}
      </div>
      {Array.from(
        { length: 6 },
        (_, week) => (
          <div class="month-week" role="row" key={days[week * 7]}>
            {days.slice(week * 7, week * 7 + 7).map((one) => (
              <MonthDay key={one} {...props} one={one} here={found.get(one)!} />
            ))}
          </div>
        ),
      )}
    </div>
  );
}

function MonthDay(
  { one, here, day, today, zone, events, onOpen, onMoved, onCreate, onDay }: MonthProps & {
    readonly one: Day;
    /** What takes place on it. */
    readonly here: readonly Event[];
  },
) {
  const said = texts();
  const more = here.length - SHOWN;
  const drop = (dropped: DragEvent) => {
    const dragged = droppedEvent(dropped);
    const event = events.find(({ id }) => id === dragged?.id);
    if (!dragged || !event) return;
    move(event, shifted(event, { days: daysBetween(dragged.day, one) }, zone));
  };
  return (
    <div
      role="gridcell"
      class={classes(
        "month-day",
        one.slice(0, 7) !== day.slice(0, 7) && "month-other",
        one === today && "month-today",
      )}
      data-day={one}
      onClick={({ target, currentTarget }) => target === currentTarget && onCreate?.(one)}
      onDragOver={(over) => over.preventDefault()}
      onDrop={drop}
    >
      <button
        type="button"
        class="month-date"
        aria-label={date(one, "date")}
        aria-current={one === today ? "date" : undefined}
        title={onCreate && said.create}
        tabIndex={one === day ? 0 : -1}
        onClick={() => onCreate?.(one)}
        onKeyDown={(event) => {
          const rtl = getComputedStyle(event.currentTarget).direction === "rtl";
          const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
          const to = plain ? dayByKey(event.key, one, firstWeekday(locale.value), rtl) : null;
          if (to === null) return;
          event.preventDefault();
          onDay(to);
        }}
      >
        {number(Number(one.slice(8)))}
      </button>
      {here.slice(0, more === 1 ? SHOWN + 1 : SHOWN).map((event) => (
        <Chip key={event.id} event={event} day={one} onOpen={onOpen} onMoved={onMoved} />
      ))}
      {more > 1 && (
        <a class="month-more" href={`/calendar?view=agenda&date=${one}`}>
          {said.more(number(more))}
        </a>
      )}
    </div>
  );
}
