// Calendar events: seen by their owner and attendees, changed by their owner, and both by who manages the calendar.
import { z } from "zod";
import { assertMatch } from "../conditional.ts";
import { type Call, endpoint } from "../endpoint.ts";
import { invalid } from "../errors.ts";
import {
  type Event,
  eventCreation,
  eventListQuery,
  events,
  eventUpdate,
  publicEvent,
} from "../models/calendar.ts";
import { deleted, patchOf } from "../models/requests.ts";
import type { Principal } from "../services/access.ts";
import {
  askedPeople,
  mailInvitations,
  planAttendees,
  planEventRemoval,
  planInvitations,
  planMoveNotices,
} from "../services/attendees.ts";
import {
  changeableEvent,
  overlapping,
  shapeEvents,
  spanOf,
  visibleEvent,
} from "../services/calendar.ts";
import { listing, pagination } from "../services/lists.ts";
import { planReminderMoves } from "../services/reminders.ts";
import { visibleEvents } from "../services/visibility.ts";

const tag = "Calendar";

/** An event as the caller sees it, with its version. */
export async function shownEvent(
  call: { store: Call["store"]; principal: Principal },
  event: Event,
) {
  const [data] = await shapeEvents(call.store, call.principal.user.id, [event]);
  return { data, etag: event.rev };
}

const list = endpoint({
  method: "get",
  path: "/calendar/events",
  tag,
  summary: "List events",
  description:
    "Those you own or attend; all for who manages the calendar. By start, unless sorted otherwise. `from` and `to` " +
    "(or `start` and `end`) list what takes place between them, `to` excluded; a date alone as `to` includes that day.",
  access: "calendar:view",
  query: eventListQuery,
  list: true,
  data: z.array(publicEvent),
  async handle(call) {
    const { type, from = call.query.start, to = call.query.end } = call.query;
    if (from !== undefined && to !== undefined && to < from) {
      throw invalid("to", `the range cannot end (${to}) before it starts (${from})`);
    }
    const { sort = "start", ...paging } = listing<Event>(call.query);
    const seen = { ...await visibleEvents(call.store, call.principal), type };
    const where = overlapping({ from, to }, seen);
    const page = await call.store.from(events).list({ ...paging, sort, where });
    return {
      data: await shapeEvents(call.store, call.principal.user.id, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

const details = endpoint({
  method: "get",
  path: "/calendar/events/{id}",
  tag,
  summary: "Event details",
  description: "`reminders` are your own.",
  access: "calendar:view",
  data: publicEvent,
  errors: ["NOT_FOUND"],
  async handle(call) {
    return await shownEvent(
      call,
      await visibleEvent(call.store, call.principal, call.params.id),
    );
  },
});

const create = endpoint({
  method: "post",
  path: "/calendar/events",
  tag,
  summary: "Create an event",
  description:
    "Without an end it takes an hour, or with `allDay` the whole day; a date alone as the end means the end of that " +
    "day. Those in `attendeeIds` are invited by notification and mail.",
  access: "calendar:create",
  created: true,
  body: eventCreation,
  data: publicEvent,
  async handle(call) {
    const { user } = call.principal;
    const { title, type, description, color, location } = call.body;
    const span = spanOf(call.body);
    const people = askedPeople(call.body);
    const { id, invited } = await call.transact(async (tx) => {
      const fields = patchOf({ description, color, location });
      const event = tx.insert(events, { title, type, ...fields, ...span, ownerId: user.id });
      const invited = people ? await planInvitations(tx, user, event, people) : [];
      return { id: event.id, invited };
    });
    const event = await visibleEvent(call.store, call.principal, id);
    mailInvitations(call.services.mailer, user, event, invited);
    return { ...await shownEvent(call, event), message: "The event is created" };
  },
});

const update = endpoint({
  method: "put",
  path: "/calendar/events/{id}",
  tag,
  summary: "Change an event",
  description:
    "Takes only the changed fields. `attendeeIds` names all who attend: others are taken out, new ones invited. " +
    "Attendees are told of another time or place, and reminders in minutes before the start follow it.",
  access: "calendar:update",
  body: eventUpdate,
  data: publicEvent,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { user } = call.principal;
    const { title, type, description, color, location } = call.body;
    const people = askedPeople(call.body);
    const invited = await call.transact(async (tx) => {
      const before = await changeableEvent(tx, call.principal, call.params.id);
      assertMatch(call, before.rev);
      const patch = patchOf({ title, type, description, color, location });
      const event = tx.update(events, before, { ...patch, ...spanOf(call.body, before) });
      await planReminderMoves(tx, before, event);
      await planMoveNotices(tx, user, before, event, people?.ids);
      return people ? await planAttendees(tx, user, event, people) : [];
    });
    const event = await visibleEvent(call.store, call.principal, call.params.id);
    mailInvitations(call.services.mailer, user, event, invited);
    return { ...await shownEvent(call, event), message: "The event is saved" };
  },
});

const remove = endpoint({
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
      await planEventRemoval(tx, call.principal.user, event);
    });
    return { data: { id }, message: "The event is deleted" };
  },
});

export const calendarRoutes = [list, details, create, update, remove];
