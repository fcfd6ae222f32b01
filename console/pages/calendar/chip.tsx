// An event as it stands in the month and the week; moved by dragging, or by arrow keys with Alt.
import type { Event } from "../../../client/mod.ts";
import { classes } from "../../parts/classes.ts";
import { type Day, dayIn } from "../../state/calendar_days.ts";
import { shifted, shiftOf } from "../../state/calendar_moves.ts";
import { date, timeZone } from "../../state/format.ts";
import { move, startOf } from "./events.ts";
import { mayChange } from "./rights.ts";
import { texts } from "./texts.ts";

const TYPE = "application/x-quarterdeck-event";

/** What is dragged: an event, held on one of its days, so many pixels below its upper edge. */
export interface Dragged {
  readonly id: string;
  readonly day: Day;
  readonly below: number;
}

/** What was dropped; null where it is no event. */
export function droppedEvent(dropped: DragEvent): Dragged | null {
  dropped.preventDefault();
  return JSON.parse(dropped.dataTransfer?.getData(TYPE) || "null");
}

export function Chip(
  { event, day, onOpen, onMoved }: {
    readonly event: Event;
    /** The one that it is shown on. */
    readonly day: Day;
    readonly onOpen: (event: Event) => void;
    /** Told by keys the day that it begins on from now on. */
    readonly onMoved: (day: Day) => void;
  },
) {
  const said = texts();
  const { id, title, type, start, allDay } = event;
  const movable = mayChange(event);
  return (
    <button
      type="button"
      class={classes("event", `event-${type}`, allDay && "event-whole")}
      data-event={id}
      title={`${title}${movable ? `. ${said.keys}` : ""}`}
      aria-keyshortcuts={movable ? MOVING : undefined}
      draggable={movable}
      onDragStart={({ dataTransfer, clientY, currentTarget }) => {
        const below = clientY - currentTarget.getBoundingClientRect().top;
        dataTransfer?.setData(TYPE, JSON.stringify({ id, day, below } satisfies Dragged));
      }}
      onClick={(pressed) => {
        pressed.stopPropagation();
        onOpen(event);
      }}
      onKeyDown={(pressed) => {
        const rtl = getComputedStyle(pressed.currentTarget).direction === "rtl";
        const by = movable && pressed.altKey ? shiftOf(pressed.key, allDay, rtl) : null;
        if (!by) return;
        pressed.preventDefault();
        const to = shifted({ start: startOf(event), allDay }, by, timeZone.peek());
        onMoved(dayIn(allDay ? "UTC" : timeZone.peek(), to));
        move(event, to);
      }}
    >
      {!allDay && dayIn(timeZone.value, start) === day && (
        <span class="event-time">{date(start, "time")}</span>
      )}
      <span class="cut">{title}</span>
    </button>
  );
}

const MOVING = "Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown";
