// Serves declared endpoints: the steps every request goes through, in order.
import type { Context, Hono } from "hono";
import { admission } from "../core/admission.ts";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import {
  type Answer,
  BARE_PATH,
  bodyLimitOf,
  commitsOf,
  type Endpoint,
  type EndpointLimits,
  fullPath,
  makesOne,
  readablePaths,
  repeatable,
} from "./endpoint.ts";
import type { FieldError } from "../core/errors.ts";
import { JsonText } from "../core/json.ts";
import { traffic } from "../core/traffic.ts";
import { authenticate } from "./authenticate.ts";
import { readCsv, readJson } from "./body.ts";
import { IdempotencyKeys } from "./idempotency.ts";
import type { Paging } from "./lists.ts";
import { mayBeMinimal, minimized } from "./preferences.ts";
import { RequestCall, type Served, type Site } from "./request_call.ts";
import { respond } from "./respond.ts";
import { selectable, selected, selectionOf } from "./selection.ts";
import { validatorOf } from "./validate.ts";
import type { Principal } from "../services/access/access.ts";
import { limitHeaders } from "../services/accounts/limit_headers.ts";
import { exchangeOf } from "./exchange.ts";
import { createInside } from "./inside.ts";

export type MountOptions = Pick<Site, "services" | "basePath" | "addressOf">;

/** Mounts the endpoints, paths with literal segments before those with parameters, so that `me` is never an id. */
export function mount(app: Hono, endpoints: readonly Endpoint[], options: MountOptions): void {
  const { services, basePath } = options;
  const site: Site = {
    ...options,
    keys: new IdempotencyKeys(services),
    inside: createInside(endpoints, {
      basePath,
      serve: (request, bindings) => app.fetch(request, bindings),
    }),
  };
  const readable = readablePaths(endpoints, basePath);
  const sorted = [...endpoints].sort((a, b) => rank(a.path).localeCompare(rank(b.path)));
  for (const endpoint of sorted) {
    const route = fullPath(endpoint, basePath);
    const methods = endpoint.method === "put" ? ["PUT", "PATCH"] : [endpoint.method.toUpperCase()];
    const served: Served = {
      endpoint,
      validator: validatorOf(endpoint),
      selectable: selectable(endpoint),
      location: makesOne(endpoint) && readable.has(route) ? route : null,
      commitsOnce: commitsOf(endpoint) === "once",
    };
    const brief = mayBeMinimal(endpoint);
    const answer = (c: Context) => {
      exchangeOf(c).route = route;
      const answer = admitted(c, served, site);
      return brief ? andThen(answer, (full) => minimized(c, full)) : answer;
    };
    app.on(methods, pattern(route), answer);
    if (endpoint.root) continue;
    app.on(methods, pattern(fullPath(endpoint, basePath + BARE_PATH)), (c) => {
      exchangeOf(c).bare = true;
      return answer(c);
    });
  }
}

/** A path with parameters in braces, as the router takes it. */
function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Sorts literal segments before parameters, segment by segment. */
function rank(path: string): string {
  return path.split("/").map((segment) => segment.startsWith("{") ? "2" : `1${segment}`).join("/");
}

/** Serves a request once it is let in. What is made inside is not held: of a batch each part would wait for the next. */
function admitted(c: Context, served: Served, site: Site): Awaitable<Response> {
  if (exchangeOf(c).inside) return serve(c, served, site);
  if (!served.commitsOnce) {
    admission.others++;
    return serve(c, served, site);
  }
  return admission.admit(() => serve(c, served, site));
}

function serve(
  c: Context,
  served: Served,
  site: Site,
): Awaitable<Response> {
  traffic.requests++;
  const { endpoint } = served;
  const found = authenticate(c, site, endpoint);
  return andThen(found, (principal) => {
    if (principal) site.services.visits.view();
    const call = new RequestCall(c, served, site, principal);
    return endpoint.body || endpoint.method === "post" ? runWithBody(call) : run(call);
  });
}

