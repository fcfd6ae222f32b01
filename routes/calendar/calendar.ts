// Calendar events: their owner and attendees see them, their owner changes them; who manages the calendar does both.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { personIn } from "../../http/references.ts";
import { invalid } from "../../core/errors.ts";
import { momentIn } from "../../core/time_zone.ts";
import { zoneOf } from "../../http/zone.ts";
import {
  type Event,
  eventBatch,
  eventCreation,
  eventListQuery,
  eventMove,
  events,
  eventUpdate,
  publicEvent,
  zoneQuery,
} from "../../models/calendar.ts";
import { batchOutcome, batchSummary } from "../../models/batches.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import type { Principal } from "../../services/access/access.ts";
import {
  askedPeople,
  mailInvitations,
  planAttendees,
  planEventsRemoval,
  planInvitations,
  planMoveNotices,
} from "../../services/calendar/attendees.ts";
import {
  changeableEvent,
  changeableEvents,
  movedSpanOf,
  overlapping,
  shapeEvents,
  type Span,
  spanOf,
  textSizeOf,
  visibleEvent,
} from "../../services/calendar/calendar.ts";
import { listing, pagination } from "../../http/lists.ts";
import { planReminderMoves } from "../../services/calendar/reminders.ts";
import { visibleEvents } from "../../services/access/visibility.ts";
import type { Where } from "../../storage/port.ts";
import { KIB, MIB } from "../../core/units.ts";

const tag = "Calendar";

/** An event as the caller sees it, with its version. */
export async function shownEvent(
  call: { store: Call["store"]; principal: Principal },
  event: Event,
) {
  const [data] = await shapeEvents(call.store, call.principal.user.id, [event]);
  return { data, etag: event.rev };
}

/** Events in one answer where the query has both ends: a month of a busy calendar. `limit` asks for fewer. */
const WHOLE_WINDOW = { fallback: 1000, max: 1000 };

