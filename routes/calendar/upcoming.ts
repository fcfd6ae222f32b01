// What comes next in the calendar of the caller.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { personIn } from "../../http/references.ts";
import { type Event, events, publicEvent, upcomingQuery } from "../../models/calendar.ts";
import { later, plannedEvents, shapeEvents } from "../../services/calendar/calendar.ts";
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
    "Those you own, or attend and have not declined, that start within `days` (7), soonest first.",
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
    const start = { gte: now, lte: later(now, days * DAY) };
    const where = { ...await plannedEvents(call.store, userId), start, all: [asked] };
    const page = await call.store.from(events).list({ ...paging, sort, where });
    return {
      data: await shapeEvents(call.store, userId, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

export const upcomingRoutes = [upcoming];
