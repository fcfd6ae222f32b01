// A bucket of backups on a server that speaks S3: each is one object, sent in parts.
import type { BucketSettings } from "../../config/bucket.ts";
import { DAY, MIB } from "../../core/units.ts";
import { BackupDamaged, EXTENSION, readManifest } from "./manifest.ts";
import { beyondKept, idInName, isBackupId, type Place, type Range } from "./place.ts";
import { BucketError, type Patience, S3, type Upload } from "./s3.ts";
import { openFile, type Source } from "./source.ts";

/** Bytes of a part; S3 takes no smaller ones than 5 MiB, but for the last. */
const PART = 8 * MIB;
/** Parts of an object at most. */
const MAX_PARTS = 10_000;
/** Milliseconds after which an upload that was not completed counts as left behind. */
const ABANDONED = DAY;

export class Bucket implements Place {
  readonly kind = "bucket";
  readonly #s3: S3;

  constructor(readonly settings: BucketSettings, readonly patience: Patience = {}) {
    this.#s3 = new S3(settings, patience);
  }

  async sizes(): Promise<Map<string, number>> {
    const { prefix } = this.settings;
    const sizes = new Map<string, number>();
    for await (const { key, size } of this.#s3.list(prefix)) {
      const id = this.#idOf(key);
      if (id !== null) sizes.set(id, size);
    }
    return sizes;
  }

  /** The newest backup here; null where there is none. */
  async newest(): Promise<string | null> {
    return [...(await this.sizes()).keys()].sort().at(-1) ?? null;
  }

  async open(id: string): Promise<Source | null> {
    if (!isBackupId(id)) return null;
    return await this.openKey(this.#keyOf(id));
  }

  /** An object of the bucket, whatever it is called. */
  async openKey(key: string): Promise<Source | null> {
    const size = await this.#sizeOf(key);
    if (size === null) return null;
    return {
      name: `s3://${this.settings.name}/${key}`,
      size,
      read: (at, length) => this.#read(key, { start: at, end: Math.min(size, at + length) }),
      [Symbol.dispose]: () => {},
    };
  }

  async stream(id: string, range: Range): Promise<ReadableStream<Uint8Array> | null> {
    if (range.start >= range.end) return ReadableStream.from([]) as ReadableStream<Uint8Array>;
    return isBackupId(id) ? await this.#s3.get(this.#keyOf(id), range) : null;
  }

  async remove(id: string): Promise<void> {
    if (isBackupId(id)) await this.#s3.remove(this.#keyOf(id));
  }

  /**
   * Sends a backup in a file, a part at a time; it is there whole, or not at all. Then those go that are beyond what is
   * to be kept.
   *
   * @throws {BucketError}
   */
  async send(
    path: string,
    id: string,
    kept: { readonly keep: number; readonly now: number },
  ): Promise<void> {
    await this.#abortAbandoned();
    using file = await openFile(path);
    // It may have been sent before, and what came after that have failed.
    if (!await this.#holds(file, id)) await this.#sendWhole(file, id);
    try {
      for (const old of await beyondKept(this, kept)) await this.remove(old);
    } catch (error) {
      throw asRemaining(error);
    }
  }

  async #sendWhole(file: Source, id: string): Promise<void> {
    const key = this.#keyOf(id);
    if (file.size <= PART) await this.#s3.put(key, await whole(file, 0, file.size));
    else await this.#sendInParts(file, key);
    if (await this.#holds(file, id)) return;
    throw new BucketError(
      200,
      "NotTheSame",
      `What is in ${this.settings.url} is not what was sent`,
    );
  }

  async #sendInParts(file: Source, key: string): Promise<void> {
    const upload = { key, uploadId: await this.#s3.begin(key) };
    try {
      await this.#s3.complete(upload, await this.#sendParts(file, upload));
    } catch (error) {
      // Where an answer was lost, it may be there all the same.
      if (await this.#sizeOf(key).catch(() => null) === file.size) return;
      // Parts that are left cost their room.
      await this.#s3.abort(upload).catch(() => {});
      throw error;
    }
  }

  async #sendParts(
    file: Source,
    upload: Pick<Upload, "key" | "uploadId">,
  ): Promise<string[]> {
    const length = Math.max(PART, Math.ceil(file.size / MAX_PARTS / MIB) * MIB);
    const tags: string[] = [];
    for (let at = 0; at < file.size; at += length) {
      const part = await whole(file, at, Math.min(length, file.size - at));
      tags.push(await this.#s3.putPart(upload, tags.length + 1, part));
    }
    return tags;
  }

  /** Whether what is there says of itself what the file says: with that each part has its hash. */
  async #holds(file: Source, id: string): Promise<boolean> {
    using sent = await this.open(id);
    if (sent?.size !== file.size) return false;
    const manifest = await readManifest(file);
    try {
      return JSON.stringify(await readManifest(sent)) === JSON.stringify(manifest);
    } catch (error) {
      if (error instanceof BackupDamaged) return false;
      throw error;
    }
  }

  /** A process that is killed leaves parts behind. Keys that may not list uploads leave them too. */
  async #abortAbandoned(): Promise<void> {
    try {
      for (const upload of await this.#s3.uploads(this.settings.prefix)) {
        const old = Date.now() - upload.begunAt > ABANDONED;
        if (old && this.#idOf(upload.key) !== null) await this.#s3.abort(upload);
      }
    } catch (error) {
      if (!(error instanceof BucketError) || error.status === 0) throw error;
    }
  }

  async #read(key: string, range: Range): Promise<Uint8Array> {
    const { tries = 5 } = this.patience;
    for (let n = 1;; n++) {
      const bytes = await this.#s3.read(key, range);
      if (!bytes) throw this.#problem("NoSuchKey", `there is no ${key}`);
      if (bytes.length === range.end - range.start) return bytes;
      if (n >= tries) throw this.#problem("CutOff", `it breaks off while it sends ${key}`);
    }
  }

  #problem(code: string, reason: string): BucketError {
    return new BucketError(0, code, `Cannot use the bucket ${this.settings.url}: ${reason}`);
  }

  async #sizeOf(key: string): Promise<number | null> {
    for await (const one of this.#s3.list(key)) if (one.key === key) return one.size;
    return null;
  }

  #keyOf(id: string): string {
    return this.settings.prefix + id + EXTENSION;
  }

  #idOf(key: string): string | null {
    const { prefix } = this.settings;
    return key.startsWith(prefix) ? idInName(key.slice(prefix.length)) : null;
  }
}

/** What keeps older backups in the bucket, told as no failure to send. */
function asRemaining(error: unknown): unknown {
  if (!(error instanceof BucketError)) return error;
  const { status, code, message } = error;
  const told = `The backup is in the bucket, but older ones stay there: ${message}`;
  return new BucketError(status, code, told, { cause: error });
}

/** @throws The file is shorter than it was. */
async function whole(file: Source, at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await file.read(at, length);
  if (bytes.length === length) return bytes as Uint8Array<ArrayBuffer>;
  throw new Error(`Cannot read ${file.name}: it has become shorter`);
}
