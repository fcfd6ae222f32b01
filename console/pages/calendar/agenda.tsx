// The events one after the other, by day; those that one may delete can be chosen, and deleted together.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { deleteEvents, type Event } from "../../../client/mod.ts";
import { BulkBar } from "../../parts/bulk_bar.tsx";
import { Empty } from "../../parts/empty.tsx";
import {
  extent,
  NOTHING,
  type Selection,
  toggle,
  toggleAll,
  toggleRange,
} from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import { useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { together } from "../../state/batches.ts";
import { byDay } from "../../state/calendar_days.ts";
import { date, number, timeRange } from "../../state/format.ts";
import { mayDelete } from "./rights.ts";
import { texts } from "./texts.ts";
import type { CalendarView } from "./view.ts";

const deleting = together("deleted", (ids) => deleteEvents({ body: { ids } }));

export function Agenda({ days, zone, events, onOpen }: CalendarView) {
  const said = texts();
  const table = common().table;
  const selection = useSignal<Selection>(NOTHING);
  /** The one that was chosen last: a range with Shift begins there. */
  const anchor = useRef<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const nameOf = (id: string) => events.find((event) => event.id === id)?.title;
  const { carryOut, dialogs } = useBulkDeeds(selection, nameOf);

  const found = [...byDay(events, days, zone)].filter(([, here]) => here.length > 0);
  // An event of several days stands at each of them, and is chosen once.
  const shown = found.flatMap(([, here]) => here).filter(mayDelete).map(({ id }) => id);
  const order = [...new Set(shown)];
  // What is not shown any more is not deleted either.
  const chosen = order.filter((id) => selection.value.has(id));
  const choose = (id: string, range: boolean) => {
    selection.value = range
      ? toggleRange(selection.value, order, anchor.current, id)
      : toggle(selection.value, id);
    anchor.current = id;
  };
  const remove = async () => {
    const all = found.flatMap(([, here]) => here).map(({ id }) => id);
    const next = all.slice(all.lastIndexOf(chosen.at(-1)!)).find((id) => !chosen.includes(id));
    await carryOut({
      bulk: deleting,
      question: {
        title: said.deleteMany(chosen.length),
        text: said.deleteText,
        action: said.delete,
        danger: true,
      },
      told: said.deletedMany,
      touches: ["events"],
    }, chosen);
    // The button that had the focus is gone. Where nothing follows, the calendar finds a place once the last one is gone.
    if (document.activeElement !== document.body) return;
    const place = next ?? chosen.at(-1)!;
    box.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(place)}"]`)?.focus();
  };

  if (found.length === 0) {
    return (
      <>
        <Empty icon="calendar" title={said.none} text={said.noneText} />
        {dialogs}
      </>
    );
  }
  return (
    <div class="agenda" ref={box}>
      {order.length > 1 && (
        <label class="agenda-all muted">
          <span class="check-target">
            <input
              type="checkbox"
              class="check"
              checked={extent(selection.value, order) === "all"}
              indeterminate={extent(selection.value, order) === "some"}
              onChange={() => selection.value = toggleAll(selection.value, order)}
            />
          </span>
          {said.chooseAll}
        </label>
      )}
      {found.map(([day, here]) => (
        <section key={day} class="agenda-day" data-day={day}>
          <h3>
            <span class="muted">{date(day, "weekday")}</span> {date(day, "date")}
          </h3>
          <ul>
            {here.map((event) => (
              <li key={event.id} class="agenda-row">
                <span class="check-target">
                  {mayDelete(event) && (
                    <input
                      type="checkbox"
                      class="check"
                      aria-label={table.select(event.title)}
                      checked={selection.value.has(event.id)}
                      onClick={({ shiftKey }) => choose(event.id, shiftKey)}
                    />
                  )}
                </span>
                <AgendaEvent
                  event={event}
                  onOpen={onOpen}
                  onChoose={mayDelete(event) ? (range) => choose(event.id, range) : undefined}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {chosen.length > 0 && (
        <BulkBar
          text={table.selected(number(chosen.length))}
          actions={[{ label: said.delete, icon: "trash", danger: true, run: remove }]}
          onClear={() => selection.value = NOTHING}
        />
      )}
      {dialogs}
    </div>
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
