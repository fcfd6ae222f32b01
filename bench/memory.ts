// Rates of questions put to a store through its port, most chosen at random so that they are new, and how long the
// event loop was blocked at worst.
//
// deno run -A bench/memory.ts [--url kv:FILE] [--rows 100000] [--seconds 2]
import { parseArgs } from "node:util";
import { v7 } from "uuid";
import { type Document, documents } from "../models/documents.ts";
import { type User, users } from "../models/users.ts";
import { openStore } from "../storage/open.ts";
import { seedRoles } from "../services/accounts/first_start.ts";
import { variants } from "../config/variants.ts";
import type { ListQuery, Store } from "../storage/port.ts";
import { MIB } from "../core/units.ts";
import { sailorEmail } from "./people.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    rows: { type: "string", default: "100000" },
    seconds: { type: "string", default: "2" },
  },
});
const rows = Number(values.rows);
const seconds = Number(values.seconds);
/** Milliseconds between looks at the clock, which tell how long the event loop was blocked. */
const TICK = 1;
/** Questions that are asked at the same time, as by that many connections. */
const ASKERS = 32;
const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
const GIVEN = ["Ada", "Bela", "Cora", "Dima", "Edda", "Finn", "Gita", "Hugo", "Ines", "Jona"];
const START = Date.UTC(2024, 0, 1);

function stamps(i: number) {
  const msecs = START + i * 1000;
  const at = new Date(msecs).toISOString();
  return { id: v7({ msecs, seq: i }), createdAt: at, updatedAt: at };
}

const person = (i: number): Omit<User, "rev"> => ({
  ...stamps(i),
  name: `${GIVEN[i % 10]} ${GIVEN[Math.floor(i / 10) % 10]}`,
  email: sailorEmail(i, rows),
  role: "user",
  permissions: [],
  status: i % 10 === 9 ? "inactive" : "active",
  passwordHash: HASH,
});

const document = (i: number, ownerId: string): Omit<Document, "rev"> => ({
  ...stamps(i),
  title: `Document ${i}`,
  content: `# Document ${i}\n\nAs it was written.`,
  type: i % 4 === 0 ? "pdf" : "document",
  size: 40,
  ownerId,
});

async function seed(url: string): Promise<string[]> {
  const store = await openStore({ url });
  await seedRoles(store, variants.compact!);
  const people = Array.from({ length: rows }, (_, i) => person(i));
  await store.load(users, people);
  await store.load(documents, people.map(({ id }, i) => document(i, id)));
  await store.close();
  return people.map(({ id }) => id);
}

const below = (n: number) => Math.floor(Math.random() * n);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
const anyPage = (of: number) => ({ page: 1 + below(Math.max(1, Math.floor(of / 10))), limit: 10 });

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
}

async function measure(what: string, ask: (n: number) => unknown): Promise<void> {
  let asked = 0, longest = 0, last = performance.now();
  const times: number[] = [];
  const ticking = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - TICK);
    last = now;
  }, TICK);
  const startedAt = performance.now();
  const until = startedAt + 1000 * seconds;
  await Promise.all(Array.from({ length: ASKERS }, async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await ask(asked++);
      times.push(performance.now() - began);
      // Each question starts in a turn of the event loop of its own, as a request does.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }));
  clearInterval(ticking);
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

async function ask(store: Store, ids: readonly string[]): Promise<void> {
  const people = store.from(users), papers = store.from(documents);
  const page = (query: ListQuery<User>) => people.list({ ...query, ...anyPage(rows) });
  await measure("first page other than the first", () => people.list({ page: 2 }));
  await measure("users by id, all at random", () => people.get(pick(ids)));
  await measure("users, any page", () => page({}));
  await measure(
    "users, any page, any sort",
    () => page({ sort: pick(["name", "-email", "status"]) }),
  );
  await measure(
    "users, filtered and sorted, any page",
    () => people.list({ where: { status: "inactive" }, sort: "-name", ...anyPage(rows / 10) }),
  );
  await measure(
    "search finding 10, each new",
    (n) => people.list({ search: `crew${n % (rows / 10)}x` }),
  );
  await measure(
    "search finding a tenth, any page",
    () => people.list({ search: pick(GIVEN).slice(0, 3), ...anyPage(rows / 10) }),
  );
  await measure(
    "documents, any page, sort=title",
    () => papers.list({ sort: "title", ...anyPage(rows) }),
  );
  await measure(
    "documents of a type, by size, any page",
    () => papers.list({ where: { type: "pdf" }, sort: "-size", ...anyPage(rows / 4) }),
  );
}

const directory = await Deno.makeTempDir({ prefix: "quarterdeck-bench-" });
const url = values.url ?? `kv:${directory}/store.kv`;
const ids = await seed(url);
const store = await openStore({ url });
memory("at the start");
store.warmUp();
await ask(store, ids);
memory("after all of it");
await store.close();
await Deno.remove(directory, { recursive: true });