const list = endpoint({
  operationId: "listEvents",
  method: "get",
  path: "/calendar/events",
  tag,
  summary: "List events",
  description:
    "Those you own or attend; all for who manages the calendar. By start, unless sorted otherwise. `from` and `to` " +
    "(or `start` and `end`) list what takes place between them, `to` excluded; a date alone as `to` includes that day. " +
    "With both, the answer holds all of it, up to 1000. Times without a zone are those of `tz`, by default of your own.",
  access: "calendar:view",
  query: eventListQuery,
  list: true,
  data: z.array(publicEvent),
  include: { owner: personIn("ownerId") },
  async handle(call) {
    const { where, isWindow } = await eventsAsked(call, call.query);
    const { sort = "start", ...paging } = listing<Event>(
      call.query,
      isWindow ? WHOLE_WINDOW : undefined,
    );
    const page = await call.store.from(events).list({ ...paging, sort, where });
    return {
      data: await shapeEvents(call.store, call.principal.user.id, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

/**
 * Those of what the query asks for that the caller sees, and whether it has both ends of a time.
 *
 * @throws {ApiError} VALIDATION_ERROR when that ends before it starts.
 */
export async function eventsAsked(
  { store, principal }: Pick<Call<"calendar:view">, "store" | "principal">,
  query: Pick<
    z.output<typeof eventListQuery>,
    "where" | "from" | "to" | "start" | "end" | "tz"
  >,
): Promise<{ readonly where: Where<Event>; readonly isWindow: boolean }> {
  const { start, end } = query;
  const zone = zoneOf({ query, principal });
  const [from, to] = [query.from ?? start, query.to ?? end]
    .map((text) => text === undefined ? undefined : momentIn(text, zone));
  const isWindow = from !== undefined && to !== undefined;
  if (isWindow && to < from) {
    const field = query.to === undefined ? "end" : "to";
    throw invalid(field, `the range cannot end (${to}) before it starts (${from})`);
  }
  const seen = await visibleEvents(store, principal);
  return { where: { ...overlapping({ from, to }, seen, zone), all: [query.where] }, isWindow };
}

const details = endpoint({
  operationId: "getEvent",
  method: "get",
  path: "/calendar/events/{id}",
  tag,
  summary: "Event details",
  description: "`reminders` are your own.",
  access: "calendar:view",
  data: publicEvent,
  include: { owner: personIn("ownerId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    return await shownEvent(
      call,
      await visibleEvent(call.store, call.principal, call.params.id),
    );
  },
});

const create = endpoint({
  operationId: "createEvent",
  method: "post",
  path: "/calendar/events",
  tag,
  summary: "Create an event",
  description:
    "Without an end it takes an hour, or with `allDay` the whole day; a date alone as the end means the end of that " +
    "day. Times without a zone are those of `tz`, by default of your own. Those in `attendeeIds` are invited by notification and mail.",
  access: "calendar:create",
  created: true,
  makes: "events",
  query: zoneQuery,
  body: eventCreation,
  bodyLimit: MIB,
  data: publicEvent,
  async handle(call) {
    const { user } = call.principal;
    const { title, type, description, color, location } = call.body;
    const span = spanOf(call.body, undefined, zoneOf(call));
    const people = askedPeople(call.body);
    const { id, invited } = await call.transact(async (tx) => {
      const texts = { title, ...patchOf({ description, color, location }) };
      const size = textSizeOf(texts);
      const event = tx.insert(events, { type, ...texts, ...span, size, ownerId: user.id });
      const invited = people ? await planInvitations(tx, user, event, people) : [];
      return { id: event.id, invited };
    });
    const event = await visibleEvent(call.store, call.principal, id);
    mailInvitations(call.services, user, event, invited);
    return { ...await shownEvent(call, event), message: "The event is created" };
  },
});

const update = endpoint({
  operationId: "updateEvent",
  method: "put",
  path: "/calendar/events/{id}",
  tag,
  summary: "Change an event",
  description:
    "Takes only the changed fields. `attendeeIds` names all who attend: others are taken out, new ones invited. " +
    "Attendees are told of another time or place, and so is the owner of what somebody else changes; reminders in " +
    "minutes before the start follow it.",
  access: "calendar:update",
  query: zoneQuery,
  body: eventUpdate,
  bodyLimit: MIB,
  data: publicEvent,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  handle: (call) => save(call, call.body, spanOf),
});

const reschedule = endpoint({
  operationId: "rescheduleEvent",
  method: "put",
  path: "/calendar/events/{id}/reschedule",
  tag,
  summary: "Move an event to another time",
  description:
    "With `start` alone it takes as long as before. Attendees and the owner are told of it, and reminders in minutes " +
    "before the start follow it.",
  access: "calendar:update",
  query: zoneQuery,
  body: eventMove,
  data: publicEvent,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  handle: (call) => save(call, call.body, movedSpanOf),
});

type EventChanges = z.output<typeof eventUpdate>;

/** @param spanFor When the event is to be. */
async function save(
  call: Call<"calendar:update", "{id}", z.output<typeof zoneQuery>>,
  changes: EventChanges,
  spanFor: (asked: EventChanges, before: Event, zone: string) => Span,
) {
  const { user } = call.principal;
  const { title, type, description, color, location } = changes;
  const people = askedPeople(changes);
  const zone = zoneOf(call);
  const invited = await call.transact(async (tx) => {
    const before = await changeableEvent(tx, call.principal, call.params.id);
    assertMatch(call, before.rev);
    const patch = patchOf({ title, type, description, color, location });
    const size = textSizeOf({ ...before, ...patch });
    const event = tx.update(events, before, { ...patch, ...spanFor(changes, before, zone), size });
    await planReminderMoves(tx, before, event);
    await planMoveNotices(tx, user, before, event, people?.ids);
    return people ? await planAttendees(tx, user, event, people) : [];
  });
  const event = await visibleEvent(call.store, call.principal, call.params.id);
  mailInvitations(call.services, user, event, invited);
  return { ...await shownEvent(call, event), message: "The event is saved" };
}

const remove = endpoint({
  operationId: "deleteEvent",
  method: "delete",
  path: "/calendar/events/{id}",
  tag,
  summary: "Delete an event",
  description: "With its attendees and reminders; the attendees are told.",
  access: "calendar:delete",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const event = await changeableEvent(tx, call.principal, id);
      assertMatch(call, event.rev);
      await planEventsRemoval(tx, call.principal.user, [event]);
    });
    return { data: { id }, message: "The event is deleted" };
  },
});

const batchDelete = endpoint({
  operationId: "deleteEvents",
  method: "post",
  path: "/calendar/events/batch-delete",
  tag,
  summary: "Delete many events",
  description:
    "Those the caller may delete are deleted together, with their attendees and reminders; the answer tells " +
    "of each.",
  access: "calendar:delete",
  body: eventBatch,
  bodyLimit: 64 * KIB,
  data: z.array(batchOutcome),
  async handle(call) {
    const outcomes = await call.transact(async (tx) => {
      const { chosen, outcomes } = await changeableEvents(tx, call.principal, call.body.ids);
      await planEventsRemoval(tx, call.principal.user, chosen);
      return outcomes;
    });
    return { data: outcomes, message: batchSummary(outcomes, "events", "deleted") };
  },
});

export const calendarRoutes = [list, details, create, update, reschedule, remove, batchDelete];
