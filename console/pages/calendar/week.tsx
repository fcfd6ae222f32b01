// A week by hours; whole days above.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Event } from "../../../client/mod.ts";
import { classes } from "../../parts/classes.ts";
import { moment, wallTime } from "../../parts/zoned.ts";
import { byDay, type Day, placed } from "../../state/calendar_days.ts";
import { daysBetween, shifted } from "../../state/calendar_moves.ts";
import { date } from "../../state/format.ts";
import { Chip, type Dragged, droppedEvent } from "./chip.tsx";
import { move } from "./events.ts";
import { texts } from "./texts.ts";
import type { CalendarView } from "./view.ts";

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Where the page begins; what is before is scrolled to. */
const MORNING = 7;
/** Pixels of the label of an hour that stand above its line. */
const LABEL = 8;
/** Minutes that what is dropped or pressed is rounded to. */
const STEP = 15;
/** Minutes below which the time and the title stand in one line. */
const SHORT = 45;

export function Week(props: CalendarView) {
  const { days, today, zone, events, onOpen, onMoved } = props;
  const said = texts();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current!.scrollTop = box.current!.scrollHeight / 24 * MORNING - LABEL;
  }, []);
  const found = byDay(events, days, zone);
  const drop = (day: Day) => (dropped: DragEvent) => {
    const dragged = droppedEvent(dropped);
    const event = events.find(({ id, allDay }) => id === dragged?.id && allDay);
    if (!dragged || !event) return;
    move(event, shifted(event, { days: daysBetween(dragged.day, day) }, zone));
  };
  return (
    <div class="week">
      <div class="week-head">
        <span />
        {days.map((day) => (
          <span key={day} class={classes("week-day", day === today && "week-today")}>
            <span class="muted">{date(day, "weekday")}</span> {date(day, "short")}
          </span>
        ))}
        <span class="muted small">{said.allDay}</span>
        {days.map((day) => (
          <div
            key={day}
            class="week-whole"
            data-day={day}
            onDragOver={(over) => over.preventDefault()}
            onDrop={drop(day)}
          >
            {found.get(day)!.filter(({ allDay }) => allDay).map((event) => (
              <Chip key={event.id} event={event} day={day} onOpen={onOpen} onMoved={onMoved} />
            ))}
          </div>
        ))}
      </div>
      <div class="week-hours" ref={box} tabIndex={0} role="group" aria-label={said.views.week}>
        <div class="week-times" aria-hidden="true">
          {HOURS.map((hour) => (
            <span key={hour}>
              {hour > 0 && date(moment(`${days[0]}T${pad(hour)}:00`, zone), "time")}
            </span>
          ))}
        </div>
        {days.map((day) => <Column key={day} {...props} column={day} />)}
      </div>
    </div>
  );
}

function pad(part: number): string {
  return String(part).padStart(2, "0");
}

function clockOf(minutes: number): string {
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Minutes after midnight where a pointer is in a column, or what it holds so many pixels below its upper edge. */
function minutesAt({ clientY, currentTarget }: MouseEvent, below: Dragged["below"] = 0): number {
  const { top, height } = (currentTarget as HTMLElement).getBoundingClientRect();
  const minutes = Math.round((clientY - below - top) / height * 1440 / STEP) * STEP;
  return Math.min(1440 - STEP, Math.max(0, minutes));
}

/** Minutes after midnight at which an event begins on a day; what has begun before is there from midnight on. */
function beginsOn(day: Day, { start }: Pick<Event, "start">, zone: string): number {
  const [first, time] = wallTime(start, zone).split("T") as [Day, string];
  if (first !== day) return 0;
  const [hours, minutes] = time.split(":").map(Number) as [number, number];
  return hours * 60 + minutes;
}

function Column(
  { column: day, zone, events, today, onOpen, onMoved, onCreate }: CalendarView & { column: Day },
) {
  const timed = events.filter(({ allDay }) => !allDay);
  const here = placed(byDay(timed, [day], zone).get(day)!, day, zone);
  const drop = (dropped: DragEvent) => {
    const dragged = droppedEvent(dropped);
    const event = events.find(({ id }) => id === dragged?.id);
    if (!dragged || !event) return;
    const days = daysBetween(dragged.day, day);
    const begins = beginsOn(dragged.day, event, zone);
    const minutes = minutesAt(dropped, dragged.below) - begins;
    move(event, shifted(event, { days, minutes }, zone));
  };
  return (
    <div
      class={classes("week-column", day === today && "week-column-today")}
      data-day={day}
      onClick={(pressed) => {
        if (pressed.target === pressed.currentTarget) onCreate?.(day, clockOf(minutesAt(pressed)));
      }}
      onDragOver={(over) => over.preventDefault()}
      onDrop={drop}
    >
      {here.map(({ event, from, to, column, columns, span }) => (
        <div
          key={event.id}
          class={classes("week-event", to - from < SHORT && "week-short")}
          style={{
            insetBlockStart: `${from / 14.4}%`,
            blockSize: `${(to - from) / 14.4}%`,
            insetInlineStart: `${100 * column / columns}%`,
            inlineSize: `${100 * span / columns}%`,
          }}
        >
          <Chip event={event} day={day} onOpen={onOpen} onMoved={onMoved} />
        </div>
      ))}
    </div>
  );
}
