// What the signed-in user may do with an event, as the server decides it.
import type { Event } from "../../../client/mod.ts";
import { can, user } from "../../state/session.ts";

/** Whether an event is changed by its owner, or by who manages the calendars of others, too: that takes seeing people. */
function isOwn({ ownerId }: Pick<Event, "ownerId">): boolean {
  return ownerId === user.value?.id || can("calendar:*") && can("users:view");
}

export function mayChange(event: Pick<Event, "ownerId">): boolean {
  return can("calendar:update") && isOwn(event);
}

export function mayDelete(event: Pick<Event, "ownerId">): boolean {
  return can("calendar:delete") && isOwn(event);
}
