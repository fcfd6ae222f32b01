// Events as CSV.
import { columnsOf, csvAnswer } from "../../http/csv.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listing } from "../../http/lists.ts";
import { type Event, eventExportQuery, events, type PublicEvent } from "../../models/calendar.ts";
import { shapeEvents } from "../../services/calendar/calendar.ts";
import { eventsAsked } from "./calendar.ts";

/** Events read at a time: some milliseconds of work. */
const PAGE = 100;

const columns = {
  ...columnsOf<PublicEvent>(
    "id",
    "title",
    "start",
    "end",
    "allDay",
    "type",
    "location",
    "description",
    "color",
    "ownerId",
  ),
  attendees: ({ attendees }: PublicEvent) => attendees.map(({ name }) => name),
  ...columnsOf<PublicEvent>("createdAt", "updatedAt"),
};

const exportEvents = endpoint({
  operationId: "exportEvents",
  method: "get",
  path: "/calendar/events/export",
  tag: "Calendar",
  summary: "Events as CSV",
  description:
    "All that the filters of the list match, by start unless sorted otherwise, streamed; attendees are parted by " +
    "semicolons. What a spreadsheet would take for a formula has an apostrophe before it. `bom=true` is for Excel. At " +
    "most 60 exports and imports an hour.",
  access: "calendar:view",
  query: eventExportQuery,
  raw: "text/csv",
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { store, principal, query } = call;
    const { search, sort = "start" } = listing<Event>(query);
    return await csvAnswer(call, {
      name: "events",
      columns,
      bom: query.bom,
      async read(cursor) {
        const { where } = await eventsAsked(call, query);
        const page = { where, search, sort, cursor, limit: PAGE };
        const { rows, total, nextCursor } = await store.from(events).list(page);
        const records = await shapeEvents(store, principal.user.id, rows);
        return { records, total, nextCursor };
      },
    });
  },
});

export const eventExportRoutes = [exportEvents];
