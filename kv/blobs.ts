// Bytes in KV: chunks under the blob's id, several a commit; what describes the blob is written before and after.
import { createHash } from "node:crypto";
import { newId } from "../ids.ts";
import { type Blobs, TooLarge } from "../store.ts";
import type { Client, Mutation } from "./client.ts";
import { blobKey, BLOBS_PREFIX, chunkKey, MAX_ID_LENGTH } from "./keys.ts";

const CHUNK_BYTES = 60 * 1024;
/** Chunks in one commit, which may have 800 KiB. */
const CHUNKS_A_COMMIT = 12;
/** Chunks read at a time: a range costs a third of what as many keys do. */
const CHUNKS_A_READ = 16;
const BATCH = 500;

interface BlobRecord {
  /** Milliseconds since the epoch. */
  readonly putAt: number;
  /** Bytes; null until all are stored. */
  readonly size: number | null;
}

export class KvBlobs implements Blobs {
  constructor(readonly client: Client, readonly clock: () => Date) {}

  async put(
    stream: ReadableStream<Uint8Array>,
    { maxBytes, id: given }: { readonly maxBytes: number; readonly id?: string },
  ): Promise<{ readonly id: string; readonly size: number; readonly sha256: string }> {
    const putAt = this.clock().getTime();
    const id = given ?? newId(putAt);
    const hash = createHash("sha256");
    try {
      // First, so that the bytes of a put that was cut off can be found.
      await this.#describe(id, { putAt, size: null });
      const size = await this.#write(id, stream, maxBytes, (bytes) => hash.update(bytes));
      await this.#describe(id, { putAt, size });
      return { id, size, sha256: hash.digest("hex") };
    } catch (error) {
      await this.remove(id).catch(() => {});
      throw error;
    }
  }

  async get(
    id: string,
    range: { readonly start?: number; readonly end?: number } = {},
  ): Promise<ReadableStream<Uint8Array> | null> {
    if (id.length > MAX_ID_LENGTH) return null;
    const blob = (await this.client.get(blobKey(id))).value as BlobRecord | null;
    if (!blob || blob.size === null) return null;
    const start = Math.max(0, range.start ?? 0);
    const end = Math.min(blob.size, range.end ?? blob.size);
    return this.#read(id, start, end);
  }

  async remove(id: string): Promise<void> {
    for (;;) {
      const chunks = await this.client.list({ prefix: ["blob", id] }, { limit: CHUNKS_A_COMMIT });
      await this.client.commit([
        ...chunks.map(({ key }): Mutation => ({ kind: "delete", key: key as readonly string[] })),
        { kind: "delete", key: blobKey(id) },
      ]);
      if (chunks.length < CHUNKS_A_COMMIT) return;
    }
  }

  async *list(): AsyncIterable<{ readonly id: string; readonly putAt: number }> {
    const prefix = BLOBS_PREFIX as Deno.KvKey;
    for (let last = "";;) {
      const start = blobKey(`${last}\0`) as Deno.KvKey;
      const entries = await this.client.list(last ? { prefix, start } : { prefix }, {
        limit: BATCH,
      });
      for (const { key, value } of entries) {
        yield { id: String(key[1]), putAt: (value as BlobRecord).putAt };
      }
      if (entries.length < BATCH) return;
      last = String(entries.at(-1)!.key[1]);
    }
  }

  async #describe(id: string, value: BlobRecord): Promise<void> {
    await this.client.commit([{ kind: "set", key: blobKey(id), value }]);
  }

  /** Holds no more than one commit's chunks in memory. */
  async #write(
    id: string,
    stream: ReadableStream<Uint8Array>,
    maxBytes: number,
    seen: (bytes: Uint8Array) => void,
  ): Promise<number> {
    let size = 0;
    let chunk = new Uint8Array(CHUNK_BYTES);
    let filled = 0;
    let n = 0;
    let sets: Mutation[] = [];
    const flush = async () => {
      if (sets.length > 0) await this.client.commit(sets);
      sets = [];
    };
    for await (const bytes of stream) {
      size += bytes.length;
      if (size > maxBytes) throw new TooLarge("a file", maxBytes);
      seen(bytes);
      for (let at = 0; at < bytes.length;) {
        const taken = bytes.subarray(at, at + CHUNK_BYTES - filled);
        chunk.set(taken, filled);
        at += taken.length;
        filled += taken.length;
        if (filled < CHUNK_BYTES) continue;
        sets.push({ kind: "set", key: chunkKey(id, n++), value: chunk });
        chunk = new Uint8Array(CHUNK_BYTES);
        filled = 0;
        if (sets.length === CHUNKS_A_COMMIT) await flush();
      }
    }
    if (filled > 0) {
      sets.push({ kind: "set", key: chunkKey(id, n), value: chunk.subarray(0, filled) });
    }
    await flush();
    return size;
  }

  /** While a batch of chunks is sent, the next one is read. */
  #read(id: string, start: number, end: number): ReadableStream<Uint8Array> {
    const last = Math.ceil(end / CHUNK_BYTES);
    let n = Math.floor(start / CHUNK_BYTES);
    let reading = this.#chunks(id, n, last);
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const chunks = await reading;
      reading = this.#chunks(id, n + CHUNKS_A_READ, last);
      // Whoever stops listening leaves it behind.
      reading.catch(() => {});
      for (const value of chunks) {
        const at = n++ * CHUNK_BYTES;
        const bytes = value.subarray(Math.max(0, start - at), Math.max(0, end - at));
        if (bytes.length > 0) controller.enqueue(bytes);
      }
      if (n >= last) controller.close();
    };
    return new ReadableStream({ pull });
  }

  async #chunks(id: string, first: number, last: number): Promise<readonly Uint8Array[]> {
    const length = Math.max(0, Math.min(CHUNKS_A_READ, last - first));
    if (length === 0) return [];
    const start = chunkKey(id, first) as Deno.KvKey;
    const end = chunkKey(id, first + length) as Deno.KvKey;
    const entries = await this.client.list({ start, end }, { limit: length });
    if (entries.length < length) {
      throw new Error(`Cannot read blob ${id}: it was removed meanwhile`);
    }
    return entries.map(({ value }) => value as Uint8Array);
  }
}
