// Fills a store with users and as many documents, by the store's own bulk load. Prints what a load needs to know.
import { parseArgs } from "node:util";
import { v7 } from "uuid";
import { type Document, documents } from "../models/documents.ts";
import { type User, users } from "../models/users.ts";
import { openStore } from "../storage/open.ts";
import { seedRoles } from "../services/accounts/first_start.ts";
import { hashPassword } from "../services/accounts/passwords.ts";
import { variants } from "../config/variants.ts";
import { type Share, shares } from "../models/shares.ts";
import { FAMILY, GIVEN, sailorEmail } from "./people.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "kv::memory:" },
    rows: { type: "string", default: "1000" },
    variant: { type: "string", default: "compact" },
    /** The file that the ids of all users are written to, one a line. */
    ids: { type: "string", default: "ids.txt" },
  },
});
const rows = Number(values.rows);

export interface Seeded {
  /** The file with the ids of all users. */
  readonly ids: string;
  /** Ids of a thousand users, evenly spread over all. */
  readonly some: readonly string[];
}

const START = Date.UTC(2024, 0, 1);
/** The user, by number, who owns each document in so many: a plain user who sees these and those shared with him. */
const MEMBER = { number: 1, owns: 20, shared: 200 };

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

function* someDocuments(
  ids: string[],
  owners: readonly string[],
): Generator<Omit<Document, "rev">> {
  for (let i = 0; i < rows; i++) {
    const content = `# Document ${i}\n\nAs it was written.`;
    const stamped = stamps(i);
    ids.push(stamped.id);
    yield {
      ...stamped,
      title: `Document ${i}`,
      content,
      type: i % 4 === 0 ? "pdf" : "document",
      size: content.length,
      ownerId: owners[i % MEMBER.owns === 0 ? MEMBER.number : i]!,
    };
  }
}

/** Shares of documents that others own with the member. */
function* someShares(
  papers: readonly string[],
  owners: readonly string[],
): Generator<Omit<Share, "rev">> {
  const step = Math.max(MEMBER.owns, Math.floor(rows / MEMBER.shared));
  for (let i = MEMBER.owns / 2; i < rows; i += step) {
    yield {
      ...stamps(i),
      documentId: papers[i]!,
      userId: owners[MEMBER.number]!,
      permission: "read",
      createdBy: owners[i]!,
    };
  }
}

const store = await openStore({ url: values.url });
const ids: string[] = [], papers: string[] = [];
await seedRoles(store, variants[values.variant]!);
await store.load(users, someUsers(ids, await hashPassword("benchmark password")));
await store.load(documents, someDocuments(papers, ids));
await store.load(shares, someShares(papers, ids));
await store.close();
await Deno.writeTextFile(values.ids, ids.join("\n") + "\n");
const some = Array.from({ length: 1000 }, (_, i) => ids[Math.floor(i * rows / 1000)]!);
const seeded: Seeded = { ids: values.ids, some };
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(seeded)));
