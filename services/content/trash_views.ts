// What is in the trash as it is shown.
import type { z } from "zod";
import { type publicTrashEntry, type TrashEntry } from "../../models/trash.ts";
import type { Store } from "../../storage/port.ts";
import { personsById } from "../access/persons.ts";

type View = z.input<typeof publicTrashEntry>;

/** Entries with the names of those who deleted them. */
export async function trashViews(
  source: Pick<Store, "from">,
  entries: readonly TrashEntry[],
): Promise<View[]> {
  const people = await personsById(source, entries.flatMap(({ deletedBy }) => deletedBy ?? []));
  return entries.map((entry) => ({
    id: entry.id,
    kind: entry.kind,
    name: entry.name,
    path: entry.path,
    size: entry.size,
    ownerId: entry.ownerId,
    deletedBy: people.get(entry.deletedBy ?? ""),
    deletedAt: entry.createdAt,
    expiresAt: entry.expiresAt,
  }));
}
