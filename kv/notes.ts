// Short texts that the store keeps about itself, among them the version of its layout, which keeps older programs out.
import type { Note, Notes } from "../storage/port.ts";
import type { Client } from "./client.ts";
import { noteKey } from "./keys.ts";

/** The version of what keys and values mean. To be raised with a change that older programs would misread. */
export const LAYOUT = 1;
const LAYOUT_NOTE = "layout";
/** Notes in one listing, at most: there is one for each process. */
const MAX_LISTED = 500;

export class KvNotes implements Notes {
  constructor(readonly client: Client) {}

  async get(name: string): Promise<string | null> {
    const { value } = await this.client.get(noteKey(name));
    return value === null ? null : String(value);
  }

  async set(name: string, text: string): Promise<void> {
    await this.client.commit([{ kind: "set", key: noteKey(name), value: text }]);
  }

  async remove(name: string): Promise<void> {
    await this.client.commit([{ kind: "delete", key: noteKey(name) }]);
  }

  async list(prefix: string): Promise<readonly Note[]> {
    const selector = {
      start: noteKey(prefix) as Deno.KvKey,
      end: noteKey(`${prefix}\u{10ffff}`) as Deno.KvKey,
    };
    const entries = await this.client.list(selector, { limit: MAX_LISTED });
    return entries.map(({ key, value }) => ({ name: String(key[1]), text: String(value) }));
  }
}

/**
 * Writes the layout's version where there is none: a store made before versions were written has the first layout.
 *
 * @throws The store has a newer layout.
 */
export async function holdLayout(notes: KvNotes): Promise<void> {
  const found = await notes.get(LAYOUT_NOTE);
  if (found === null) return await notes.set(LAYOUT_NOTE, String(LAYOUT));
  if (Number(found) <= LAYOUT) return;
  throw new Error(
    `Cannot open the store: it has layout ${found}, of a newer version of the program; this version knows ` +
      `layouts up to ${LAYOUT}`,
  );
}
