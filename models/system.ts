// What the server tells of itself to its administrators. Imports zod only.
import { z } from "zod";
import { timestamp } from "./collection.ts";

export const publicVariable = z.object({
  name: z.string(),
  aliases: z.array(z.string()).meta({ description: "Other names that it may be given by" }),
  value: z.string().nullable().meta({
    description: "As it counts; credentials in URLs are left out. Null: none, or a secret",
  }),
  set: z.boolean(),
  source: z.enum(["environment", "file", "generated", "default"]).meta({
    description: "`file`: .env. `generated`: a secret that the server made and keeps by itself",
  }),
  default: z.string().nullable().meta({
    description: "Null where there is none, or where it follows from other settings",
  }),
  meaning: z.string(),
  secret: z.boolean().meta({ description: "The value is never told" }),
}).meta({ id: "Setting" });

const count = z.int().min(0);
const bytes = z.int().min(0).meta({ description: "Bytes" });

export const systemHealth = z.object({
  time: timestamp,
  version: z.string().meta({ description: "Of Quarterdeck" }),
  variant: z.string(),
  process: z.object({
    deno: z.string(),
    v8: z.string(),
    startedAt: timestamp,
    uptime: z.number().meta({ description: "Seconds" }),
    cpu: z.number().meta({ description: "Seconds of CPU time that it has taken" }),
    memory: z.object({ rss: bytes, heapUsed: bytes, heapTotal: bytes, external: bytes }),
  }),
  store: z.object({
    engine: z.string(),
    version: z.string().nullable().meta({ description: "Null where the engine tells none" }),
    layout: z.string().meta({ description: "Of what is stored" }),
    size: bytes.nullable().meta({ description: "Bytes on disk; null where nobody can tell" }),
    shared: z.boolean().meta({ description: "Whether other processes may use it too" }),
    unreadableRecords: count.meta({ description: "Damaged and left out: see the log" }),
    cache: z.object({ bytes, maxBytes: bytes }).meta({
      description: "What records take in memory, and may",
    }),
  }),
  journal: z.object({
    position: z.string().meta({ description: "Of the newest entry; empty before the first" }),
    since: timestamp.nullable().meta({ description: "When the oldest entry was written" }),
    keptDays: z.number(),
  }),
  records: z.record(z.string(), count).meta({ description: "How many there are, by collection" }),
  events: z.object({ open: count, most: count }).meta({
    description: "Streams of events at this process",
  }),
  webhooks: z.object({
    active: count,
    pending: count.meta({ description: "Deliveries that are still to arrive" }),
  }),
  audit: z.object({
    seq: count.meta({ description: "Of the newest link of the chain; 0 before the first" }),
    linkedAt: timestamp.nullable(),
    position: z.string().meta({ description: "Up to where the journal is in the chain" }),
    checkpointAt: timestamp.nullable().meta({ description: "Of the newest that is kept" }),
  }),
  backups: z.object({
    every: z.number().meta({ description: "Seconds; 0: none is made by itself" }),
    folder: z.string(),
    newest: z.object({ id: z.string(), at: timestamp }).nullable(),
  }),
  mails: z.object({
    configured: z.boolean().meta({ description: "Whether there is a mail server" }),
    urgent: count.meta({ description: "Waiting: links that someone waits for" }),
    notices: count.meta({ description: "Waiting: what may come later" }),
    sent: count.meta({ description: "By this process since its start" }),
    failed: count,
  }),
  jobs: z.array(z.object({
    name: z.string(),
    every: z.number().meta({ description: "Milliseconds between two runs" }),
    running: z.boolean(),
    runs: count,
    failures: count,
    lastStartedAt: timestamp.nullable(),
    lastDuration: count.nullable().meta({ description: "Milliseconds" }),
    lastFailure: z.object({ at: timestamp, reason: z.string() }).nullable(),
  })),
}).meta({ id: "SystemHealth" });

export type SystemHealth = z.input<typeof systemHealth>;

export const requestReport = z.object({
  time: timestamp,
  method: z.string(),
  path: z.string().meta({ description: "Without the query; what opens something is left out" }),
  route: z.string().nullable().meta({
    description: "The pattern of the path; null for pages and unknown paths",
  }),
  status: z.int(),
  duration: z.number().meta({ description: "Milliseconds until the answer was made" }),
  userId: z.string().nullable(),
  address: z.string().meta({ description: "Of the client" }),
  requestId: z.string(),
}).meta({ id: "RequestReport" });

export type RequestReport = z.input<typeof requestReport>;

/** Which requests are told; null: whichever. */
export interface RequestFilter {
  /** Statuses, and classes of them such as `4xx`. */
  readonly statuses: ReadonlySet<string> | null;
  readonly methods: ReadonlySet<string> | null;
  /** The id of the caller. */
  readonly user: string | null;
}

export const requestQuery = z.object({
  status: z.string().max(100).regex(
    /^[1-5](\d\d|xx)(,[1-5](\d\d|xx))*$/i,
    "must be statuses such as 404,5xx",
  ).optional().meta({ description: "Statuses, and classes such as `4xx`, parted by commas" }),
  method: z.string().max(100).regex(
    /^[a-z]+(,[a-z]+)*$/i,
    "must be methods such as POST,DELETE",
  ).optional().meta({ description: "Methods, parted by commas" }),
  user: z.string().min(1).max(128).optional().meta({ description: "The id of the caller" }),
});

/** What a query asks for. */
export function requestFilterOf(
  { status, method, user }: z.output<typeof requestQuery>,
): RequestFilter {
  return {
    statuses: status === undefined ? null : new Set(status.toLowerCase().split(",")),
    methods: method === undefined ? null : new Set(method.toUpperCase().split(",")),
    user: user ?? null,
  };
}
