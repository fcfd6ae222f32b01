// Fills an empty store with a coherent demo. The same moment gives the same demo, but for the salt of the password.
import { getLogger } from "@logtape/logtape";
import type { Settings } from "../../config/settings.ts";
import { conversations } from "../../models/messages.ts";
import { documents } from "../../models/documents.ts";
import { events } from "../../models/calendar.ts";
import { sales, tasks } from "../../models/dashboard.ts";
import { contents, files } from "../../models/files.ts";
import { folders } from "../../models/folders.ts";
import { teams } from "../../models/teams.ts";
import { type User, users } from "../../models/users.ts";
import { type Entity, type Store, UniqueConflict, VersionConflict } from "../../storage/port.ts";
import { addAgenda } from "./agenda.ts";
import { addDocuments } from "./content.ts";
import { addFigures } from "./figures.ts";
import { addFiles, type Contents } from "./files.ts";
import { addHistory } from "./history.ts";
import { addPeople, DEMO_PASSWORD, demoEmail, madeAt } from "./people.ts";
import { addTalk } from "./talk.ts";
import { addSnippets } from "./snippets.ts";
import { type Batch, World } from "./world.ts";
import { hashPassword } from "../accounts/passwords.ts";
import { MIB } from "../../core/units.ts";

const log = getLogger(["quarterdeck", "demo"]);

/** A store counts as empty when it has none of these and no user but the first administrator. */
const CONTENT = [documents, files, folders, teams, conversations, events, tasks, sales];

/** The accounts are loaded first: with them a start finds a demo that was not finished. */
const ACCOUNTS = 3;
/** The last sale is loaded last of all, and nobody can delete it: with it the demo is complete. */
const LAST = sales.name;
/** The limit when blobs are put: far above the size of any file of the demo. */
const MAX_BYTES = MIB;

interface Demo {
  readonly batches: readonly Batch[];
  readonly bytes: Contents;
}

/**
 * Fills a store that holds nothing but, perhaps, its first administrator; finishes a demo whose making broke off. Any
 * other store is left as it is.
 *
 * @param now What the dates of the demo are relative to. @default the system's time
 * @returns Lines to tell at the start; none when nothing was done.
 */
export async function fillDemoData(
  store: Store,
  settings: Pick<Settings, "production">,
  now: Date = new Date(),
): Promise<string[]> {
  const begun = await store.from(users).findBy("email", demoEmail("admin"));
  const empty = begun === null && await isEmpty(store);
  if (begun === null && !empty) {
    log.info("USE_MOCK changes nothing: the store is in use");
    return [];
  }
  const chief = await firstAdministrator(store);
  const passwordHash = begun?.passwordHash ?? await hashPassword(DEMO_PASSWORD);
  const demo = makeDemo(begun ? madeAt(begun) : now.getTime(), chief, passwordHash);
  if (begun && !await isUnfinished(store, demo, begun)) {
    log.info("USE_MOCK changes nothing: the demo data is there already");
    return [];
  }
  if (!await load(store, demo)) {
    log.info("USE_MOCK changes nothing: another process fills the store");
    return [];
  }
  return [
    `Demo accounts, all with the password ${DEMO_PASSWORD}: ${
      (["admin", "user", "guest"] as const).map(demoEmail).join(", ")
    }`,
    ...settings.production
      ? ["This is production, and everyone knows that password: change or delete the demo accounts"]
      : [],
  ];
}

function makeDemo(now: number, chief: User | null, passwordHash: string): Demo {
  const world = new World(now);
  const people = addPeople(world, chief, passwordHash);
  addDocuments(world, people);
  const bytes = addFiles(world, people);
  addTalk(world, people);
  addAgenda(world, people);
  addFigures(world, people);
  addSnippets(world, people);
  addHistory(world, people);
  const batches = world.batches.filter(({ collection }) => collection.name !== LAST);
  return {
    batches: [...batches, ...world.batches.filter((batch) => !batches.includes(batch))],
    bytes,
  };
}

async function isEmpty(store: Store): Promise<boolean> {
  if (await store.from(users).count() > 1) return false;
  for (const collection of CONTENT) {
    if (
      (await store.from<Entity>(collection as Batch["collection"]).list({ limit: 1 })).total > 0
    ) return false;
  }
  return true;
}

/** The oldest super_admin: made by the first start. */
async function firstAdministrator(store: Store): Promise<User | null> {
  const { rows } = await store.from(users).list({
    where: { role: "super_admin" },
    sort: "createdAt",
    limit: 1,
  });
  return rows[0] ?? null;
}

/** True when the account is that of a demo whose last record is missing, and not someone's own with that address. */
async function isUnfinished(store: Store, { batches }: Demo, begun: User): Promise<boolean> {
  const [accounts] = batches;
  const last = batches.at(-1)!.records.at(-1)!;
  return accounts!.records[0]!.id === begun.id && await store.from(sales).get(last.id) === null;
}

/** Loads what is not there yet. @returns False where another process, which began as well, is ahead: that one ends it. */
async function load(store: Store, demo: Demo): Promise<boolean> {
  try {
    await loadMissing(store, demo);
    return true;
  } catch (error) {
    if (error instanceof UniqueConflict || error instanceof VersionConflict) return false;
    throw error;
  }
}

async function loadMissing(store: Store, { batches, bytes }: Demo): Promise<void> {
  for (const { collection, records } of batches) {
    const known = await store.from<Entity>(collection).getMany(records.map(({ id }) => id));
    const missing = records.filter((_, index) => known[index] === null);
    const parts = collection.name === users.name
      ? [missing.slice(0, ACCOUNTS), missing.slice(ACCOUNTS)]
      : [missing.slice(0, -1), missing.slice(-1)];
    for (const part of parts) {
      const ready = collection.name === contents.name ? await withBlobs(store, part, bytes) : part;
      await store.load<Entity>(collection, ready);
    }
  }
}

/** Puts the bytes of contents, whose records then name them. */
async function withBlobs(
  store: Store,
  records: Batch["records"],
  bytes: Contents,
): Promise<Batch["records"]> {
  return await Promise.all(records.map(async (record) => {
    const stream = new Blob([bytes.get(record.id)! as Uint8Array<ArrayBuffer>]).stream();
    const blob = await store.blobs.put(stream, { maxBytes: MAX_BYTES });
    return { ...record, blobId: blob.id };
  }));
}
