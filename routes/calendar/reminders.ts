// Reminders of an event: each user sets and removes only their own.
import { endpoint } from "../../http/endpoint.ts";
import { notFound } from "../../core/errors.ts";
import { momentIn } from "../../core/time_zone.ts";
import { zoneOf } from "../../http/zone.ts";
import {
  events,
  publicReminder,
  reminderCreation,
  reminderQuery,
  reminders,
  zoneQuery,
} from "../../models/calendar.ts";
import { deleted } from "../../models/requests.ts";
import { visibleEvent } from "../../services/calendar/calendar.ts";
import { planReminder } from "../../services/calendar/reminders.ts";
import { everyMatch } from "../../storage/every_match.ts";

const tag = "Calendar";

const remind = endpoint({
  operationId: "setEventReminder",
  method: "post",
  path: "/calendar/events/{id}/reminder",
  tag,
  summary: "Set a reminder for oneself",
  description:
    "At `remindAt`, or `minutesBefore` the start: then it follows the event when that moves. A whole day starts with " +
    "midnight in the time zone of your profile. `method` is `notification` or `email` (which notifies too). One per " +
    "method: setting it again replaces it. The notification is sure; the mail is sent once at most, and lost if the " +
    "server dies just then.",
  access: "calendar:update",
  created: true,
  query: zoneQuery,
  body: reminderCreation,
  data: publicReminder,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const data = await call.transact(async (tx) => {
      const event = await visibleEvent(tx, call.principal, call.params.id);
      const { remindAt } = call.body;
      const asked = {
        ...call.body,
        remindAt: remindAt === undefined ? undefined : momentIn(remindAt, zoneOf(call)),
      };
      return await planReminder(tx, call.principal.user, event, asked);
    });
    return { data, message: "The reminder is set" };
  },
});

const unremind = endpoint({
  operationId: "deleteEventReminder",
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

export const reminderRoutes = [remind, unremind];
