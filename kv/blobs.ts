// Bytes in KV: chunks under the blob's id, several a commit; what describes the blob is written before and after.
import { nextTurn } from "../core/delay.ts";
import { newId } from "../core/ids.ts";
import { type Flow, outflow } from "../core/outflow.ts";
import { Chunks } from "../storage/chunks.ts";
import { BlobRemoved, type Blobs, VersionConflict } from "../storage/port.ts";
import type { Check, Client, Mutation, Op } from "./client.ts";
import { blobKey, BLOBS_PREFIX, chunkKey, MAX_ID_LENGTH } from "./keys.ts";
import { KIB } from "../core/units.ts";

const CHUNK_BYTES = 60 * KIB;
/** Chunks in one commit, which may have 800 KiB. */
const CHUNKS_A_COMMIT = 12;
/** Chunks read at a time, as one range of keys: that costs a third of reading each by its key. */
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
    this.client.room.admitBytes();
    const putAt = this.clock().getTime();
    const id = given ?? newId(putAt);
    const chunks = new Chunks({ length: CHUNK_BYTES, maxBytes });
    try {
      // Described before the first chunk, so that a sweep finds the bytes of a put that was cut off.
      const begun = await this.#commit(id, [describe(id, { putAt, size: null })]);
      await this.#write(id, begun, chunks.of(stream));
      const { size } = chunks;
      const value = { putAt: this.clock().getTime(), size };
      await this.#commit(id, [standing(id, begun), describe(id, value)], async () => {
        const now = await this.client.get(blobKey(id));
        return (now.value as BlobRecord | null)?.size === size ? now.versionstamp : null;
      });
      return { id, size, sha256: chunks.sha256() };
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

  /** The description is removed with the first chunks: a put that is still under way can then add no more. */
  async remove(id: string, putBefore = Infinity): Promise<void> {
    const { value, versionstamp } = await this.client.get(blobKey(id));
    if (value !== null && (value as BlobRecord).putAt >= putBefore) return;
    for (let check: Op[] = [standing(id, versionstamp)];; check = []) {
      const chunks = await this.client.list({ prefix: ["blob", id] }, { limit: CHUNKS_A_COMMIT });
      const removed = await this.client.commit([
        ...check,
        ...chunks.map(({ key }): Mutation => ({ kind: "delete", key: key as readonly string[] })),
        { kind: "delete", key: blobKey(id) },
      ]);
      // The check failed: the put was completed since its description was read, so that is read again.
      if (removed === null) return await this.remove(id, putBefore);
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

  /** @throws {VersionConflict} The blob was removed since it was begun. */
  async #commit(
    id: string,
    ops: readonly Op[],
    find?: () => Promise<string | null>,
  ): Promise<string> {
    const versionstamp = await this.client.commit(ops, find);
    if (versionstamp === null) throw new VersionConflict("blobs", id);
    return versionstamp;
  }

  /** Holds no more than one commit's chunks in memory. */
  async #write(id: string, begun: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    let n = 0;
    let sets: Mutation[] = [];
    const flush = async () => {
      if (sets.length > 0) await this.#commit(id, [standing(id, begun), ...sets]);
      sets = [];
      // Where KV is done before the event loop looks, and all bytes are there, others would wait for all of it.
      await nextTurn();
    };
    for await (const value of chunks) {
      sets.push({ kind: "set", key: chunkKey(id, n++), value });
      if (sets.length === CHUNKS_A_COMMIT) await flush();
    }
    await flush();
  }

  /** While a batch of chunks is sent, the next one is read, as long as there is room for both. */
  #read(id: string, start: number, end: number): ReadableStream<Uint8Array> {
    const last = Math.ceil(end / CHUNK_BYTES);
    let n = Math.floor(start / CHUNK_BYTES);
    let flow: Flow;
    let ahead: Promise<readonly Uint8Array[]> | null = null;
    const next = () => this.#chunks(id, n, last, Math.ceil(flow.pieces(CHUNK_BYTES) / 2));
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      flow.taken();
      const chunks = await (ahead ?? next());
      const first = n;
      n += chunks.length;
      ahead = flow.pieces(CHUNK_BYTES) > 1 ? next() : null;
      // When the reader cancels, nobody awaits this read any more: its failure must not count as unhandled.
      ahead?.catch(() => {});
      chunks.forEach((value, i) => {
        const at = (first + i) * CHUNK_BYTES;
        const bytes = value.subarray(Math.max(0, start - at), Math.max(0, end - at));
        if (bytes.length > 0) controller.enqueue(bytes);
      });
      if (n < last) return;
      flow.close();
      controller.close();
    };
    return new ReadableStream({
      start: (controller) => void (flow = outflow.open((error) => controller.error(error))),
      pull: (controller) =>
        pull(controller).catch((error) => {
          flow.close();
          throw error;
        }),
      cancel: () => flow.close(),
    });
  }

  async #chunks(
    id: string,
    first: number,
    last: number,
    most: number,
  ): Promise<readonly Uint8Array[]> {
    const length = Math.max(0, Math.min(CHUNKS_A_READ, most, last - first));
    if (length === 0) return [];
    const start = chunkKey(id, first) as Deno.KvKey;
    const end = chunkKey(id, first + length) as Deno.KvKey;
    const entries = await this.client.list({ start, end }, { limit: length });
    if (entries.length < length) throw new BlobRemoved(id);
    return entries.map(({ value }) => value as Uint8Array);
  }
}

function describe(id: string, value: BlobRecord): Mutation {
  return { kind: "set", key: blobKey(id), value };
}

/** Checks that the blob's description has not changed since it had this version. */
function standing(id: string, versionstamp: string | null): Check {
  return { kind: "check", key: blobKey(id), versionstamp };
}
