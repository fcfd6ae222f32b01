// Bytes of files in chunks: streamed both ways, never whole in memory.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { Buffer } from "node:buffer";
import { newId } from "../ids.ts";
import { type Blobs, TooLarge } from "../store.ts";
import type { Engine } from "./engine.ts";

/** Bytes in one row. */
const CHUNK = 256 * 1024;
/** Ids listed at a time. */
const LIST_BATCH = 500;

interface BlobRow {
  readonly id: string;
  readonly size: number | null;
  readonly put_at: string;
}

export class SqlBlobs implements Blobs {
  constructor(readonly engine: Engine) {}

  /** The row comes first, without a size, so that what a crash leaves is listed, and swept; the size completes it. */
  async put(
    stream: ReadableStream<Uint8Array>,
    { maxBytes, id = newId(this.engine.clock().getTime()) }: { maxBytes: number; id?: string },
  ): Promise<{ id: string; size: number; sha256: string }> {
    const putAt = this.engine.clock().toISOString();
    await this.engine.rows(sql`insert into blobs (id, put_at) values (${id}, ${putAt})`);
    const hash = createHash("sha256");
    let size = 0;
    let n = 0;
    try {
      for await (const bytes of chunks(stream)) {
        size += bytes.length;
        if (size > maxBytes) throw new TooLarge("a file", maxBytes);
        hash.update(bytes);
        await this.engine.rows(
          sql`insert into blob_chunks (blob_id, n, bytes) values (${id}, ${n++}, ${
            Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
          })`,
        );
      }
      const sha256 = hash.digest("hex");
      await this.engine.rows(
        sql`update blobs set size = ${size}, sha256 = ${sha256} where id = ${id}`,
      );
      return { id, size, sha256 };
    } catch (error) {
      await this.remove(id).catch(() => {});
      throw error;
    }
  }

  async get(
    id: string,
    { start = 0, end }: { start?: number; end?: number } = {},
  ): Promise<ReadableStream<Uint8Array> | null> {
    const [blob] = await this.engine.rows<BlobRow>(
      sql`select id, size from blobs where id = ${id} and size is not null`,
    );
    if (!blob) return null;
    const stop = Math.min(end ?? blob.size!, blob.size!);
    let position = Math.max(start, 0);
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (position >= stop) return controller.close();
        const bytes = await this.#part(id, position, stop);
        position += bytes.length;
        controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }

  async remove(id: string): Promise<void> {
    await this.engine.rows(sql`delete from blobs where id = ${id}`);
  }

  async *list(): AsyncIterable<{ id: string; putAt: number }> {
    let last = "";
    while (true) {
      const rows = await this.engine.rows<BlobRow>(
        sql`select id, put_at from blobs where id > ${last} order by id
          limit ${sql.lit(LIST_BATCH)}`,
      );
      for (const { id, put_at } of rows) yield { id, putAt: Date.parse(put_at) };
      if (rows.length < LIST_BATCH) return;
      last = rows.at(-1)!.id;
    }
  }

  /** What one chunk holds of the bytes from `start` to `stop`. */
  async #part(id: string, start: number, stop: number): Promise<Uint8Array> {
    const n = Math.floor(start / CHUNK);
    const offset = start - n * CHUNK;
    const length = Math.min(CHUNK - offset, stop - start);
    const [row] = await this.engine.rows<{ bytes: Uint8Array }>(
      sql`select substr(bytes, cast(${offset + 1} as integer), cast(${length} as integer)) as bytes
        from blob_chunks where blob_id = ${id} and n = ${n}`,
    );
    if (row?.bytes.length !== length) throw new Error(`Cannot read blob ${id}: it was removed`);
    return new Uint8Array(row.bytes.buffer, row.bytes.byteOffset, length);
  }
}

/** The bytes of a stream in pieces of exactly CHUNK, the last one shorter. */
async function* chunks(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  let chunk = new Uint8Array(CHUNK);
  let filled = 0;
  for await (const bytes of stream) {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + CHUNK - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < CHUNK) continue;
      yield chunk;
      chunk = new Uint8Array(CHUNK);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
