// Fills a store with users and as many documents, by the store's own bulk load. Prints what a load needs to know.
import { parseArgs } from "node:util";
import { v7 } from "uuid";
import { type Document, documents } from "../models/documents.ts";
import { type User, users } from "../models/users.ts";
import { openStore } from "../storage/open.ts";
import { seedRoles } from "../services/accounts/first_start.ts";
import { hashPassword } from "../services/accounts/passwords.ts";
import { variants } from "../config/variants.ts";
import { sailorEmail } from "./people.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "kv::memory:" },
    rows: { type: "string", default: "1000" },
    variant: { type: "string", default: "compact" },
  },
});
const rows = Number(values.rows);

export interface Seeded {
  /** Ids of a thousand users, evenly spread over all. */
  readonly ids: readonly string[];
}

const START = Date.UTC(2024, 0, 1);
const GIVEN = ["Ada", "Bela", "Cora", "Dima", "Edda", "Finn", "Gita", "Hugo", "Ines", "Jona"];
const FAMILY = [
  "Marsh",
  "Okoye",
  "Lind",
  "Sato",
  "Rossi",
  "Novak",
  "Diaz",
  "Khan",
  "Weber",
  "Reed",
];
/** Id and times of record `i`: records are created a second apart, and ids hold the same time. */
function stamps(i: number) {
  const msecs = START + i * 1000;
  const at = new Date(msecs).toISOString();
  return { id: v7({ msecs, seq: i }), createdAt: at, updatedAt: at };
}

function* someUsers(ids: string[], passwordHash: string): Generator<Omit<User, "rev">> {
  for (let i = 0; i < rows; i++) {
    const stamped = stamps(i);
    ids.push(stamped.id);
    yield {
      ...stamped,
      name: `${GIVEN[i % 10]} ${FAMILY[Math.floor(i / 10) % 10]}`,
      email: i === 0 ? "bench@example.com" : sailorEmail(i, rows),
      role: i === 0 ? "super_admin" : "user",
      permissions: [],
      status: i % 10 === 9 ? "inactive" : "active",
      passwordHash,
    };
  }
}

function* someDocuments(ids: readonly string[]): Generator<Omit<Document, "rev">> {
  for (let i = 0; i < rows; i++) {
    const content = `# Document ${i}\n\nAs it was written.`;
    yield {
      ...stamps(i),
      title: `Document ${i}`,
      content,
      type: i % 4 === 0 ? "pdf" : "document",
      size: content.length,
      ownerId: ids[i % ids.length]!,
    };
  }
}

const store = await openStore({ url: values.url });
const ids: string[] = [];
await seedRoles(store, variants[values.variant]!);
await store.load(users, someUsers(ids, await hashPassword("benchmark password")));
await store.load(documents, someDocuments(ids));
await store.close();
const spread = Array.from({ length: 1000 }, (_, i) => ids[Math.floor(i * rows / 1000)]!);
const seeded: Seeded = { ids: spread };
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(seeded)));
