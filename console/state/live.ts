// The server's events: what they tell of is read again, so that every page shows what is, whoever has changed it.
import { signal } from "@preact/signals";
import { ApiError, type RecordEvent } from "../../client/mod.ts";
import { far } from "./batches.ts";
import { queries, refresh } from "./query.ts";
import { connection, loadUser, user } from "./session.ts";

/** Whether the stream of events is open; null before it was for the first time. */
export const connected = signal<boolean | null>(null);

/** Milliseconds in which changes are gathered before what they concern is read again. */
const GATHER = 250;

/** What is made of other collections, by the collection. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  users: ["dashboard", "teams"],
  documents: ["dashboard", "trash", "revisions"],
  files: ["dashboard", "trash", "storage"],
  folders: ["files", "documents", "trash"],
  tasks: ["dashboard"],
  sales: ["dashboard"],
  events: ["dashboard"],
  messages: ["conversations"],
  trash: ["documents", "files", "folders"],
};

type Listener = (event: RecordEvent) => void;
const listeners = new Set<Listener>();

/** Calls back for each event. @returns What ends that. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let following: AbortController | null = null;
let changed = new Set<string>();

/** Follows the events of whoever is signed in, from now on. */
export function followLive(): void {
  user.subscribe((now) => {
    if (!now === !following) return;
    following?.abort();
    following = now ? new AbortController() : null;
    if (following) void follow(following.signal);
  });
}

async function follow(signal: AbortSignal): Promise<void> {
  const onConnection = (open: boolean) => {
    if (!signal.aborted) connected.value = open;
  };
  try {
    for await (const event of connection.events({ signal, onConnection })) take(event);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The session has ended, or the right to be told.
    if (error.status === 401) await loadUser().catch(() => {});
  }
}

function take(event: RecordEvent): void {
  for (const listener of listeners) listener(event);
  const { collection, id } = event.data;
  if (event.type === "reset") {
    // What one may do decides what is asked for.
    void loadUser().catch(() => {}).then(() => queries.invalidateQueries());
    return;
  }
  if (collection === undefined) return;
  if (changed.size === 0) setTimeout(readAgain, GATHER);
  changed.add(collection);
  for (const derived of DERIVED[collection] ?? []) changed.add(derived);
  const mine = collection === "users" && id === user.peek()?.id;
  if (mine || collection === "roles") void loadUser().catch(() => {});
}

function readAgain(): void {
  // Under the dialog that shows how far they are, what many changes concern is read once, when they are done.
  if (far.peek() !== null) return void setTimeout(readAgain, GATHER);
  const collections = changed;
  changed = new Set();
  refresh(...collections);
}
