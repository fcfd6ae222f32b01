// One's preferences on the server, for one's other browsers: read when somebody signs in, written when they change here,
// read again when another browser has changed them.
import { effect } from "@preact/signals";
import { getPreferences, updatePreferencesByPatch } from "../../client/mod.ts";
import { onEvent } from "./live.ts";
import { place } from "./place.ts";
import { changesOf, preferencesFrom, readOver } from "./preference_values.ts";
import { preferences } from "./preferences.ts";
import { impersonating, user } from "./session.ts";

/** Milliseconds in which changes are gathered. */
const GATHER = 600;

/** Whose they are, and what the server has of them as far as it is known here. */
let kept: { readonly userId: string; values: Readonly<Record<string, unknown>> } | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps them on the server from now on. What cannot be reached is kept in the browser alone. */
export function keepPreferences(): void {
  if (!place.modules.includes("users")) return;
  effect(() => {
    const userId = user.value?.id;
    // Whoever acts as somebody else goes on seeing the console as they like it.
    if (userId === undefined || impersonating.value !== null) kept = null;
    else if (kept?.userId !== userId) void read(userId).catch(() => {});
  });
  effect(() => {
    const now = preferences.value;
    clearTimeout(timer);
    if (kept && Object.keys(changesOf(now, kept.values)).length > 0) {
      timer = setTimeout(() => void write().catch(() => {}), GATHER);
    }
  });
  onEvent(({ data: { collection, id } }) => {
    if (collection === "preferences" && kept && kept.userId === id) {
      void read(kept.userId).catch(() => {});
    }
  });
}

async function read(userId: string): Promise<void> {
  const { data } = await getPreferences();
  if (user.peek()?.id !== userId || impersonating.peek() !== null) return;
  const before = kept;
  kept = { userId, values: data };
  // What somebody else has left in this browser is theirs.
  const here = takeOver(userId) ? preferences.peek() : {};
  preferences.value = before?.userId === userId
    ? readOver(here, before.values, data)
    : { ...here, ...preferencesFrom(data) };
}

const OWNER = "quarterdeck.preferences.of";

/** @returns Whether what is kept in the browser was the user's, or nobody's. */
function takeOver(userId: string): boolean {
  try {
    const owner = localStorage.getItem(OWNER);
    localStorage.setItem(OWNER, userId);
    return owner === null || owner === userId;
  } catch {
    return true;
  }
}

async function write(): Promise<void> {
  if (!kept) return;
  const { userId } = kept;
  const { data } = await updatePreferencesByPatch({
    body: changesOf(preferences.peek(), kept.values),
  });
  if (kept?.userId === userId) kept.values = data;
}
