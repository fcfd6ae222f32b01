// What is measured: the requests, the limit that each rate is compared to, and the ratio it must reach.
import { sailorEmail } from "./people.ts";
import type { Seeded } from "./seed.ts";

/** A route of the bare server in limits.ts. */
export type Limit = "bare" | "kv-get" | "kv-create" | "argon2id";

export interface Workload {
  readonly name: string;
  readonly what: string;
  /** The limit, or another workload, that the rate is divided by. */
  readonly against: Exclude<Limit, "kv-get"> | "W2";
  /** The lowest ratio that is accepted. */
  readonly floor: number;
  /** Whether the floor holds on every engine, and not on Deno KV alone. */
  readonly everywhere: boolean;
  readonly aim: number;
  /** Requests a second that the best peer reaches, tuned ones included. */
  readonly peer: number;
  requests(seeded: Seeded, rows: number): string[];
}

const get = (path: string) => `GET\t${path}\t`;
const post = (path: string, body: unknown) => `POST\t${path}\t${JSON.stringify(body)}`;

export const credentials = { email: "bench@example.com", password: "benchmark password" };

/** Accounts that sign in: so many that none reaches its rate limit of 60 sign-ins a minute from one network. */
const SAILORS = 5000;

function sailors(rows: number): { email: string; password: string }[] {
  const { password } = credentials;
  const active = Array.from({ length: Math.min(rows, SAILORS) }, (_, i) => i)
    .filter((i) => i > 0 && i % 10 !== 9);
  return active.map((i) => ({ email: sailorEmail(i, rows), password }));
}

export const workloads: readonly Workload[] = [
  {
    name: "W1",
    what: "GET one user by id",
    against: "bare",
    floor: 0.3,
    everywhere: true,
    aim: 0.5,
    peer: 3365,
    requests: ({ ids }) => ids.map((id) => get(`/api/users/${id}`)),
  },
  {
    name: "W2",
    what: "GET users, page 1, with total",
    against: "bare",
    floor: 0.18,
    everywhere: true,
    aim: 0.3,
    peer: 168,
    requests: () => [get("/api/users?page=1&limit=10")],
  },
  {
    name: "W3",
    what: "GET users, the middle page",
    against: "W2",
    floor: 0.8,
    everywhere: false,
    aim: 1,
    peer: 132,
    requests: (_, rows) => [get(`/api/users?page=${Math.max(1, Math.floor(rows / 20))}&limit=10`)],
  },
  {
    name: "W4",
    what: "search finding about 10, by substring",
    against: "bare",
    floor: 0.01,
    everywhere: false,
    aim: 0.05,
    peer: 720,
    // Every crew is searched once before any comes again, so that hardly any answer is still remembered.
    requests: (_, rows) =>
      Array.from(
        { length: Math.ceil(rows / 10) },
        (_, crew) => get(`/api/users?search=crew${crew}x&limit=10`),
      ),
  },
  {
    name: "W5",
    what: "POST a document, durable when answered",
    against: "kv-create",
    floor: 0.7,
    everywhere: true,
    aim: 0.9,
    peer: 2370,
    requests: () => [
      post("/api/documents", { title: "Measured", content: "# Measured\n\nA line." }),
    ],
  },
  {
    name: "W6",
    what: "POST login",
    against: "argon2id",
    floor: 0.85,
    everywhere: true,
    aim: 0.95,
    peer: 14.7,
    requests: (_, rows) => sailors(rows).map((person) => post("/api/auth/login", person)),
  },
  {
    name: "W7",
    what: "GET dashboard figures",
    against: "bare",
    floor: 0.25,
    everywhere: false,
    aim: 0.5,
    peer: 174,
    requests: () => [get("/api/dashboard/stats")],
  },
];

/** The request that measures each limit. */
export const limitRequests: Readonly<Record<Limit, string>> = {
  bare: get("/bare"),
  "kv-get": get("/kv-get"),
  "kv-create": post("/kv-create", { title: "Measured", content: "# Measured\n\nA line." }),
  argon2id: post("/argon2id", {}),
};
