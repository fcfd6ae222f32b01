// For administrators: what the server is set to, how it fares, and what it is asked.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { VERSION } from "../../http/version.ts";
import { isAllowed } from "../../http/authenticate.ts";
import { eventStream } from "../../http/event_stream.ts";
import {
  publicVariable,
  requestFilterOf,
  requestQuery,
  requestReport,
  systemHealth,
} from "../../models/system.ts";
import type { Principal } from "../../services/access/access.ts";
import { healthOf } from "../../services/system/health.ts";

const tag = "System";
const access = "system:view";

const settings = endpoint({
  operationId: "listSettings",
  method: "get",
  path: "/system/settings",
  tag,
  summary: "Every variable of the configuration, as it counts",
  description:
    "What it is, where it is from, its default and what it means. Secrets are never told, only whether there is one.",
  access,
  data: z.array(publicVariable),
  handle: ({ services }) => ({
    data: services.variables.map((one) => ({ ...one, aliases: [...one.aliases] })),
  }),
});

const health = endpoint({
  operationId: "getSystemHealth",
  method: "get",
  path: "/system/health",
  tag,
  summary: "How the server fares",
  description:
    "The process, its store and its memory, the journal, how many records there are, and what waits: webhooks, mails, " +
    "jobs, backups, the audit log's chain. Of several processes, the one that answers tells of itself.",
  access,
  data: systemHealth,
  async handle({ services }) {
    return { data: { version: VERSION, ...await healthOf(services) } };
  },
});

const followRequests = endpoint({
  operationId: "streamRequests",
  method: "get",
  path: "/system/requests",
  tag,
  summary: "Every request that this process answers, as it does",
  description:
    "Server-Sent Events: `request`, with what GET /system/requests/recent lists, and `skipped` {count} where more came " +
    "than could be told, a thousand a second. Nothing is repeated for who comes again. It ends with the session, or with " +
    "the permission.",
  access,
  eventSource: true,
  query: requestQuery.extend({
    ticket: z.string().max(1000).optional().meta({ description: "Of POST /events/ticket" }),
  }),
  raw: "text/event-stream",
  errors: ["RATE_LIMITED", "UNAVAILABLE"],
  async handle({ services, principal, query, ip, context }) {
    const stays = (caller: Principal) => isAllowed(caller, services, { access });
    const stream = await services.events.openAside(principal, { ip, stays });
    services.requests.follow(stream, requestFilterOf(query));
    return eventStream(context, stream.body);
  },
});

const recentRequests = endpoint({
  operationId: "listRecentRequests",
  method: "get",
  path: "/system/requests/recent",
  tag,
  summary: "The last 200 requests that this process has answered",
  description: "Newest first, since its start. Neither queries nor what opens something are told.",
  access,
  query: requestQuery,
  data: z.array(requestReport),
  handle: ({ services, query }) => ({ data: services.requests.recent(requestFilterOf(query)) }),
});

export const systemRoutes = [settings, health, followRequests, recentRequests];
