// What backups there are: those in the folder and the bucket, the one that is being made, and those that were not made.
import { BoundedMap } from "../../core/bounded_map.ts";
import { ApiError } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { semaphore } from "../../core/semaphore.ts";
import { type BackupRecord, backups, type PublicBackup } from "../../models/backups.ts";
import type { ListQuery, Page } from "../../storage/port.ts";
import { pageOf } from "../../storage/overlay.ts";
import type { Bucket } from "./bucket.ts";
import type { Folder } from "./folder.ts";
import { BackupDamaged, type Manifest, readManifest } from "./manifest.ts";
import { isBackupId, momentOfBackup, type Place, type Range } from "./place.ts";
import type { OnStep } from "./take.ts";

/** A backup that this process is making. */
export interface Run {
  readonly id: string;
  step: Parameters<OnStep>[0];
}

/** One that it could not make. */
export interface Failure {
  readonly id: string;
  readonly problem: string;
}

interface ShelfOptions {
  readonly folder: Folder;
  readonly bucket: Bucket | null;
  /** What this process is making. */
  running(): Run | null;
  failures(): readonly Failure[];
  /** Why some are not in the bucket, by id. */
  readonly unsent: ReadonlyMap<string, string>;
}

/** One backup, before its manifest is read. */
interface Found {
  readonly id: string;
  readonly state: PublicBackup["state"];
  readonly size: number;
  readonly places: readonly Place[];
  readonly step?: Run["step"];
  readonly problem?: string;
}

/** What is told of a manifest: not the hashes of all parts. */
type Readable = Pick<Manifest, "source" | "engine" | "layout" | "position" | "counts"> & {
  /** Of the manifest, and so of the whole: it holds the hashes of all parts. */
  readonly sha256: string;
};

interface Unreadable {
  readonly problem: string;
  /** It can never be used; else it could not be read now. */
  readonly damaged: boolean;
}

/** What is downloaded. */
interface Stored {
  readonly size: number;
  readonly sha256: string;
  open(range: Range): Promise<ReadableStream<Uint8Array> | null>;
}

/** Of so many backups is remembered what they say of themselves, and so many are read at a time. */
const REMEMBERED = 1000;
const AT_A_TIME = 8;

export class Shelf {
  readonly #summaries = new BoundedMap<string, Readable | Unreadable>(REMEMBERED);
  readonly #reading = semaphore(AT_A_TIME);

  constructor(readonly options: ShelfOptions) {}

