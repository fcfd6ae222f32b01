// Stored bytes and who counts for them: what a plan adds and drops is counted up and written once, at its end.
import { type Content, contents, storageUsage } from "../../models/files.ts";
import { type Blobs, type Transaction, VersionConflict } from "../../storage/port.ts";
import { overQuota } from "./storage_usage.ts";

/** What one version of a file stores. */
interface Stored {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Bytes that were just put, not yet anyone's. */
export interface FreshBlob extends Stored {
  readonly id: string;
}

/**
 * The versions that a plan adds and drops. Reads of a plan do not see its own writes, so the sums are made here and
 * `write` is called once, last.
 */
export class Ledger {
  readonly #uses = new Map<string, Stored & { uses: number }>();
  readonly #bytes = new Map<string, number>();

  add(ownerId: string, version: Stored): void {
    this.#count(ownerId, version, 1);
  }

  drop(ownerId: string, version: Stored): void {
    this.#count(ownerId, version, -1);
  }

  /** Bytes that count for nobody's quota: thumbnails and avatars. */
  keep(made: Stored): void {
    this.#use(made, 1);
  }

  release(made: Stored): void {
    this.#use(made, -1);
  }

  #count(ownerId: string, version: Stored, uses: 1 | -1): void {
    this.#use(version, uses);
    this.#bytes.set(ownerId, (this.#bytes.get(ownerId) ?? 0) + uses * version.size);
  }

  #use({ sha256, size }: Stored, uses: 1 | -1): void {
    const known = this.#uses.get(sha256);
    this.#uses.set(sha256, { sha256, size, uses: (known?.uses ?? 0) + uses });
  }

  /**
   * Plans the reference counts and what each owner stores.
   *
   * @param quota Bytes an owner may store, all versions counted.
   * @param fresh The bytes that were put for this plan.
   * @returns Ids of the blobs that nothing refers to once the plan is committed: remove them then.
   * @throws {ApiError} PAYLOAD_TOO_LARGE when an owner would store more than the quota.
   */
  async write(tx: Transaction, quota: number, fresh?: FreshBlob): Promise<string[]> {
    for (const [ownerId, bytes] of this.#bytes) await planUsage(tx, ownerId, bytes, quota);
    const known = await this.#readContents(tx);
    const unused = [...this.#uses.values()].map((change) =>
      planContent(tx, known.get(change.sha256) ?? null, change, fresh)
    );
    return unused.filter((id) => id !== null);
  }

  /** What is stored now of all that changes. The thumbnails of a content that ends are released with it. */
  async #readContents(tx: Transaction): Promise<ReadonlyMap<string, Content | null>> {
    const known = new Map<string, Content | null>();
    const ended = new Set<Content>();
    for (;;) {
      const asked = [...this.#uses.keys()].filter((id) => !known.has(id));
      const found = asked.length > 0 ? await tx.from(contents).getMany(asked) : [];
      asked.forEach((id, n) => known.set(id, found[n] ?? null));
      const ending = [...known.values()].filter((content): content is Content =>
        content !== null && !ended.has(content) &&
        content.references + this.#uses.get(content.id)!.uses <= 0
      );
      if (ending.length === 0) return known;
      for (const content of ending) {
        ended.add(content);
        const others = content.thumbnails?.filter(({ sha256 }) => sha256 !== content.id) ?? [];
        for (const thumbnail of others) this.release(thumbnail);
      }
    }
  }
}

async function planUsage(
  tx: Transaction,
  ownerId: string,
  bytes: number,
  quota: number,
): Promise<void> {
  if (bytes === 0) return;
  const usage = await tx.from(storageUsage).get(ownerId);
  const used = (usage?.used ?? 0) + bytes;
  if (bytes > 0 && used > quota) {
    throw overQuota(bytes, quota - (usage?.used ?? 0), quota);
  }
  if (usage) tx.update(storageUsage, usage, { used });
  else tx.insert(storageUsage, { id: ownerId, used });
}

/** @returns The id of the blob that is not needed: the last reference to it ends, or equal bytes are stored already. */
function planContent(
  tx: Transaction,
  known: Content | null,
  { sha256, size, uses }: Stored & { uses: number },
  fresh: FreshBlob | undefined,
): string | null {
  const brought = fresh?.sha256 === sha256 ? fresh : null;
  if (!known) {
    // The plan refers to bytes that it did not bring and that were removed after it read them: it has to run again.
    if (!brought) throw new VersionConflict(contents.name, sha256);
    tx.insert(contents, { id: sha256, blobId: brought.id, size, references: uses });
    return null;
  }
  const references = known.references + uses;
  if (references <= 0) {
    tx.remove(contents, known);
    return known.blobId;
  }
  if (uses !== 0) tx.update(contents, known, { references });
  return brought?.id ?? null;
}

/** Removes bytes that nothing refers to. What cannot be removed now is swept later, so nothing is thrown. */
export async function removeBlobs(blobs: Blobs, ids: readonly string[]): Promise<void> {
  for (const id of ids) await blobs.remove(id).catch(() => {});
}
