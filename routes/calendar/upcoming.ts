// What comes next in the calendar of the caller.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { personIn } from "../../http/references.ts";
import { type Event, events, publicEvent, upcomingQuery } from "../../models/calendar.ts";
import {
  later,
  plannedEvents,
  shapeEvents,
  startingWithin,
} from "../../services/calendar/calendar.ts";
import { zoneOf } from "../../http/zone.ts";
import { listing, pagination } from "../../http/lists.ts";
import { DAY } from "../../core/units.ts";

const tag = "Calendar";

const upcoming = endpoint({
  operationId: "listUpcomingEvents",
  method: "get",
  path: "/calendar/events/upcoming",
  tag,
  summary: "Upcoming events",
  description:
    "Those you own, or attend and have not declined, that start within `days` (7), soonest first. A whole day starts " +
    "with midnight in your time zone, or that of `tz`.",
  access: "calendar:view",
  query: upcomingQuery,
  list: true,
  data: z.array(publicEvent),
  include: { owner: personIn("ownerId") },
  async handle(call) {
    const { days, where: asked } = call.query;
    const userId = call.principal.user.id;
    const { now } = call;
    const { sort = "start", ...paging } = listing<Event>(call.query);
    const starting = startingWithin(now, later(now, days * DAY), zoneOf(call));
    const where = { ...await plannedEvents(call.store, userId), all: [starting, asked] };
    const page = await call.store.from(events).list({ ...paging, sort, where });
    return {
      data: await shapeEvents(call.store, userId, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

export const upcomingRoutes = [upcoming];
