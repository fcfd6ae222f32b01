// Which records of a batch the caller may delete or move, and what is told of each.
import type { BatchOutcome } from "../../models/batches.ts";
import type { Document } from "../../models/documents.ts";
import type { File } from "../../models/files.ts";
import type { CollectionDeclaration, Transaction } from "../../storage/port.ts";
import type { Principal } from "./access.ts";
import { levelsOf, reaches } from "./visibility.ts";

export interface Chosen<T> {
  readonly chosen: readonly T[];
  /** By id, each once, in the order of the request. */
  readonly outcomes: BatchOutcome[];
}

/** Documents or files: those that the caller owns, or manages. */
export async function ownedOf<T extends Document | File>(
  tx: Transaction,
  principal: Principal,
  collection: CollectionDeclaration<T> & { readonly name: string },
  { ids, done }: { readonly ids: readonly string[]; readonly done: "deleted" | "moved" },
): Promise<Chosen<T>> {
  const asked = [...new Set(ids)];
  const found = await tx.from(collection).getMany(asked);
  const present = found.filter((record) => record !== null);
  const resource = collection.name as "documents" | "files";
  const levels = await levelsOf(tx, principal, resource, present, tx.now);
  const levelById = new Map(present.map((record, n) => [record.id, levels[n]!]));
  const outcomes = asked.map((id): BatchOutcome => {
    const level = levelById.get(id) ?? "none";
    if (level === "none") return { id, status: "not_found" };
    return { id, status: reaches(level, "owner") ? done : "forbidden" };
  });
  const chosen = present.filter((record) => reaches(levelById.get(record.id)!, "owner"));
  return { chosen, outcomes };
}