/** Reads what was sent; a POST of a known caller may be a repetition. */
async function runWithBody(call: RequestCall): Promise<Response> {
  const { context: c, endpoint, principal } = call;
  if (endpoint.limits) assertWithin(endpoint.limits, call);
  const sent = endpoint.body
    ? await (endpoint.csv ? readCsv : readJson)(c.req.raw, bodyLimitOf(endpoint))
    : { text: "", value: undefined };
  // Not awaited here: what this function holds need not wait too.
  if (principal === null || !repeatable(endpoint)) return run(call, sent.value);
  const body = endpoint.upload ? null : sent.text;
  return call.site.keys.once({ context: c, principal, body }, (use) => {
    call.keyUse = use;
    return run(call, sent.value);
  });
}

/** @throws {ApiError} RATE_LIMITED */
function assertWithin(limits: EndpointLimits, call: RequestCall): void {
  const { names, caller } = limitsOf(limits, call);
  for (const name of names) call.services.limiter.assertFree(name, caller);
}

/** Adds to the answer how the caller stands to the limits of the endpoint. */
function tellLimits(limits: EndpointLimits, call: RequestCall): void {
  const { names, caller } = limitsOf(limits, call);
  const standings = names.map((name) => call.services.limiter.standing(name, caller))
    .filter((standing) => standing !== null);
  if (standings.length === 0) return;
  Object.assign(exchangeOf(call.context).headers, limitHeaders(standings));
}

function limitsOf({ network = [], account = [] }: EndpointLimits, call: RequestCall) {
  const known: Principal | null = call.principal;
  return known
    ? { names: account, caller: { account: known.user.id } }
    : { names: network, caller: { address: call.ip } };
}

/** Validates, handles, answers: at once where nothing has to be waited for. */
function run(call: RequestCall, body?: unknown): Awaitable<Response> {
  const { problems } = call.endpoint;
  if (!problems) return handle(call, body);
  return andThen(problems(body, call.services.settings), (found) => handle(call, body, found));
}

/** @param found What is wrong with the body beyond what its schema can tell. */
function handle(
  call: RequestCall,
  body: unknown,
  found?: readonly FieldError[],
): Awaitable<Response> {
  const { context: c, endpoint } = call;
  const known = call.served.selectable;
  const selection = known === null ? null : selectionOf(c, known);
  call.validate(body, found);
  const { part } = exchangeOf(c);
  const handled = part && commitsOf(endpoint) === "never"
    ? part.committed().then(() => endpoint.handle(call))
    : endpoint.handle(call);
  return andThen(handled, (answer) => {
    if (answer instanceof Response) return answer;
    if (selection === null) return answered(call, answer);
    return andThen(selected(call, endpoint, selection, answer), (part) => answered(call, part));
  });
}

function answered(call: RequestCall, answer: Answer<unknown>): Response {
  const { context: c, endpoint, served: { location } } = call;
  if (endpoint.method !== "get") tellPosition(call);
  if (endpoint.limits) tellLimits(endpoint.limits, call);
  if (location !== null) tellLocation(c, location, answer.data);
  return respond(c, endpoint, answer, warningsFor(call, answer));
}

/** RFC 9110 section 10.2.2: where the record that was made is. */
function tellLocation(c: Context, path: string, data: unknown): void {
  const id = data instanceof JsonText
    ? /^\{"id":"([\w-]+)"/.exec(data.text)?.[1]
    : (data as { id?: string } | undefined)?.id;
  if (id !== undefined) exchangeOf(c).headers["location"] = `${path}/${id}`;
}

/** Tells where the write is in the journal: who follows the events has seen it once they have come that far. */
function tellPosition(call: RequestCall): void {
  const position = call.position ?? call.store.position();
  if (position === "") return;
  exchangeOf(call.context).headers["x-journal-position"] = call.services.events.idOf(position);
}

/** What the client is to be told beside the answer. */
function warningsFor(call: RequestCall, { pagination }: Answer<unknown>): readonly FieldError[] {
  if (!pagination) return call.warnings;
  const { limit, pageSize } = (call.query ?? call.body ?? {}) as Paging;
  const asked = limit ?? pageSize;
  if (asked === undefined || asked <= pagination.limit) return call.warnings;
  const field = limit === undefined ? "pageSize" : "limit";
  const message = `is at most ${pagination.limit} here: ${asked} were asked for`;
  return [...call.warnings, { field, message }];
}
