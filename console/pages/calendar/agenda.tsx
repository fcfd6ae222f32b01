// The events one after the other, by day; those that one may delete can be chosen, and deleted together.
import type { Event } from "../../../client/mod.ts";
import { BulkBar } from "../../parts/bulk_bar.tsx";
import { Empty } from "../../parts/empty.tsx";
import { extent } from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import type { RowChoice } from "../../parts/use_row_choice.ts";
import { byDay, type Day } from "../../state/calendar_days.ts";
import { date, number, timeRange } from "../../state/format.ts";
import { mayDelete } from "./rights.ts";
import { texts } from "./texts.ts";
import { useDeletion } from "./use_deletion.ts";
import type { CalendarView } from "./view.ts";

export function Agenda({ days, zone, events, onOpen }: CalendarView) {
  const said = texts();
  const found = [...byDay(events, days, zone)].filter(([, here]) => here.length > 0);
  const deletion = useDeletion(found.flatMap(([, here]) => here));
  const { order, choice, chosen, dialogs } = deletion;
  if (found.length === 0) {
    return (
      <>
        <Empty icon="calendar" title={said.none} text={said.noneText} />
        {dialogs}
      </>
    );
  }
  return (
    <div class="agenda" ref={deletion.box}>
      {order.length > 1 && <ChooseAll order={order} choice={choice} />}
      {found.map(([day, here]) => (
        <AgendaDay key={day} day={day} events={here} choice={choice} onOpen={onOpen} />
      ))}
      {chosen.length > 0 && (
        <BulkBar
          text={common().table.selected(number(chosen.length))}
          actions={[{ label: said.delete, icon: "trash", danger: true, run: deletion.remove }]}
          onClear={choice.clear}
        />
      )}
      {dialogs}
    </div>
  );
}

function ChooseAll({ order, choice }: {
  readonly order: readonly string[];
  readonly choice: RowChoice;
}) {
  const all = extent(choice.chosen, order);
  return (
    <label class="agenda-all muted">
      <span class="check-target">
        <input
          type="checkbox"
          class="check"
          checked={all === "all"}
          indeterminate={all === "some"}
          onChange={choice.toggleAll}
        />
      </span>
      {texts().chooseAll}
    </label>
  );
}

function AgendaDay({ day, events, choice, onOpen }: {
  readonly day: Day;
  readonly events: readonly Event[];
  readonly choice: RowChoice;
  readonly onOpen: (event: Event) => void;
}) {
  return (
    <section class="agenda-day" data-day={day}>
      <h3>
        <span class="muted">{date(day, "weekday")}</span> {date(day, "date")}
      </h3>
      <ul>
        {events.map((event) => (
          <li key={event.id} class="agenda-row">
            <span class="check-target">
              {mayDelete(event) && (
                <input
                  type="checkbox"
                  class="check"
                  aria-label={common().table.select(event.title)}
                  checked={choice.chosen.has(event.id)}
                  onClick={({ shiftKey }) => choice.choose(event.id, shiftKey)}
                />
              )}
            </span>
            <AgendaEvent
              event={event}
              onOpen={onOpen}
              onChoose={mayDelete(event) ? (range) => choice.choose(event.id, range) : undefined}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function AgendaEvent({ event, onOpen, onChoose }: {
  readonly event: Event;
  readonly onOpen: (event: Event) => void;
  /** Absent where it cannot be chosen. */
  readonly onChoose?: (range: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="agenda-event"
      data-event={event.id}
      aria-keyshortcuts={onChoose ? "x" : undefined}
      onClick={() => onOpen(event)}
      onKeyDown={(press) => {
        if (press.key.toLowerCase() !== "x" || press.ctrlKey || press.metaKey || press.altKey) {
          return;
        }
        onChoose?.(press.shiftKey);
      }}
    >
      <span class={`event-dot event-${event.type}`} aria-hidden="true" />
      <span class="agenda-time muted number">
        {event.allDay ? texts().allDay : timeRange(event.start, event.end)}
      </span>
      <span class="cut strong">{event.title}</span>
      <span class="cut muted">{event.location}</span>
    </button>
  );
}
