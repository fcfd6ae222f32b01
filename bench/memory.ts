// Rates of questions put to a store through its port, chosen at random so that they are new, and how long the event
// loop was held at worst.
//
// deno run -A bench/memory.ts [--url kv:FILE] [--rows 100000] [--seconds 2]
import { parseArgs } from "node:util";
import { type Document, documents } from "../models/documents.ts";
import { type User, users } from "../models/users.ts";
import { openStore } from "../storage/open.ts";
import type { ListQuery, Store } from "../storage/port.ts";
import { MIB } from "../core/units.ts";
import { aroundCrew, crewsOf, partsOfNames } from "./people.ts";
import { inNewFolder, seedStore } from "./site.ts";
import { sortsOf, WALKED } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    rows: { type: "string", default: "100000" },
    seconds: { type: "string", default: "2" },
  },
});
const rows = Number(values.rows);
const seconds = Number(values.seconds);
/** Milliseconds between looks at the clock, which tell how long the event loop was held. */
const TICK = 1;
/** Questions that are asked at the same time, as by that many connections. */
const ASKERS = 32;

const below = (n: number) => Math.floor(Math.random() * n);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
const anyPage = (of: number) => ({ page: 1 + below(Math.max(1, Math.floor(of / 10))), limit: 10 });

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
}

/** @param most Questions at most; without it, as many as there is time for. */
async function measure(
  what: string,
  ask: (n: number) => unknown,
  most = Infinity,
): Promise<void> {
  let asked = 0, longest = 0, last = performance.now();
  const times: number[] = [];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - TICK);
    last = now;
  };
  const ticking = setInterval(look, TICK);
  const startedAt = performance.now();
  const until = startedAt + 1000 * seconds;
  await Promise.all(Array.from({ length: ASKERS }, async () => {
    while (performance.now() < until && asked < most) {
      const began = performance.now();
      await ask(asked++);
      times.push(performance.now() - began);
      // Each question starts in a turn of the event loop of its own, as a request does.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }));
  clearInterval(ticking);
  look();
  const rate = asked / (performance.now() - startedAt) * 1000;
  const p99 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  print(
    `${what.padEnd(44)} ${rate.toFixed(0).padStart(8)}/s  p99 ${
      p99.toFixed(1).padStart(7)
    } ms  longest hold ${longest.toFixed(0).padStart(5)} ms`,
  );
}

function memory(when: string): void {
  print(`memory ${when}: ${(Deno.memoryUsage().rss / MIB).toFixed(0)} MiB`);
}

/** Asks once, right after the start: how long one waits until memory can answer. */
async function first(what: string, ask: () => unknown): Promise<void> {
  await measure(what, ask, 1);
}

async function ask(store: Store, ids: readonly string[]): Promise<void> {
  const people = store.from(users), papers = store.from(documents);
  const page = (query: ListQuery<User>, of = rows) => people.list({ ...query, ...anyPage(of) });
  const pageOfPapers = (query: ListQuery<Document>, of = rows) =>
    papers.list({ ...query, ...anyPage(of) });
  await first("the first page 2", () => people.list({ page: 2 }));
  await first("the first search", () => papers.list({ search: `cument ${rows / 2}` }));
  await measure("users by id", () => people.get(pick(ids)));
  await measure("users, any page", () => page({}));
  await measure("users, any page, any sort", () => page({ sort: pick(sortsOf(users)) }));
  await measure(
    "users, filtered, any page, any sort",
    () => page({ where: { status: "inactive" }, sort: pick(sortsOf(users)) }, rows / 10),
  );
  await measure("search finding 10", () => people.list({ search: crewText() }));
  await measure(
    "search finding a tenth, any page",
    () => page({ search: pick(partsOfNames) }, rows / 10),
  );
  await measure(
    "documents, any page, any sort",
    () => pageOfPapers({ sort: pick(sortsOf(documents)) }),
  );
  await measure(
    "documents of a type, any page, any sort",
    () => pageOfPapers({ where: { type: "pdf" }, sort: pick(sortsOf(documents)) }, rows / 4),
  );
  await measure(`pages of ${WALKED} rows of walks`, walk(store));
}

/** The text of a search that finds one crew. */
function crewText(): string {
  return pick(aroundCrew.before) + below(crewsOf(rows)) + "x" + pick(aroundCrew.after);
}

/** Gives each question the cursor of the page before, in a walk for each of the askers. */
function walk(store: Store): (n: number) => Promise<void> {
  const cursors: (string | undefined)[] = [];
  return async (n) => {
    const cursor = cursors[n % ASKERS];
    const { nextCursor } = await store.from(users).list({ limit: WALKED, cursor });
    cursors[n % ASKERS] = nextCursor ?? undefined;
  };
}

async function main(folder: string): Promise<void> {
  const url = values.url ?? `kv:${folder}/store.kv`;
  const seeded = await seedStore(url, rows, folder);
  const ids = (await Deno.readTextFile(seeded.ids)).trimEnd().split("\n");
  const store = await openStore({ url });
  memory("at the start");
  void store.warmUp();
  await ask(store, ids);
  memory("after all of it");
  await store.close();
}

await inNewFolder(main);
