// Every kind of list there is, asked for the first time: how long its page takes at 100,000 records.
import { parseArgs } from "node:util";
import { answerHelp, print } from "../core/command_line.ts";
import { allCollections } from "../models/all.ts";
import { events } from "../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../models/collection.ts";
import { documents } from "../models/documents.ts";
import { contents, files } from "../models/files.ts";
import { folders } from "../models/folders.ts";
import { conversations, messages } from "../models/messages.ts";
import { notifications } from "../models/notifications.ts";
import { roles } from "../models/roles.ts";
import { teams } from "../models/teams.ts";
import { users } from "../models/users.ts";
import { tableOf } from "../sql/tables.ts";
import { openStore } from "../storage/open.ts";
import type { ListQuery, Store } from "../storage/port.ts";
import { FAMILY, GIVEN } from "./people.ts";
import { anyRecord } from "./records.ts";
import { inNewFolder, storeUrl } from "./site.ts";

answerHelp(`Usage: deno task bench:lists [options]

  --engine kv         or sqlite, postgres
  --rows 100000       of each collection
  --only users        a collection; others are left out
  --slow 20           milliseconds from which on a list is told

Asks each collection for each order, filter, search and page, in a random order, of a store that was just opened, and again of
one opened anew; the faster of both counts.`);

const { values: options } = parseArgs({
  options: {
    engine: { type: "string", default: "kv" },
    rows: { type: "string", default: "100000" },
    only: { type: "string" },
    slow: { type: "string", default: "20" },
  },
});

const ROWS = Number(options.rows);
const SLOW = Number(options.slow);
/** Records of what the lists only refer to. */
const FEW = 20;

// deno-lint-ignore no-explicit-any -- collections of different records
type Any = CollectionDeclaration<any>;
const referred: readonly Any[] = [roles, contents, folders, conversations];
const listed: readonly Any[] = [users, documents, files, events, messages, notifications, teams]
  .filter(({ name }) => options.only === undefined || name === options.only);

/** All; then what texts have: all of them, most, none, a few of a hundred, none, a tenth, ten of them, none. */
const SEARCHES = [undefined, "text", "a", "q", "77", "zz", "sato", "crew77x", "nowhere"];
const PAGES = [1, 7, 5000];

/** Record `n` has these words. */
function textOf(n: number): string {
  return `Text of ${GIVEN[n % 10]} ${FAMILY[Math.floor(n / 10) % 10]} ${n} crew${n % 10_000}x`;
}

/** A tenth belongs to one, so that a filter by it finds many. */
function ownerOf(n: number, of: number): number {
  return n % 10 === 0 ? 0 : n % of;
}

async function fill(url: string): Promise<void> {
  const store = await openStore({ url });
  const ids = new Map<string, readonly string[]>();
  const needed = new Set([...referred, users, teams, ...listed]);
  // Those that others refer to come first.
  for (const declaration of allCollections.filter((one) => needed.has(one))) {
    const count = listed.includes(declaration) || declaration === users ? ROWS : FEW;
    const records = Array.from(
      { length: count },
      (_, n) => anyRecord(tableOf<Entity>(declaration), n, ids, textOf(n), ownerOf),
    );
    ids.set(declaration.name, records.map(({ id }) => id));
    await store.load(declaration, declaration === roles ? [aRole(records[0]!)] : records);
  }
  await store.close();
}

function aRole(record: object) {
  return { ...record, name: "user", permissions: [] } as unknown as Omit<Entity, "rev">;
}

interface Shape {
  readonly declaration: Any;
  readonly query: ListQuery<Entity>;
  ms: number;
}

function shapesOf(declaration: Any, some: Entity): Shape[] {
  const orders = ["createdAt", "updatedAt", ...declaration.sort].flatMap((f) => [f, `-${f}`]);
  const value = (field: string) => (some as unknown as Record<string, string>)[field] ?? null;
  const filters = [{}, ...declaration.filter.map((field) => ({ [field]: value(field) }))];
  return orders.flatMap((sort) =>
    filters.flatMap((where) =>
      SEARCHES.flatMap((search) =>
        PAGES.map((page) => ({
          declaration,
          query: { sort, where, search, page, limit: 10 } as ListQuery<Entity>,
          ms: Infinity,
        }))
      )
    )
  );
}

function shuffled<T>(items: readonly T[]): T[] {
  return items.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function ask(store: Store, shapes: readonly Shape[]): Promise<void> {
  for (const shape of shuffled(shapes)) {
    const began = performance.now();
    await store.from(shape.declaration).list(shape.query);
    shape.ms = Math.min(shape.ms, performance.now() - began);
  }
}

/** Until what lists need is in memory, where an engine keeps them there. */
async function warmUp(store: Store): Promise<void> {
  await store.warmUp();
  for (const declaration of listed) {
    await store.from(declaration).list({ search: "text", sort: "createdAt", limit: 1 } as never);
  }
}

function rowOf(name: string, shapes: readonly Shape[]): string {
  const times = shapes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor((times.length - 1) * part)]!.toFixed(1);
  const slow = times.filter((ms) => ms > SLOW).length;
  return `| ${name} | ${times.length} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${slow} |`;
}

async function main(folder: string): Promise<number> {
  const url = await storeUrl(options.engine, folder);
  await fill(url);
  let shapes: Shape[] = [];
  for (let round = 0; round < 2; round++) {
    const store = await openStore({ url });
    if (round === 0) {
      for (const declaration of listed) {
        const { rows } = await store.from(declaration).list({ page: 11, limit: 10 });
        shapes = shapes.concat(shapesOf(declaration, rows[5] as Entity));
      }
    }
    await warmUp(store);
    await ask(store, shapes);
    await store.close();
  }
  const slow = shapes.filter(({ ms }) => ms > SLOW).sort((a, b) => b.ms - a.ms);
  for (const { declaration, query, ms } of slow.slice(0, 60)) {
    print(`${ms.toFixed(0).padStart(6)} ms ${declaration.name} ${JSON.stringify(query)}`);
  }
  print(`\n| ${options.engine} | Lists | Median ms | p99 ms | Longest ms | Over ${SLOW} ms |`);
  print("| --- | --- | --- | --- | --- | --- |");
  for (const declaration of listed) {
    print(rowOf(declaration.name, shapes.filter((shape) => shape.declaration === declaration)));
  }
  return slow.length;
}

Deno.exit(await inNewFolder(main) === 0 ? 0 : 1);
