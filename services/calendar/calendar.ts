// Events: who sees and changes one, when it is, and how it looks to the caller.
import { forbidden, invalid, notFound } from "../errors.ts";
import {
  type Attendee,
  attendees,
  type Event,
  events,
  type PublicEvent,
  reminders,
} from "../models/calendar.ts";
import type { Store, Where } from "../store.ts";
import { manages, type Principal } from "./access.ts";
import { everyMatch } from "./cascades.ts";
import { personsById } from "./persons.ts";

type Source = Pick<Store, "from">;

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/**
 * The event, for those who see it: its owner, its attendees, and who manages the calendar.
 *
 * @throws {ApiError} NOT_FOUND for everyone else.
 */
export async function visibleEvent(
  source: Source,
  principal: Principal,
  id: string,
): Promise<Event> {
  const event = await source.from(events).get(id);
  if (!event) throw notFound("event");
  if (mayChange(principal, event)) return event;
  const attendee = await source.from(attendees).findBy("attendee", id, principal.user.id);
  if (!attendee) throw notFound("event");
  return event;
}

export function mayChange(principal: Principal, event: Event): boolean {
  return event.ownerId === principal.user.id || manages(principal, "calendar");
}

/** @throws {ApiError} NOT_FOUND for who does not see it, FORBIDDEN for attendees. */
export async function changeableEvent(
  source: Source,
  principal: Principal,
  id: string,
): Promise<Event> {
  const event = await visibleEvent(source, principal, id);
  if (!mayChange(principal, event)) throw forbidden("Only its owner changes an event");
  return event;
}

/** When an event is; ISO 8601. */
export type Span = Pick<Event, "start" | "end" | "allDay">;

/** What a request says of it. */
export interface AskedSpan extends Partial<Span> {
  readonly startAt?: string;
  readonly endAt?: string;
}

/**
 * When an event is to be. Without an end it takes an hour, or the whole day; a whole day that ends as it starts ends
 * with that day.
 *
 * @throws {ApiError} VALIDATION_ERROR when it ends before it starts.
 */
export function spanOf(asked: AskedSpan, before?: Event): Span {
  const start = asked.start ?? asked.startAt ?? before?.start;
  if (start === undefined) throw invalid("start", "is required");
  const allDay = asked.allDay ?? before?.allDay ?? false;
  const wholeDay = later(start, DAY - 1);
  const end = asked.end ?? asked.endAt ?? before?.end ?? (allDay ? wholeDay : later(start, HOUR));
  if (end < start) {
    const field = asked.end ?? asked.endAt ? "end" : "start";
    throw invalid(field, `the event cannot end (${end}) before it starts (${start})`);
  }
  return { start, end: allDay && end === start ? wholeDay : end, allDay };
}

/**
 * So many milliseconds later, within the years that ISO 8601 writes with four digits.
 *
 * @param milliseconds Negative: earlier.
 */
export function later(iso: string, milliseconds: number): string {
  const first = Date.parse("0000-01-01T00:00:00.000Z");
  const last = Date.parse("9999-12-31T23:59:59.999Z");
  const moved = Date.parse(iso) + milliseconds;
  return new Date(Math.min(Math.max(moved, first), last)).toISOString();
}

/**
 * Of the events that `seen` lists, those that take place between `from` and, not including, `to`. An event takes its
 * time from its start up to, not including, its end; one without duration takes its moment.
 */
export function overlapping(
  { from, to }: { readonly from?: string; readonly to?: string },
  seen: Where<Event> = {},
): Where<Event> {
  const starts = to === undefined ? {} : { start: { lt: to } };
  if (from === undefined) return { ...seen, ...starts };
  return { ...starts, any: [{ ...seen, end: { gt: from } }, { ...seen, start: { gte: from } }] };
}

/** Events that the user owns, or attends and has not declined. */
export async function plannedEvents(source: Source, userId: string): Promise<Where<Event>> {
  const status = ["pending", "accepted", "tentative"];
  const attended = await everyMatch(source, attendees, { userId, status });
  return { any: [{ ownerId: userId }, { id: attended.map((attendee) => attendee.eventId) }] };
}

/** Events as the user sees them: with everyone who attends, and the user's own reminders. */
export async function shapeEvents(
  source: Source,
  userId: string,
  shown: readonly Event[],
): Promise<PublicEvent[]> {
  if (shown.length === 0) return [];
  const eventId = shown.map(({ id }) => id);
  const attending = await everyMatch(source, attendees, { eventId });
  const own = await everyMatch(source, reminders, { eventId, userId });
  const persons = await personsById(source, attending.map((attendee) => attendee.userId));
  const attendeesOf = Map.groupBy(attending, (attendee) => attendee.eventId);
  const remindersOf = Map.groupBy(own, (reminder) => reminder.eventId);
  const shape = ({ userId, status }: Attendee) => {
    const person = persons.get(userId);
    return person ? [{ ...person, status }] : [];
  };
  return shown.map((event) => ({
    ...event,
    // Newest first is how they are found; those invited first are named first.
    attendees: (attendeesOf.get(event.id) ?? []).toReversed().flatMap(shape),
    reminders: (remindersOf.get(event.id) ?? []).toReversed(),
  }));
}
