// Events: who sees and changes one, when it is, and how it looks to the caller.
import { forbidden, invalid, notFound } from "../../core/errors.ts";
import { utf8Length } from "../../core/text.ts";
import { clockIn, momentIn, UTC, withinYears } from "../../core/time_zone.ts";
import {
  type Attendee,
  attendees,
  type Event,
  events,
  type PublicEvent,
  reminders,
} from "../../models/calendar.ts";
import type { BatchOutcome } from "../../models/batches.ts";
import type { Store, Where } from "../../storage/port.ts";
import { manages, type Principal } from "../access/access.ts";
import { personsById } from "../access/persons.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { DAY, HOUR } from "../../core/units.ts";

type Source = Pick<Store, "from">;

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
  const found = await eventOf(source, principal, id);
  if (!found) throw notFound("event");
  return found.event;
}

/** The event, and whether the caller changes it; null for who does not see it. */
export async function eventOf(
  source: Source,
  principal: Principal,
  id: string,
): Promise<{ readonly event: Event; readonly changes: boolean } | null> {
  const event = await source.from(events).get(id);
  if (!event) return null;
  if (mayChange(principal, event)) return { event, changes: true };
  const attendee = await source.from(attendees).findBy("attendee", id, principal.user.id);
  return attendee && { event, changes: false };
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

/** Those of a batch that the caller may change, and what is told of each. */
export async function changeableEvents(
  source: Source,
  principal: Principal,
  ids: readonly string[],
): Promise<{ readonly chosen: readonly Event[]; readonly outcomes: BatchOutcome[] }> {
  const asked = [...new Set(ids)];
  const found = await source.from(events).getMany(asked);
  const present = found.filter((event) => event !== null);
  const chosen = present.filter((event) => mayChange(principal, event));
  const foreign = present.filter((event) => !mayChange(principal, event)).map(({ id }) => id);
  const where = { eventId: foreign, userId: principal.user.id };
  const attending = foreign.length === 0 ? [] : await everyMatch(source, attendees, where);
  const seen = new Set(attending.map(({ eventId }) => eventId));
  const may = new Set(chosen.map(({ id }) => id));
  const outcomes = asked.map((id): BatchOutcome => {
    if (may.has(id)) return { id, status: "deleted" };
    return { id, status: seen.has(id) ? "forbidden" : "not_found" };
  });
  return { chosen, outcomes };
}

/** Bytes of the texts of an event. */
export function textSizeOf(event: Partial<Event>): number {
  const { title, description, location, color } = event;
  return utf8Length([title, description, location, color].join(""));
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
 * @param zone Of times of day that are given without one. IANA name.
 * @throws {ApiError} VALIDATION_ERROR when it ends before it starts.
 */
export function spanOf(asked: AskedSpan, before?: Span, zone = UTC): Span {
  const allDay = asked.allDay ?? before?.allDay ?? false;
  const kept = before && before.allDay !== allDay ? sameOnClocks(before, zone) : before;
  // A whole day is the same date everywhere.
  const at = (text: string | undefined) =>
    text === undefined ? undefined : momentIn(text, allDay ? UTC : zone);
  const start = at(asked.start ?? asked.startAt) ?? kept?.start;
  if (start === undefined) throw invalid("start", "is required");
  const wholeDay = later(start, DAY - 1);
  const end = at(asked.end ?? asked.endAt) ?? kept?.end ??
    (allDay ? wholeDay : later(start, HOUR));
  if (end < start) {
    const field = asked.end ?? asked.endAt ? "end" : "start";
    throw invalid(field, `the event cannot end (${end}) before it starts (${start})`);
  }
  return { start, end: allDay && end === start ? wholeDay : end, allDay };
}

/** When an event is that becomes one of the whole day, or is none any more: clocks in the zone go on to show the same. */
function sameOnClocks({ start, end, allDay }: Span, zone: string): Pick<Span, "start" | "end"> {
  const turned = (at: string) => allDay ? momentIn(at.replace("Z", ""), zone) : clockIn(at, zone);
  return { start: turned(start), end: turned(end) };
}

/**
 * The moment that an event starts for someone: a whole day begins with midnight where they are.
 *
 * @param zone Where they are. IANA name.
 */
export function startFor({ start, allDay }: Pick<Span, "start" | "allDay">, zone = UTC): string {
  return allDay ? momentIn(start.replace("Z", ""), zone) : start;
}

/** `spanOf` an event that is moved: without an end it takes as long as before. */
export function movedSpanOf(asked: AskedSpan, before: Event, zone = UTC): Span {
  const start = asked.start ?? asked.startAt;
  if (start === undefined || (asked.end ?? asked.endAt ?? asked.allDay) !== undefined) {
    return spanOf(asked, before, zone);
  }
  const from = momentIn(start, before.allDay ? UTC : zone);
  const end = later(from, Date.parse(before.end) - Date.parse(before.start));
  return spanOf({ start: from, end }, before, zone);
}

/**
 * The moment so many milliseconds later, kept within the years 0001 to 9999.
 *
 * @param milliseconds Negative: earlier.
 */
export function later(iso: string, milliseconds: number): string {
  return withinYears(Date.parse(iso) + milliseconds);
}

/** ISO 8601, UTC. */
interface Window {
  readonly from?: string;
  readonly to?: string;
}

/**
 * Of the events that `seen` lists, those that take place between `from` and, not including, `to`. An event takes its
 * time from its start up to, not including, its end; one without duration takes its moment.
 *
 * @param zone The time zone in which whole-day events take place. IANA name.
 */
export function overlapping(window: Window, seen: Where<Event> = {}, zone = UTC): Where<Event> {
  const { from, to } = window;
  if (zone !== UTC && (from !== undefined || to !== undefined)) {
    // A whole-day event has the same date everywhere: it is compared with what clocks in the zone show.
    const shown = {
      from: from === undefined ? undefined : clockIn(from, zone),
      to: to === undefined ? undefined : clockIn(to, zone),
    };
    return {
      any: [
        { allDay: false, all: [overlapping(window, seen)] },
        { allDay: true, all: [overlapping(shown, seen)] },
      ],
    };
  }
  const starts = to === undefined ? {} : { start: { lt: to } };
  if (from === undefined) return { ...seen, ...starts };
  const any = [{ ...seen, end: { gt: from } }, { ...seen, start: { gte: from } }];
  // Both imply it, and an index needs one condition.
  return { ...starts, end: { gte: from }, any };
}

/**
 * The events that start from one moment to another, that included.
 *
 * @param zone The time zone in which whole-day events take place. IANA name.
 */
export function startingWithin(from: string, to: string, zone = UTC): Where<Event> {
  const start = { gte: from, lte: to };
  if (zone === UTC) return { start };
  const shown = { gte: clockIn(from, zone), lte: clockIn(to, zone) };
  return { any: [{ allDay: false, start }, { allDay: true, start: shown }] };
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
    // They are found newest first, but those who were invited first are to be named first.
    attendees: (attendeesOf.get(event.id) ?? []).toReversed().flatMap(shape),
    reminders: (remindersOf.get(event.id) ?? []).toReversed(),
  }));
}
