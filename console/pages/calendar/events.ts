// The events of the days that are shown, and moving them: they stand where they are to be at once.
import {
  type Event,
  getEvent,
  listEvents,
  rescheduleEvent,
  versioned,
} from "../../../client/mod.ts";
import { changeShown } from "../../parts/change_shown.ts";
import type { Versioned } from "../../parts/conflict.tsx";
import { spanOf } from "../../state/calendar_days.ts";
import { date, timeZone } from "../../state/format.ts";
import { queries, refresh } from "../../state/query.ts";
import { dismiss, type Toast, toast, toasts } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

type Action = NonNullable<Toast["action"]>;

/** As many as the API lists at once. */
const MOST = 100;
/** Pages that are read at most: more would not be seen in what is drawn. */
const PAGES = 10;

/** Where events are on their way to, by id: keys are faster than the server. */
const underway = new Map<string, { to: string; readonly done: Promise<void> }>();
/** Moves that have begun so far. */
let moves = 0;

interface Span {
  readonly from: string;
  readonly to: string;
}

/** All that take place between two moments; what is on its way stands where it is to be. */
export async function readEvents(span: Span, signal: AbortSignal): Promise<readonly Event[]> {
  for (;;) {
    await Promise.all([...underway.values()].map(({ done }) => done));
    const before = moves;
    const found = await listAll(span, signal);
    if (before === moves) return found;
  }
}

async function listAll(span: Span, signal: AbortSignal): Promise<readonly Event[]> {
  const found: Event[] = [];
  for (let page = 1; page <= PAGES; page++) {
    const query = { ...span, tz: timeZone.peek(), page, limit: MOST, sort: "start" };
    const { data, pagination } = await listEvents({ query, signal });
    found.push(...data);
    if (page >= pagination.totalPages) break;
  }
  return found;
}

export async function readEvent(id: string, signal?: AbortSignal): Promise<Versioned<Event>> {
  const answer = getEvent({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Event, etag };
}

/** Where an event begins, or is to begin as soon as the server knows. */
export function startOf({ id, start }: Pick<Event, "id" | "start">): string {
  return underway.get(id)?.to ?? start;
}

function at(event: Event, start: string): Event {
  const by = Date.parse(start) - Date.parse(event.start);
  return { ...event, start, end: new Date(Date.parse(event.end) + by).toISOString() };
}

/** Moves an event as a whole to another start; the message offers to move it back. */
export function move(event: Event, to: string): void {
  const { id } = event;
  if (to === startOf(event)) return;
  moves++;
  show(id, to);
  const moving = underway.get(id);
  if (moving) {
    // What is on its way already sends this as well.
    moving.to = to;
    return;
  }
  const { promise: done, resolve } = Promise.withResolvers<void>();
  underway.set(id, { to, done });
  void send(event).finally(() => {
    underway.delete(id);
    resolve();
    refresh("events");
  });
}

async function send(event: Event): Promise<void> {
  const { id, start } = event;
  try {
    for (let before = start; before !== startOf(event);) {
      const next = startOf(event);
      const moved = await changeShown({
        read: () => readEvent(id),
        isAsShown: (now) => Date.parse(now.start) === Date.parse(before),
        valueOf: whenOf,
        save: (etag) =>
          rescheduleEvent({ path: { id }, body: { start: next }, headers: { "If-Match": etag } }),
      });
      if (!moved) return;
      before = next;
    }
    tell(at(event, startOf(event)), start);
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
  }
}

/** The last message of a move, which may still be shown. */
let told: { readonly id: string; readonly first: string; readonly action: Action } | null = null;

/** Offers to move it back: what was moved step by step, to where it began. */
function tell(event: Event, before: string): void {
  const said = texts();
  const { id } = event;
  const last = toasts.peek().find(({ action }) => action && action === told?.action);
  const first = last && told?.id === id ? told.first : before;
  if (last) dismiss(last.id);
  const action = { label: said.undo, run: () => move(event, first) };
  told = { id, first, action };
  toast({ text: said.moved(whenOf(event)), action });
}

/** The start, for people. */
function whenOf(event: Event): string {
  return event.allDay ? date(spanOf(event, "UTC")[0]) : date(event.start, "dateTime");
}

/** Draws it where it is to be. */
function show(id: string, start: string): void {
  queries.setQueriesData<unknown>(
    { queryKey: ["events"] },
    (shown: unknown) =>
      Array.isArray(shown)
        ? shown.map((one: Event) => one.id === id ? at(one, start) : one)
        : shown,
  );
}
