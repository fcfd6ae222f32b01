// The events one after the other, by day.
import { Empty } from "../../parts/empty.tsx";
import { byDay } from "../../state/calendar_days.ts";
import { date } from "../../state/format.ts";
import { texts } from "./texts.ts";
import type { CalendarView } from "./view.ts";

export function Agenda({ days, zone, events, onOpen }: CalendarView) {
  const said = texts();
  const found = [...byDay(events, days, zone)].filter(([, here]) => here.length > 0);
  if (found.length === 0) return <Empty icon="calendar" title={said.none} text={said.noneText} />;
  return (
    <div class="agenda">
      {found.map(([day, here]) => (
        <section key={day} class="agenda-day" data-day={day}>
          <h3>
            <span class="muted">{date(day, "weekday")}</span> {date(day, "date")}
          </h3>
          <ul>
            {here.map((event) => (
              <li key={event.id}>
                <button
                  type="button"
                  class="agenda-event"
                  data-event={event.id}
                  onClick={() => onOpen(event)}
                >
                  <span class={`event-dot event-${event.type}`} aria-hidden="true" />
                  <span class="agenda-time muted number">
                    {event.allDay
                      ? said.allDay
                      : `${date(event.start, "time")} – ${date(event.end, "time")}`}
                  </span>
                  <span class="cut strong">{event.title}</span>
                  <span class="cut muted">{event.location}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
