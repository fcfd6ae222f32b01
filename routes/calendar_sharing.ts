// The calendar of variant full, beyond events: attendees, reminders, and what comes next.
import { z } from "zod";
import { assertMatch } from "../conditional.ts";
import { endpoint } from "../endpoint.ts";
import { forbidden, notFound } from "../errors.ts";
import {
  attendance,
  attendees,
  type Event,
  events,
  publicEvent,
  publicReminder,
  reminderCreation,
  reminderQuery,
  reminders,
  upcomingQuery,
} from "../models/calendar.ts";
import { deleted } from "../models/requests.ts";
import { mailInvitations, planAttendance, planLeaving } from "../services/attendees.ts";
import {
  later,
  mayChange,
  plannedEvents,
  shapeEvents,
  visibleEvent,
} from "../services/calendar.ts";
import { everyMatch } from "../services/cascades.ts";
import { listing, pagination } from "../services/lists.ts";
import { planReminder } from "../services/reminders.ts";
import { shownEvent } from "./calendar.ts";

const tag = "Calendar";
const DAY = 24 * 60 * 60 * 1000;

const upcoming = endpoint({
  method: "get",
  path: "/calendar/events/upcoming",
  tag,
  summary: "Upcoming events",
  description:
    "Those you own, or attend and have not declined, that start within `days` (7), soonest first.",
  access: "calendar:view",
  query: upcomingQuery,
  list: true,
  data: z.array(publicEvent),
  async handle(call) {
    const { type, days } = call.query;
    const userId = call.principal.user.id;
    const now = call.services.clock().toISOString();
    const { sort = "start", ...paging } = listing<Event>(call.query);
    const start = { gte: now, lte: later(now, days * DAY) };
    const where = { ...await plannedEvents(call.store, userId), start, type };
    const page = await call.store.from(events).list({ ...paging, sort, where });
    return {
      data: await shapeEvents(call.store, userId, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

const attend = endpoint({
  method: "post",
  path: "/calendar/events/{id}/attendees",
  tag,
  summary: "Invite attendees, or answer an invitation",
  description:
    "The owner invites (`userId`, `attendeeIds` or `attendees`): each starts as pending, and is told by notification " +
    "and mail. An attendee answers with their own `userId` and a `status`.",
  access: "calendar:update",
  created: true,
  body: attendance,
  data: publicEvent,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    const invited = await call.transact(async (tx) => {
      const event = await visibleEvent(tx, call.principal, id);
      assertMatch(call, event.rev);
      return await planAttendance(tx, call.principal, event, call.body);
    });
    const event = await visibleEvent(call.store, call.principal, id);
    mailInvitations(call.services.mailer, call.principal.user, event, invited);
    return { ...await shownEvent(call, event), message: "The attendees are saved" };
  },
});

const leave = endpoint({
  method: "delete",
  path: "/calendar/events/{id}/attendees/{userId}",
  tag,
  summary: "Remove an attendee",
  description: "The owner removes anyone, an attendee themselves. Their reminders go too.",
  access: "calendar:update",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, userId } = call.params;
    const { user } = call.principal;
    await call.transact(async (tx) => {
      const event = await visibleEvent(tx, call.principal, id);
      assertMatch(call, event.rev);
      if (userId !== user.id && !mayChange(call.principal, event)) {
        throw forbidden("Only its owner takes others out of an event");
      }
      const attendee = await tx.from(attendees).findBy("attendee", id, userId);
      if (!attendee) throw notFound("attendee");
      await planLeaving(tx, user, event, attendee);
      tx.update(events, event, {});
    });
    return { data: { id: userId }, message: "The attendee is removed" };
  },
});

const remind = endpoint({
  method: "post",
  path: "/calendar/events/{id}/reminder",
  tag,
  summary: "Set a reminder for oneself",
  description:
    "At `remindAt`, or `minutesBefore` the start: then it follows the event when that moves. `method` is " +
    "`notification` or `email` (which notifies too). One per method: setting it again replaces it. The notification " +
    "is sure; the mail is sent once at most, and lost if the server dies just then.",
  access: "calendar:update",
  created: true,
  body: reminderCreation,
  data: publicReminder,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const data = await call.transact(async (tx) => {
      const event = await visibleEvent(tx, call.principal, call.params.id);
      return await planReminder(tx, call.principal.user.id, event, call.body);
    });
    return { data, message: "The reminder is set" };
  },
});

const unremind = endpoint({
  method: "delete",
  path: "/calendar/events/{id}/reminder",
  tag,
  summary: "Remove one's reminders",
  description: "All of your own for the event, or that of one `method`.",
  access: "calendar:update",
  query: reminderQuery,
  data: deleted,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const event = await visibleEvent(tx, call.principal, id);
      const where = { eventId: id, userId: call.principal.user.id };
      const own = await everyMatch(tx, reminders, where);
      const { method } = call.query;
      const removed = own.filter((reminder) => (method ?? reminder.method) === reminder.method);
      if (removed.length === 0) throw notFound("reminder");
      for (const reminder of removed) tx.remove(reminders, reminder);
      tx.update(events, event, {});
    });
    return { data: { id }, message: "The reminders are removed" };
  },
});

export const calendarSharingRoutes = [upcoming, attend, leave, remind, unremind];
