// What is measured: the requests, and the load that each rate is compared to.
import { users } from "../models/users.ts";
import { documents } from "../models/documents.ts";
import { aroundCrew, crewsOf, FAMILY, GIVEN, partsOfNames, sailorEmail } from "./people.ts";
import type { Requests } from "./load.ts";
import type { Seeded } from "./seed.ts";
import type { WorkloadName } from "./targets.ts";

/** A route of the bare server in limits.ts. */
export type Limit = "bare" | "kv-get" | "kv-create" | "argon2id";

/** Makes templates of requests for a store with so many users and documents; see requests.lua. */
type Templates = (rows: number, seeded: Seeded) => string[];

export interface Workload {
  readonly name: WorkloadName;
  readonly what: string;
  /** What the rate is divided by: a limit, or the same load with nothing beside it. */
  readonly against: Exclude<Limit, "kv-get"> | "alone";
  readonly requests: Templates;
  /**
   * Who asks: a plain user, or a program with an API key of the administrator, whose limit is the administrator.
   * @default the administrator
   */
  readonly as?: "member" | "program";
  /** The same kind of question asked again and again, so that the answer may be remembered. */
  readonly again?: { readonly against: "bare" | "W2"; readonly requests: Templates };
  /** A load at the same time that is not counted. */
  readonly beside?: (rows: number) => Omit<Requests, "ids" | "token">;
  /** Whether a single connection walks through a list, each page beginning where the one before it ended. */
  readonly walk?: boolean;
  /** Whether the store is many thousand rows larger afterwards: a fast machine would outgrow the memory for records. */
  readonly grows?: boolean;
}

const get = (path: string) => `GET\t${path}\t`;
const post = (path: string, body: unknown) => `POST\t${path}\t${JSON.stringify(body)}`;
const put = (path: string, body: unknown) => `PUT\t${path}\t${JSON.stringify(body)}`;

const oneOf = (choices: readonly string[]) => `<${choices.join("|")}>`;

/** Rows of a page. */
const LIMIT = 10;
/** Rows of a page of a walk. */
export const WALKED = 100;

/** The query for any page of a list with so many rows. */
const anyPage = (rows: number) =>
  `limit=${LIMIT}&page=<1..${Math.max(1, Math.floor(rows / LIMIT))}>`;

/** Every order that a list declares, each both ways. */
export function sortsOf({ sort }: { readonly sort: readonly string[] }): string[] {
  return [...sort, "createdAt", "updatedAt"].flatMap((field) => [field, `-${field}`]);
}

export const credentials = { email: "bench@example.com", password: "benchmark password" };

/** Accounts that sign in: so many that none reaches its rate limit of 60 sign-ins a minute from one network. */
const SAILORS = 5000;

const logins: Templates = (rows) => {
  const { password } = credentials;
  return Array.from({ length: Math.min(rows, SAILORS) }, (_, i) => i)
    .filter((i) => i > 0 && i % 10 !== 9)
    .map((i) => post("/api/auth/login", { email: sailorEmail(i, rows), password }));
};

const document = { title: "Measured", content: "# Measured\n\nA line." };

const create = post("/api/documents", document);
const figures = get("/api/dashboard/stats");
const byId = get("/api/users/<id>");

/** 200 writes a second: names that move their users in the lists, and new documents. */
export const writes: Pick<Requests, "requests" | "rate" | "connections"> = {
  requests: [put("/api/users/<id>", { name: `${oneOf(GIVEN)} ${oneOf(FAMILY)}` }), create],
  rate: 200,
  connections: 16,
};

/** Any page of a list of so many rows in any order; `path` may end with filters. */
const anyPageOf = (
  path: string,
  rows: number,
  declaration: { readonly sort: readonly string[] },
) => get(`${path}${anyPage(rows)}&sort=${oneOf(sortsOf(declaration))}`);

const pageOfUsers: Templates = (rows) => [anyPageOf("/api/users?", rows, users)];

/** A tenth of the users is inactive, and all but one have the role `user`. */
const filteredUsers: Templates = (rows) => [
  anyPageOf("/api/users?status=inactive&", rows / 10, users),
  anyPageOf("/api/users?status=active&role=user&", rows * 9 / 10, users),
];

const newSearches: Templates = (rows) => {
  const text = `${oneOf(aroundCrew.before)}<0..${crewsOf(rows) - 1}>x${oneOf(aroundCrew.after)}`;
  return [get(`/api/users?search=${text}&limit=${LIMIT}`)];
};

