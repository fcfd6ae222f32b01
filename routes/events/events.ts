// The stream of events, and the tickets that browsers open it with.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { eventStream } from "../../http/event_stream.ts";
import { PUBLIC_COLLECTIONS } from "../../services/events/event.ts";
import { FIGURES, type Topic } from "../../services/events/records.ts";
import { issueTicket, TICKET_LIFETIME } from "../../services/events/tickets.ts";
import { SECOND } from "../../core/units.ts";

const tag = "Events";

const topic = z.enum([...PUBLIC_COLLECTIONS, ...FIGURES]);

const eventQuery = z.object({
  collections: z.string().max(500).optional().transform(
    (text, context): ReadonlySet<Topic> | null => {
      if (!text) return null;
      const topics = new Set<Topic>();
      for (const name of text.split(",")) {
        const parsed = topic.safeParse(name.trim());
        if (parsed.success) topics.add(parsed.data);
        else {
          const message = `'${name.slice(0, 50)}' is none of ${topic.options.join(", ")}`;
          context.addIssue({ code: "custom", message });
        }
      }
      return topics;
    },
  ).meta({ type: "string", description: "Names of collections, parted by commas" }),
  records: z.enum(["true", "false", "1", "0"]).optional()
    .transform((text) => text === "true" || text === "1")
    .meta({ type: "boolean", description: "Whether events carry the record as its GET shows it" }),
  lastEventId: z.string().max(400).optional().meta({
    description:
      "The id after which to begin, or `earliest`; the header Last-Event-ID goes before it",
  }),
  ticket: z.string().max(1000).optional().meta({ description: "Of POST /events/ticket" }),
});

const stream = endpoint({
  method: "get",
  path: "/events",
  operationId: "streamEvents",
  tag,
  summary: "Everything that changes, as it happens",
  description:
    "Server-Sent Events from the journal. `id` is the place in the journal, `event` such as `documents.updated`, " +
    "`data` JSON: {id, collection, op, at, rev, actor, record?}. Only what the caller may see is told, by what they " +
    "may see when it is sent. After a connection is lost Last-Event-ID resumes without a gap or a double; `reset` " +
    "says that something is not kept any more and has to be read anew.",
  access: "authenticated",
  eventSource: true,
  query: eventQuery,
  raw: "text/event-stream",
  errors: ["RATE_LIMITED", "UNAVAILABLE"],
  async handle(call) {
    const { services, query, principal, ip, context: c } = call;
    const { collections: topics, records } = query;
    const lastEventId = c.req.header("last-event-id") || query.lastEventId || undefined;
    const body = await services.events.open(principal, { topics, records, ip }, lastEventId);
    return eventStream(c, body);
  },
});

const ticket = endpoint({
  method: "post",
  path: "/events/ticket",
  operationId: "createEventTicket",
  tag,
  summary: "A ticket to open a stream with",
  description:
    "For browsers' EventSource, which sends no header: GET /events?ticket=… Good once, within 30 seconds.",
  access: "authenticated",
  secret: true,
  data: z.object({
    ticket: z.string(),
    expiresIn: z.int().meta({ description: "Seconds" }),
  }).meta({ id: "EventTicket" }),
  handle: (call) => ({
    data: {
      ticket: issueTicket(call.services, call.principal),
      expiresIn: TICKET_LIFETIME / SECOND,
    },
  }),
});

export const eventRoutes = [stream, ticket];