  /** With those in the bucket, or why it was not asked. */
  async list(
    query: ListQuery<BackupRecord>,
  ): Promise<Page<PublicBackup> & { readonly bucketProblem?: string }> {
    const { found, bucketProblem } = await this.#find();
    // Whether one can be used, and of what it is, takes a look into it: into all of them only where that is asked for.
    const shown: readonly (Pick<Found, "id" | "state" | "size"> & { readonly source?: string })[] =
      query.where?.state === undefined && query.search === undefined
        ? [...found.values()]
        : await Promise.all([...found.values()].map((one) => this.#view(one)));
    const records = shown.map(({ id, state, size, source }): BackupRecord => {
      const createdAt = momentOfBackup(id);
      return { id, createdAt, updatedAt: createdAt, rev: "", state, size, source };
    });
    const page = await pageOf(backups, records, query);
    const rows = await Promise.all(page.rows.map(({ id }) => this.#view(found.get(id)!)));
    return { ...page, rows, bucketProblem: bucketProblem?.message };
  }

  /** Null where there is none. */
  async get(id: string): Promise<PublicBackup | null> {
    const found = await this.#get(id);
    return found && await this.#view(found);
  }

  /**
   * One that is done, to be downloaded; null where there is none, or it cannot be read.
   *
   * @throws {ApiError} UNAVAILABLE
   */
  async stored(id: string): Promise<Stored | null> {
    const found = await this.#get(id);
    const [place] = found?.places ?? [];
    if (!found || !place) return null;
    const { size } = found;
    const summary = await this.#summaryOf(found);
    if ("problem" in summary) {
      if (summary.damaged || place.kind === "folder") return null;
      throw unreachable(new Error(summary.problem));
    }
    const open = (range: Range) =>
      place.stream(id, range).catch((error) => {
        throw unreachable(error);
      });
    return { size, sha256: summary.sha256, open };
  }

  /** Removes it wherever it is. @throws {ApiError} UNAVAILABLE: the bucket is not reached. */
  async remove(id: string): Promise<void> {
    const { bucket, folder } = this.options;
    await bucket?.remove(id).catch((error) => {
      throw unreachable(error);
    });
    await folder.remove(id);
  }

  /** @throws {ApiError} UNAVAILABLE: it is not here, and the bucket is not reached. */
  async #get(id: string): Promise<Found | null> {
    if (!isBackupId(id)) return null;
    const { found, bucketProblem } = await this.#find();
    const one = found.get(id);
    if (!one && bucketProblem) throw unreachable(bucketProblem);
    return one ?? null;
  }

  async #find(): Promise<{ found: Map<string, Found>; bucketProblem: Error | null }> {
    const { folder, bucket, failures, unsent } = this.options;
    const found = new Map<string, Found>();
    for (const { id, problem } of failures()) {
      found.set(id, { id, state: "failed", size: 0, places: [], problem });
    }
    let bucketProblem: Error | null = null;
    const inBucket = bucket?.sizes().catch((error: Error) => {
      bucketProblem = error;
      return null;
    });
    const add = (place: Place, sizes: ReadonlyMap<string, number>) => {
      for (const [id, size] of sizes) {
        const before = found.get(id), places = before?.places ?? [];
        found.set(id, {
          id,
          state: "done",
          // That of the place it is read from.
          size: before && places.length > 0 ? before.size : size,
          places: [...places, place],
          problem: unsent.get(id),
        });
      }
    };
    add(folder, await folder.sizes());
    if (bucket) add(bucket, await inBucket ?? new Map());
    const run = this.options.running();
    const draft = await folder.draft(run?.id);
    const making = run ?? draft;
    if (making !== null) {
      const { id } = making;
      const { size = draft?.id === id ? draft.size : 0, places = [] } = found.get(id) ?? {};
      found.set(id, { id, state: "running", size, places, step: run?.step });
    }
    return { found, bucketProblem };
  }

  async #view(found: Found): Promise<PublicBackup> {
    const { id, state, size, step, problem } = found;
    const summary: Partial<Readable> | Unreadable = state === "done"
      ? await this.#summaryOf(found)
      : {};
    const { sha256: _, ...told } = "problem" in summary ? {} : summary;
    const unreadable = "problem" in summary ? summary : null;
    return {
      id,
      createdAt: momentOfBackup(id),
      size,
      places: found.places.map(({ kind }) => kind),
      step,
      problem: unreadable?.problem ?? problem,
      state: unreadable?.damaged ? "failed" : state,
      ...told,
    };
  }

  /** Backups never change: what one says of itself is read once. */
  async #summaryOf({ id, size, places: [place] }: Found): Promise<Readable | Unreadable> {
    const key = `${place!.kind} ${id} ${size}`;
    const known = this.#summaries.get(key);
    if (known) return known;
    const summary = await this.#reading(() => summaryIn(place!, id));
    if ("sha256" in summary || summary.damaged) this.#summaries.set(key, summary);
    return summary;
  }
}

function unreachable(error: Error): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "The bucket of the backups cannot be reached: try again shortly",
    {
      headers: { "retry-after": "10" },
      cause: error,
    },
  );
}

async function summaryIn(place: Place, id: string): Promise<Readable | Unreadable> {
  try {
    using backup = await place.open(id);
    if (backup === null) return { problem: "It was removed meanwhile", damaged: false };
    const manifest = await readManifest(backup);
    const { source, engine, layout, position, counts } = manifest;
    return { source, engine, layout, position, counts, sha256: sha256(JSON.stringify(manifest)) };
  } catch (error) {
    // One that cannot be read, such as a file of another user, keeps nobody from the others.
    const problem = error instanceof Error ? error.message : String(error);
    return { problem, damaged: error instanceof BackupDamaged };
  }
}
