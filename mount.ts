// Serves declared endpoints: the steps every request goes through, in order.
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { andThen } from "./awaitable.ts";
import { BoundedMap } from "./bounded_map.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import { ApiError, type FieldError } from "./errors.ts";
import { authenticate } from "./middleware/authenticate.ts";
import { exchangeOf } from "./middleware/exchange.ts";
import { readJson } from "./middleware/body.ts";
import { onceByKey } from "./middleware/idempotency.ts";
import { respond } from "./respond.ts";
import type { Principal } from "./services/access.ts";
import { traffic } from "./services/pace.ts";
import type { Services } from "./services/services.ts";
import type { Actor, Awaitable, Transaction } from "./store.ts";

export interface MountOptions {
  readonly services: Services;
  readonly basePath: string;
  readonly addressOf: (c: Context) => string;
}

/** The full path pattern of an endpoint, with parameters in braces. */
export function fullPath(endpoint: Endpoint, basePath: string): string {
  return endpoint.root ? endpoint.path : basePath + endpoint.path;
}

/** Mounts the endpoints, paths with literal segments before those with parameters, so that `me` is never an id. */
export function mount(app: Hono, endpoints: readonly Endpoint[], options: MountOptions): void {
  const sorted = [...endpoints].sort((a, b) => rank(a.path).localeCompare(rank(b.path)));
  for (const endpoint of sorted) {
    const route = fullPath(endpoint, options.basePath);
    const path = route.replaceAll(/\{(\w+)\}/g, ":$1");
    const methods = endpoint.method === "put" ? ["PUT", "PATCH"] : [endpoint.method.toUpperCase()];
    app.on(methods, path, (c) => {
      exchangeOf(c).route = route;
      return serve(c, endpoint, options);
    });
  }
}

/** Sorts literal segments before parameters, segment by segment. */
function rank(path: string): string {
  return path.split("/").map((segment) => segment.startsWith("{") ? "2" : `1${segment}`).join("/");
}

function serve(c: Context, endpoint: Endpoint, options: MountOptions): Awaitable<Response> {
  traffic.requests++;
  const found = authenticate(c, options.services, endpoint.access);
  return andThen(found, (principal) => {
    if (principal) options.services.visits.view();
    const call = new RequestCall(c, endpoint, options, principal);
    return endpoint.body || endpoint.method === "post" ? runWithBody(call) : run(call);
  });
}

/** Reads what was sent; a POST of a known caller may be a repetition. */
async function runWithBody(call: RequestCall): Promise<Response> {
  const { context: c, endpoint, principal } = call;
  const sent = endpoint.body ? await readJson(c.req.raw) : { text: "", value: undefined };
  const once = endpoint.method === "post" && principal !== null && !endpoint.raw &&
    !endpoint.secret;
  if (!once) return await run(call, sent.value);
  return await onceByKey(c, call.services, principal, sent.text, () => run(call, sent.value));
}

/** Validates, handles, answers: at once where nothing has to be waited for. */
function run(call: RequestCall, body?: unknown): Awaitable<Response> {
  const { context: c, endpoint } = call;
  if (endpoint.query || endpoint.body) validate(call, body);
  return andThen(
    endpoint.handle(call),
    (answer) => answer instanceof Response ? answer : respond(c, endpoint, answer),
  );
}

/** Everything that is wrong with the request, in one answer. */
function validate(call: RequestCall, body: unknown): void {
  const { context: c, endpoint } = call;
  const problems: FieldError[] = [];
  const check = (schema: z.ZodType, value: unknown, whole: string): unknown => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    problems.push(...fieldErrors(result.error, whole));
    return undefined;
  };
  if (endpoint.query) {
    call.query = recallQuery(call) ?? check(endpoint.query, c.req.query(), "query");
  }
  if (endpoint.body) call.body = check(endpoint.body, body, "body");
  if (problems.length > 0) throw validationError(problems);
  if (endpoint.query) rememberQuery(call);
}

/** Queries of each endpoint that are remembered, and the longest of them: lists are asked for again and again. */
const REMEMBERED_QUERIES = { count: 200, length: 200 };

const queries = new WeakMap<Endpoint, BoundedMap<string, unknown>>();

function recallQuery({ endpoint, context }: RequestCall): unknown {
  return queries.get(endpoint)?.get(queryText(context));
}

function rememberQuery({ endpoint, context, query }: RequestCall): void {
  const text = queryText(context);
  if (text.length > REMEMBERED_QUERIES.length) return;
  let known = queries.get(endpoint);
  if (!known) queries.set(endpoint, known = new BoundedMap(REMEMBERED_QUERIES.count));
  if (!known.has(text)) known.set(text, Object.freeze(query));
}

function queryText(c: Context): string {
  const { url } = c.req;
  const question = url.indexOf("?");
  return question < 0 ? "" : url.slice(question);
}

/** 400 that names each field. */
function validationError(details: readonly FieldError[]): ApiError {
  const { field, message } = details[0] ?? { field: "body", message: "is not valid" };
  return new ApiError("VALIDATION_ERROR", `Cannot accept the request: ${field}: ${message}`, {
    details,
  });
}

function fieldErrors(error: z.ZodError, whole: string): FieldError[] {
  return error.issues.map((issue) => ({
    field: issue.path.join(".") || whole,
    message: issue.message,
  }));
}

/** One request, checked. The parts that few handlers need are worked out when they are asked for. */
class RequestCall implements Call {
  query: unknown = undefined;
  body: unknown = undefined;

  constructor(
    readonly context: Context,
    readonly endpoint: Endpoint,
    readonly options: MountOptions,
    // deno-lint-ignore no-explicit-any -- its type follows from the access rule, which is data here
    readonly principal: any,
  ) {}

  get params() {
    return this.context.req.param() as Call["params"];
  }

  get services(): Services {
    return this.options.services;
  }

  get store() {
    return this.options.services.store;
  }

  get ip() {
    return this.options.addressOf(this.context);
  }

  get actor(): Actor {
    const principal: Principal | null = this.principal;
    const { requestId } = exchangeOf(this.context);
    return { userId: principal?.user.id ?? null, ip: this.ip, requestId };
  }

  transact<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    return this.store.transact(this.actor, plan);
  }
}
