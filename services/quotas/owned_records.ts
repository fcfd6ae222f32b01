// Which records count for a quota, for whom, and for how many.
import type { Awaitable } from "../../core/awaitable.ts";
import { events, reminders } from "../../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { tasks } from "../../models/dashboard.ts";
import { documents } from "../../models/documents.ts";
import { fileVersions } from "../../models/files.ts";
import { folders } from "../../models/folders.ts";
import { conversations, messages } from "../../models/messages.ts";
import { shares } from "../../models/shares.ts";
import { snippets } from "../../models/snippets.ts";
import { teams } from "../../models/teams.ts";
import { trash } from "../../models/trash.ts";
import type { Store, Where } from "../../storage/port.ts";

/**
 * The collections whose records count, and the field with the id of the user they count for. Whatever else a user makes
 * belongs to one of these records, in a limited number each: attendees, members, tags, receipts. Old notifications and
 * tags of no document are removed by the sweep.
 */
export const owned: ReadonlyMap<string, Counted> = new Map([
  counting(documents, "ownerId"),
  counting(events, "ownerId"),
  counting(folders, "ownerId"),
  counting(fileVersions, "createdBy"),
  counting(messages, "senderId"),
  counting(conversations, "createdBy"),
  counting(teams, "ownerId"),
  counting(shares, "createdBy"),
  counting(reminders, "userId"),
  counting(snippets, "userId"),
  counting(tasks, "createdBy"),
  counting(trash, "ownerId", "records"),
]);

/** A collection whose records count. */
interface Counted {
  /** Whether it counts for who made it, not for whose it is. */
  readonly byMaker: boolean;
  /** How many a user has. */
  total(store: Pick<Store, "from">, userId: string): Awaitable<number>;
  /** How many a record counts for, and whom; a user who is deleted counts for nothing. */
  of(record: Entity): { readonly userId: string | undefined; readonly records: number };
}

/** @param weight The field that says how many a record counts for. @default each for one */
function counting<T extends Entity>(
  collection: CollectionDeclaration<T>,
  field: keyof T & string,
  weight?: keyof T & string,
): readonly [string, Counted] {
  const where = (userId: string) => ({ [field]: userId } as Where<T>);
  const counted: Counted = {
    byMaker: field === "createdBy",
    total: (store, userId) =>
      weight === undefined
        ? store.from(collection).count(where(userId))
        : sumOf(store, collection, weight, where(userId)),
    of: (record) => ({
      userId: (record as T)[field] as string | undefined,
      records: weight === undefined ? 1 : (record as T)[weight] as number,
    }),
  };
  return [collection.name, counted];
}

async function sumOf<T extends Entity>(
  store: Pick<Store, "from">,
  collection: CollectionDeclaration<T>,
  field: keyof T & string,
  where: Where<T>,
): Promise<number> {
  const [group] = await store.from(collection).aggregate({ sum: [field], where });
  return group?.sums[field] ?? 0;
}

/** Whether a user has any record that counts. */
export async function ownsRecords(store: Pick<Store, "from">, userId: string): Promise<boolean> {
  for (const { total } of owned.values()) if (await total(store, userId) > 0) return true;
  return false;
}

/** How many records a user has that count. */
export async function ownedRecords(store: Pick<Store, "from">, userId: string): Promise<number> {
  const counts = await Promise.all([...owned.values()].map(({ total }) => total(store, userId)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many records one counts for. */
export function recordsIn({ name }: { name: string }, record: Entity): number {
  return owned.get(name)?.of(record).records ?? 0;
}
