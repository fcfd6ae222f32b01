// Who comes to an event: invited, answering, leaving.
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { existing, forbidden } from "../../core/errors.ts";
import { attendance, attendees, events, publicEvent } from "../../models/calendar.ts";
import { deleted } from "../../models/requests.ts";
import { mailInvitations, planAttendance, planLeaving } from "../../services/calendar/attendees.ts";
import { mayChange, visibleEvent } from "../../services/calendar/calendar.ts";
import { shownEvent } from "./calendar.ts";
import { MIB } from "../../core/units.ts";

const tag = "Calendar";

const attend = endpoint({
  operationId: "addEventAttendees",
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
  bodyLimit: MIB,
  data: publicEvent,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    const invited = await call.transact(async (tx) => {
      const event = await visibleEvent(tx, call.principal, id);
      assertMatch(call, event.rev);
      return await planAttendance(tx, call.principal, event, call.body);
    });
    const event = await visibleEvent(call.store, call.principal, id);
    mailInvitations(call.services, call.principal.user, event, invited);
    return { ...await shownEvent(call, event), message: "The attendees are saved" };
  },
});

const leave = endpoint({
  operationId: "removeEventAttendee",
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
      const attendee = existing(
        await tx.from(attendees).findBy("attendee", id, userId),
        "attendee",
      );
      await planLeaving(tx, user, event, attendee);
      tx.update(events, event, {});
    });
    return { data: { id: userId }, message: "The attendee is removed" };
  },
});

export const attendeeRoutes = [attend, leave];
