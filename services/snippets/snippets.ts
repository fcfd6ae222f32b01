// What snippets may take and how long they stay: the quota of an owner, the room that snippets without an owner share,
// and their expiry.
import { ApiError } from "../../core/errors.ts";
import { turns } from "../../core/turns.ts";
import { type Snippet, snippets } from "../../models/snippets.ts";
import type { NewRecord, Store, Transaction } from "../../storage/port.ts";
import { sourceBytes } from "./markdown.ts";
import { DAY } from "../../core/units.ts";

/** Bytes that a snippet takes beside its text: its record, its keys and its place in the indexes. */
const RECORD_BYTES = 1024;
/** Snippets without an owner may together take as much as those of so many owners. */
const ANONYMOUS_SHARE = 10;
/** Snippets removed per commit: a record may have half a mebibyte, and a commit is read whole. */
const BATCH = 20;

const ofOwner = new WeakMap<Store, ReturnType<typeof turns>>();

/** An owner's snippets are stored one after another, so that those sent together are counted too. */
function inTurn(store: Store): ReturnType<typeof turns> {
  let wait = ofOwner.get(store);
  if (!wait) ofOwner.set(store, wait = turns());
  return wait;
}

/** `store.transact` in somebody's name. */
type Transact = <R>(plan: (tx: Transaction) => Promise<R>) => Promise<R>;

/**
 * Stores a snippet.
 *
 * @param options.quota Bytes that an owner's snippets may take.
 * @throws {ApiError} PAYLOAD_TOO_LARGE when they would take more.
 */
export function keepSnippet(
  snippet: Pick<NewRecord<Snippet>, "content" | "language" | "userId" | "unnamed">,
  { store, transact, quota }: { store: Store; transact: Transact; quota: number },
): Promise<Snippet> {
  const userId = snippet.userId ?? null;
  const size = sourceBytes(snippet.content);
  const allowed = userId === null ? ANONYMOUS_SHARE * quota : quota;
  return inTurn(store)(userId ?? "", () =>
    transact(async (tx) => {
      const [group] = await tx.from(snippets).aggregate({ sum: ["size"], where: { userId } });
      const used = group ? group.count * RECORD_BYTES + group.sums.size! : 0;
      if (used + RECORD_BYTES + size > allowed) throw full(userId, size, allowed - used);
      // A random id: whoever was not given the link cannot find the snippet by its time.
      return tx.insert(snippets, { ...snippet, id: crypto.randomUUID(), size });
    }));
}

function full(userId: string | null, size: number, left: number): ApiError {
  const room = Math.max(0, left - RECORD_BYTES);
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    userId === null
      ? "Cannot share the snippet: there is no room for snippets without an owner; sign in, or try again later"
      : `Cannot share the snippet: it has ${size} bytes, and ${room} are left of your quota; remove others first`,
  );
}

/**
 * When a snippet expires. Only those without an owner do, for they have nobody who could remove them.
 *
 * @param days Days that such a snippet stays; with 0 it never expires.
 * @returns ISO 8601; undefined when it never expires.
 */
export function expiryOf({ userId, createdAt }: Snippet, days: number): string | undefined {
  if (userId !== undefined || days === 0) return undefined;
  return new Date(Date.parse(createdAt) + days * DAY).toISOString();
}

/** A snippet that is there and has not expired; null when there is none. */
export async function findSnippet(
  store: Pick<Store, "from">,
  id: string,
  { days, now }: { readonly days: number; readonly now: Date },
): Promise<Snippet | null> {
  const snippet = await store.from(snippets).get(id);
  const expiresAt = snippet && expiryOf(snippet, days);
  return expiresAt && expiresAt <= now.toISOString() ? null : snippet;
}

/** Removes snippets that have expired, a few per commit. */
export async function removeExpiredSnippets(store: Store, days: number, now: Date): Promise<void> {
  if (days === 0) return;
  const before = new Date(now.getTime() - days * DAY).toISOString();
  const where = { userId: null, createdAt: { lte: before } };
  for (;;) {
    const { rows } = await store.from(snippets).list({ where, limit: BATCH });
    if (rows.length === 0) return;
    await store.transact({ userId: null }, async (tx) => {
      for (const snippet of await tx.from(snippets).getMany(rows.map(({ id }) => id))) {
        if (snippet && expiryOf(snippet, days)) tx.remove(snippets, snippet);
      }
    });
  }
}