const searchesForTenth: Templates = (rows) => [
  get(`/api/users?search=${oneOf(partsOfNames)}&${anyPage(rows / 10)}`),
];

export const workloads: readonly Workload[] = [
  {
    name: "W1",
    what: "GET any user by id",
    against: "bare",
    requests: () => [byId],
    again: {
      against: "bare",
      requests: (_, { some }) => some.map((id) => get(`/api/users/${id}`)),
    },
  },
  {
    name: "W2",
    what: "GET users, page 1, with total",
    against: "bare",
    requests: () => [get(`/api/users?page=1&limit=${LIMIT}`)],
  },
  {
    name: "W3",
    what: "GET users, any page",
    against: "bare",
    requests: (rows) => [get(`/api/users?${anyPage(rows)}`)],
    again: {
      against: "W2",
      requests: (rows) => [
        get(`/api/users?page=${Math.max(1, Math.floor(rows / 2 / LIMIT))}&limit=${LIMIT}`),
      ],
    },
  },
  {
    name: "W4",
    what: "search finding about 10, by substring",
    against: "bare",
    requests: newSearches,
  },
  {
    name: "W5",
    what: "POST a document, durable when answered",
    against: "kv-create",
    requests: () => [create],
    grows: true,
  },
  { name: "W6", what: "POST login", against: "argon2id", requests: logins },
  { name: "W7", what: "GET dashboard figures", against: "bare", requests: () => [figures] },
  {
    name: "W8",
    what: "GET users, any page, any sort",
    against: "bare",
    requests: pageOfUsers,
  },
  {
    name: "W9",
    what: "GET documents, any page, any sort, as administrator",
    against: "bare",
    requests: (rows) => [anyPageOf("/api/documents?", rows, documents)],
  },
  {
    name: "W10",
    what: "GET documents likewise, as a user who sees a twentieth",
    against: "bare",
    requests: (rows) => [anyPageOf("/api/documents?", rows / 20, documents)],
    as: "member",
  },
  {
    name: "W11",
    what: "GET users, filtered, any page, any sort",
    against: "bare",
    requests: filteredUsers,
  },
  {
    name: "W12",
    what: "search finding a tenth, any page",
    against: "bare",
    requests: searchesForTenth,
  },
  {
    name: "W13",
    what: `one client's walk of all users, ${WALKED} a page`,
    against: "bare",
    requests: () => [get(`/api/users?limit=${WALKED}`)],
    walk: true,
  },
  {
    name: "W14",
    what: "figures beside 200 writes/s",
    against: "bare",
    requests: () => [figures],
    beside: () => writes,
  },
  {
    name: "W15",
    what: "users, any page, any sort, beside 200 writes/s",
    against: "alone",
    requests: pageOfUsers,
    beside: () => writes,
  },
  {
    name: "W16",
    what: "users, filtered, beside 200 writes/s",
    against: "alone",
    requests: filteredUsers,
    beside: () => writes,
  },
  {
    name: "W17",
    what: "search finding about 10, beside 200 writes/s",
    against: "alone",
    requests: newSearches,
    beside: () => writes,
  },
  {
    name: "W18",
    what: "any user by id, beside logins",
    against: "alone",
    requests: () => [byId],
    beside: (rows) => ({ requests: logins(rows, { ids: "", some: [] }), connections: 8 }),
  },
  {
    name: "W19",
    what: "any user by id, with an API key",
    against: "alone",
    as: "program",
    requests: () => [byId],
  },
];

/** Those whose every question is a new one. */
export const newEachTime = workloads.filter(({ name }) =>
  ["W1", "W3", "W4", "W8", "W9", "W10", "W11", "W12"].includes(name)
);

/** The request that measures each limit. */
const limitRequests: Readonly<Record<Limit, string>> = {
  bare: get("/bare"),
  "kv-get": get("/kv-get"),
  "kv-create": post("/kv-create", document),
  argon2id: post("/argon2id", {}),
};

/** The load that shows a limit; that of the bare server makes its requests as the workload does. */
export function limitLoad(limit: Limit, requests: readonly string[]): Pick<Requests, "requests"> {
  if (limit !== "bare") return { requests: [limitRequests[limit]] };
  return { requests: requests.map((template) => get(`/bare?${template.split("\t")[1]}`)) };
}
