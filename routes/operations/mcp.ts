// The Model Context Protocol: programs call the endpoints as tools, with an API key. Loaded only where MCP is on.
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ApiError, forbidden } from "../../core/errors.ts";
import { MIB } from "../../core/units.ts";
import { isAllowed } from "../../http/authenticate.ts";
import { type Call, type Endpoint, endpoint, type InnerAnswer } from "../../http/endpoint.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { VERSION } from "../../http/version.ts";
import { isTool, requestFor, toolsOf } from "../../http/tools.ts";
import type { Principal } from "../../services/access/access.ts";

/** Characters of an answer that a tool gives: it is sent as text and as a value. */
const MAX_ANSWER = 2 * MIB;
/** JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32602;

const INSTRUCTIONS =
  "The tools are the routes of an admin dashboard's API, as far as the API key opens them. Parameters of the path and " +
  "of the query are arguments by their names, the body is the argument `body`. Lists are paged: take `limit` and " +
  "`page`, or `cursor` with the `nextCursor` of the page before. A filter of a list such as `createdAt` takes the endings " +
  "_ne, _gt, _gte, _lt and _lte too, as in `createdAt_gte`.";

type ProgramCall = Call & { readonly principal: Principal };

const handler = createMcpHandler(
  ({ authInfo }) => serverFor(authInfo!.extra!.call as ProgramCall),
  {
    // There is nothing to subscribe to.
    maxSubscriptions: 0,
  },
);

const mcp = endpoint({
  operationId: "callTools",
  method: "post",
  path: "/mcp",
  root: true,
  tag: "Operations",
  summary: "The routes as tools for programs: Model Context Protocol",
  description:
    "Streamable HTTP without sessions, for callers with an API key as bearer. The tools are the routes that the key " +
    "opens; a call is a request of the key, with all its checks, limits and traces.",
  access: "authenticated",
  body: z.looseObject({ jsonrpc: z.literal("2.0"), method: z.string().optional() }),
  bodyLimit: 2 * MIB,
  raw: "application/json",
  rawOr: "text/event-stream",
  async handle(call) {
    assertProgram(call);
    const authInfo = { token: "", clientId: call.principal.key!.id, scopes: [], extra: { call } };
    const response = await handler.fetch(withoutBody(call.context.req.raw), {
      authInfo,
      parsedBody: call.body,
    });
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(exchangeOf(call.context).headers)) {
      headers.set(name, value);
    }
    headers.set("cache-control", "no-store");
    return new Response(response.body, { status: response.status, headers });
  },
});

export const mcpRoutes = [mcp];

/**
 * A page may reach the server by a name of its own (DNS rebinding), so that only origins that the settings name are let
 * in: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 *
 * @throws {ApiError} UNAUTHORIZED without an API key, FORBIDDEN from another origin.
 */
function assertProgram({ principal, context, services: { settings } }: ProgramCall): void {
  if (!principal.key || !context.req.raw.headers.has("authorization")) {
    throw new ApiError("UNAUTHORIZED", "This takes an API key: Authorization: Bearer qd_…");
  }
  const origin = context.req.raw.headers.get("origin");
  const known = [new URL(settings.publicUrl).origin, ...settings.corsOrigins ?? []];
  if (origin !== null && !known.includes(origin)) {
    throw forbidden("Cannot accept the request: it comes from another site");
  }
}

/** The body has been read. */
function withoutBody({ url, headers }: Request): Request {
  return new Request(url, { method: "POST", headers });
}

/** A server for one request, with the tools that its key opens. */
function serverFor(call: ProgramCall): Server {
  const server = new Server({ name: "quarterdeck", title: "Quarterdeck", version: VERSION }, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
  });
  const offered = call.inside.endpoints.filter((one) =>
    isTool(one) && isAllowed(call.principal, call.services, one)
  );
  server.setRequestHandler("tools/list", async () => ({ tools: [...await toolsOf(offered)] }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = offered.find(({ operationId }) => operationId === params.name);
    if (!tool) {
      throw new ProtocolError(INVALID_PARAMS, `There is no tool '${params.name.slice(0, 100)}'`);
    }
    return await callTool(call, tool, params.arguments ?? {});
  });
  return server;
}

async function callTool(
  { inside, context }: ProgramCall,
  tool: Endpoint,
  args: Readonly<Record<string, unknown>>,
) {
  const request = requestFor(tool, inside.basePath, args);
  if (typeof request === "string") return failure(request);
  // A parameter such as `..` would lead elsewhere.
  if (inside.endpointAt(request.method, request.path)?.operationId !== tool.operationId) {
    return failure("An argument cannot stand in the path");
  }
  return resultOf(await inside.ask(context, request));
}

function resultOf({ status, text, refusal }: InnerAnswer) {
  if (refusal) {
    const details = (refusal.details ?? []).map(({ field, message }) => `\n${field}: ${message}`);
    return failure(`${refusal.code} (${status}): ${refusal.message}${details.join("")}`);
  }
  if (text.length > MAX_ANSWER) {
    return failure(`The answer is over ${MAX_ANSWER} characters: ask for less of it`);
  }
  const structuredContent = text === "" ? { success: true } : JSON.parse(text);
  return { content: [{ type: "text" as const, text }], structuredContent };
}

function failure(text: string) {
  return { content: [{ type: "text" as const, text }], isError: true };
}
