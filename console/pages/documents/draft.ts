// What was written and not saved: kept in this tab, so that closing a page by mistake loses nothing.

export interface Draft {
  /** The version that it began with, and what that said. */
  readonly etag: string;
  readonly base: string;
  readonly content: string;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (userId: string, id: string) => `quarterdeck.draft.${userId}.${id}`;

export function readDraft(storage: Storage, userId: string, id: string): Draft | null {
  try {
    const kept = JSON.parse(storage.getItem(keyOf(userId, id)) ?? "null") as Draft | null;
    const whole = typeof kept?.etag === "string" && typeof kept.base === "string" &&
      typeof kept.content === "string";
    return whole ? kept : null;
  } catch {
    return null;
  }
}

/** @param draft Null where all is saved. */
export function keepDraft(storage: Storage, userId: string, id: string, draft: Draft | null): void {
  try {
    if (draft) storage.setItem(keyOf(userId, id), JSON.stringify(draft));
    else storage.removeItem(keyOf(userId, id));
  } catch {
    // Full, or switched off: the page itself still holds the text.
  }
}
