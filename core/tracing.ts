// Traces and metrics for OpenTelemetry, where Deno exports them: OTEL_DENO=true in the environment of the process. Deno
// makes the spans of requests, those that come and those that are made; here they get their names, and company.
// https://docs.deno.com/runtime/fundamentals/open_telemetry/
import type { Attributes, Histogram, Span, SpanContext, Tracer } from "@opentelemetry/api";
import { SECOND } from "./units.ts";

type Api = typeof import("@opentelemetry/api");

/** Where Deno registers itself as the implementation, when it exports anything. */
const IMPLEMENTATION = Symbol.for("opentelemetry.js.api.1");

/** Bounds in seconds: https://opentelemetry.io/docs/specs/semconv/database/database-metrics/ */
const OPERATION_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What is told of a request beside what Deno knows. */
export interface Served {
  readonly method: string;
  /** Without the query and the parts that may be secret. */
  readonly path: string;
  /** The pattern of the path; absent for unknown paths. */
  readonly route: string | undefined;
  readonly requestId: string;
}

/** The span of the request that is being served. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** What names the span to others, as the header `traceparent`. */
  readonly parent: string;
  /** Tells what the request was. */
  served(request: Served): void;
}

/** Loads what traces, where Deno exports traces; null where it does not. */
export async function loadTracing(system: string): Promise<Tracing | null> {
  if (!(IMPLEMENTATION in globalThis)) return null;
  return new Tracing(await import("@opentelemetry/api"), system);
}

export class Tracing {
  readonly #tracer: Tracer;
  readonly #durations: Histogram;
  readonly #setAttribute: Span["setAttribute"];

  /** @param system The kind of the store: `db.system.name`. */
  constructor(readonly api: Api, readonly system: string) {
    this.#tracer = api.trace.getTracer("quarterdeck");
    this.#setAttribute = withoutSecrets(this.#tracer);
    this.#durations = api.metrics.getMeter("quarterdeck").createHistogram(
      "db.client.operation.duration",
      {
        unit: "s",
        description: "Duration of database client operations.",
        advice: { explicitBucketBoundaries: OPERATION_BUCKETS },
      },
    );
  }

  /** The trace that the running code is a part of. */
  current(): Trace | undefined {
    const span = this.api.trace.getActiveSpan();
    if (span === undefined) return undefined;
    const context = span.spanContext();
    return {
      id: context.traceId,
      parent: traceparentOf(context),
      served: (request) => this.#served(span, request),
    };
  }

  #served(span: Span, { method, path, route, requestId }: Served): void {
    span.updateName(route === undefined ? method : `${method} ${route}`);
    if (route !== undefined) span.setAttribute("http.route", route);
    // Deno 2.5 takes no lists, which the headers of an answer would be.
    span.setAttribute("quarterdeck.request.id", requestId);
    this.#setAttribute.call(span, "url.path", path);
  }

  /**
   * Counts an operation of the store that has just ended. It is a span too where it is a part of something; alone it
   * would be a trace of its own for each look at what is due.
   *
   * @param collection Empty where it is not about one.
   * @param failed Whether it threw.
   */
  readonly operation = (
    operation: string,
    collection: string,
    seconds: number,
    failed: boolean,
  ): void => {
    const attributes: Attributes = {
      "db.system.name": this.system,
      "db.operation.name": operation,
      ...(collection === "" ? {} : { "db.collection.name": collection }),
    };
    this.#durations.record(seconds, attributes);
    if (this.api.trace.getActiveSpan() === undefined) return;
    const name = collection === "" ? operation : `${operation} ${collection}`;
    const kind = this.api.SpanKind.CLIENT;
    const startTime = Date.now() - seconds * SECOND;
    const span = this.#tracer.startSpan(name, { kind, attributes, startTime });
    if (failed) span.setStatus({ code: this.api.SpanStatusCode.ERROR });
    span.end();
  };

  /** Runs work as a part of a trace that was begun elsewhere, or as one of its own; its requests carry the trace on. */
  async within<R>(
    parent: string | undefined,
    { name, attributes }: { readonly name: string; readonly attributes: Attributes },
    work: () => Promise<R>,
  ): Promise<R> {
    const { trace, context, SpanKind, ROOT_CONTEXT } = this.api;
    const known = parent === undefined ? null : contextOf(parent);
    const outer = known ? trace.setSpanContext(ROOT_CONTEXT, known) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.PRODUCER, attributes }, outer);
    try {
      return await context.with(trace.setSpan(outer, span), work);
    } finally {
      span.end();
    }
  }
}

/**
 * Deno puts the whole address of each request into its span, and queries hold tickets and signatures, paths of webhooks
 * secrets of others. What is set once cannot be taken out again, so that it is kept from being set: of any address the
 * origin alone is told, and paths where they are known to hold no secret.
 *
 * @returns What sets an attribute, whichever.
 */
function withoutSecrets(tracer: Tracer): Span["setAttribute"] {
  // Deno's own spans are of the same class.
  const spans: Span = Object.getPrototypeOf(tracer.startSpan("probe"));
  const { setAttribute } = spans;
  spans.setAttribute = function (name, value) {
    if (name === "url.path" || name === "url.query") return this;
    if (name !== "url.full") return setAttribute.call(this, name, value);
    return setAttribute.call(this, name, URL.parse(String(value))?.origin ?? "");
  };
  return setAttribute;
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Null for what is no trace context. */
function contextOf(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, traceFlags: parseInt(flags!, 16), isRemote: true };
}
