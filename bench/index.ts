// What the index of a collection costs by itself: made of synthetic users, without an engine. Each line tells the time
// and the longest hold of the event loop, in milliseconds of the processor (others may use the machine), and the bytes.
//
// deno run -A bench/index.ts [--rows 100000]
import process from "node:process";
import { parseArgs } from "node:util";
import { v7 } from "uuid";
import { type User, users } from "../models/users.ts";
import { MIB } from "../core/units.ts";
import type { PageOfIds } from "../storage/memory/pages.ts";
import { Projection } from "../storage/memory/projection.ts";
import type { ListQuery } from "../storage/port.ts";
import { parseQuery, parseWhere } from "../storage/query.ts";
import { crewsOf, FAMILY, GIVEN, sailorEmail } from "./people.ts";
import { sortsOf } from "./workloads.ts";

const { values } = parseArgs({ options: { rows: { type: "string", default: "100000" } } });
const rows = Number(values.rows);
const START = Date.UTC(2024, 0, 1);
/** Records that are added in one turn of the event loop. */
const BATCH = 250;
/** Questions of one kind. */
const ASKED = 2000;

function user(i: number): User {
  const msecs = START + i * 1000;
  const at = new Date(msecs).toISOString();
  return {
    id: v7({ msecs, seq: i }),
    createdAt: at,
    updatedAt: at,
    rev: "1",
    name: `${GIVEN[i % 10]} ${FAMILY[Math.floor(i / 10) % 10]}`,
    email: sailorEmail(i, rows),
    role: "user",
    permissions: [],
    status: i % 10 === 9 ? "inactive" : "active",
  };
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
let hold = 0;
let isDone = false;

async function watch(): Promise<void> {
  for (let last = processorTime(); !isDone;) {
    await nextTurn();
    const now = processorTime();
    hold = Math.max(hold, now - last);
    last = now;
  }
}

function print(what: string, ms: number): void {
  const { rss, external, heapUsed } = Deno.memoryUsage();
  const [all, outside, heap] = [rss, external, heapUsed].map((bytes) => (bytes / MIB).toFixed(0));
  const line = `${what.padEnd(40)} ${ms.toFixed(3).padStart(10)} ms  hold ${
    hold.toFixed(0).padStart(3)
  }  memory ${all} MiB (${heap} in the heap, ${outside} outside)\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
}

/** @param times How often it is asked; each starts in a turn of its own. */
async function measure(what: string, ask: (n: number) => unknown, times = 1): Promise<void> {
  await nextTurn();
  hold = 0;
  const startedAt = processorTime();
  for (let n = 0; n < times; n++) {
    await ask(n);
    if (times > 1 && n % 20 === 0) await nextTurn();
  }
  const took = processorTime() - startedAt;
  await nextTurn();
  print(what, took / times);
}

const projection = new Projection<User>(users);
const same = (page: PageOfIds) => page;
const list = (query: ListQuery<User>) => projection.list(parseQuery(users, query), same);
const below = (n: number) => Math.floor(Math.random() * n);
const anyPage = (of: number) => ({ page: 1 + below(Math.max(1, Math.floor(of / 10))) });

async function fill(): Promise<void> {
  for (let i = 0; i < rows; i += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, rows - i) }, (_, n) => user(i + n));
    projection.apply(batch.map((record) => ({ id: record.id, record })));
    await nextTurn();
  }
}

async function walk(): Promise<void> {
  let cursor: string | undefined;
  do {
    const { nextCursor } = await list({ limit: 100, cursor });
    cursor = nextCursor ?? undefined;
    await nextTurn();
  } while (cursor);
}

const watching = watch();
await measure(`adding ${rows} users`, fill);
for (const sort of sortsOf(users).filter((sort) => !sort.startsWith("-"))) {
  await measure(`first list by ${sort}`, () => list({ sort }));
}
await measure("first list by status, then name", () => list({ sort: "status,-name" }));
await measure(
  "first list of the inactive by name",
  () => list({ where: { status: "inactive" }, sort: "-name" }),
);
await measure(
  "first figures by month",
  () => projection.aggregate({ by: "month" }, parseWhere(users, {})),
);
for (const search of ["a", "ex", "example", "ada"]) {
  await measure(`first search for '${search}'`, () => list({ search }));
}
projection.indexTexts();
await measure("search for one crew, while indexing", () => list({ search: "crew1x" }));
await measure(
  "search for a crew, each new",
  (n) => list({ search: `crew${n % crewsOf(rows)}x.` }),
  ASKED,
);
await measure("any page by name", () => list({ sort: "name", ...anyPage(rows) }), ASKED);
await measure(
  "any page of the inactive",
  () => list({ where: { status: "inactive" }, sort: "-name", ...anyPage(rows / 10) }),
  ASKED,
);
await measure("walk of all by cursor, 100 a page", walk);
await measure("adding a user", (n) => {
  const record = user(rows + n);
  projection.apply([{ id: record.id, record }]);
}, ASKED);
isDone = true;
await watching;
