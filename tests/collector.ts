// A collector of OpenTelemetry on this machine, and what a server needs to export to it: OTLP over HTTP, as JSON.
import { until } from "./until.ts";

type Value = string | number | boolean | Value[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, Value>>;
}

export interface CollectedMetric {
  readonly name: string;
  /** Of each series. */
  readonly attributes: readonly Readonly<Record<string, Value>>[];
}

export interface Collector extends AsyncDisposable {
  /** Environment of the process that exports. */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: CollectedSpan[];
  readonly metrics: CollectedMetric[];
  /** Everything that came, as it came. */
  readonly texts: string[];
  /** Waits for a span. */
  span(is: (span: CollectedSpan) => boolean, what: string): Promise<CollectedSpan>;
}

// deno-lint-ignore no-explicit-any -- JSON of the protocol
type Json = any;

export function openCollector(): Collector {
  const spans: CollectedSpan[] = [];
  const metrics: CollectedMetric[] = [];
  const texts: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const text = await request.text();
    texts.push(text);
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(text);
    for (const { scopeSpans } of resourceSpans) {
      for (const { spans: some } of scopeSpans) spans.push(...some.map(spanOf));
    }
    for (const { scopeMetrics } of resourceMetrics) {
      for (const { metrics: some } of scopeMetrics) metrics.push(...some.map(metricOf));
    }
    return Response.json({});
  });
  return {
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    },
    spans,
    metrics,
    texts,
    async span(is, what) {
      await until(() => spans.some(is), `the span of ${what}`);
      return spans.find(is)!;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

function spanOf({ attributes, ...span }: Json): CollectedSpan {
  return { ...span, attributes: attributesOf(attributes) };
}

function metricOf({ name, histogram, sum, gauge }: Json): CollectedMetric {
  const { dataPoints } = histogram ?? sum ?? gauge;
  return { name, attributes: dataPoints.map((point: Json) => attributesOf(point.attributes)) };
}

/** A key that is given twice is a defect of what exports. */
function attributesOf(list: readonly Json[]): Record<string, Value> {
  const attributes: Record<string, Value> = {};
  for (const { key, value } of list) {
    if (key in attributes) throw new Error(`The attribute ${key} is given twice`);
    attributes[key] = valueOf(value);
  }
  return attributes;
}

function valueOf(value: Json): Value {
  if (value.arrayValue) return value.arrayValue.values.map(valueOf);
  return Object.values(value)[0] as Value;
}
