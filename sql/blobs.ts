// Bytes of files in chunks: streamed both ways, never whole in memory.
import { sql } from "kysely";
import { Buffer } from "node:buffer";
import { nextTurn } from "../core/delay.ts";
import { newId } from "../core/ids.ts";
import { type Flow, outflow } from "../core/outflow.ts";
import { Chunks } from "../storage/chunks.ts";
import { BlobRemoved, type Blobs, VersionConflict } from "../storage/port.ts";
import type { Engine } from "./engine.ts";
import { KIB } from "../core/units.ts";

/** Bytes in one row. */
const CHUNK = 256 * KIB;
/** The least that is read at a time, in bytes, when many blobs are being read at once. */
const PIECE = 64 * KIB;
/** The most chunks that are read at a time, when few blobs are being read: each query costs a round trip. */
const CHUNKS_AT_ONCE = 4;
/** Chunks that are written in one turn of the event loop, at most. */
const PUT_AT_ONCE = 4;
/** Ids listed at a time. */
const LIST_BATCH = 500;

interface BlobRow {
  readonly id: string;
  readonly size: number | null;
  readonly put_at: string;
}

/** Chunks that follow one another, or a part of one. */
export interface Span {
  readonly first: number;
  readonly last: number;
  readonly part: { readonly offset: number; readonly length: number } | null;
}

/** The bytes of a span in order, one array a chunk. */
export type ReadChunks = (id: string, span: Span) => Promise<Uint8Array[]>;

export class SqlBlobs implements Blobs {
  /** @param readChunks A faster way to read chunks than a query, where the dialect has one. */
  constructor(readonly engine: Engine, readonly readChunks?: ReadChunks) {}

  /** The blob's row is written first, without a size, so that a sweep finds what a crash leaves; the size is last. */
  async put(
    stream: ReadableStream<Uint8Array>,
    { maxBytes, id = newId(this.engine.clock().getTime()) }: { maxBytes: number; id?: string },
  ): Promise<{ id: string; size: number; sha256: string }> {
    this.engine.room.admitBytes();
    const putAt = this.engine.clock().toISOString();
    await this.engine.alone(sql`insert into blobs (id, put_at) values (${id}, ${putAt})`);
    const chunks = new Chunks({ length: CHUNK, maxBytes });
    let n = 0;
    try {
      for await (const bytes of chunks.of(stream)) {
        await this.engine.alone(
          sql`insert into blob_chunks (blob_id, n, bytes) values (${id}, ${n++}, ${
            Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
          })`,
        );
        // SQLite is done at once, and so may be what comes: others would wait for all of it.
        if (n % PUT_AT_ONCE === 0) await nextTurn();
      }
      const { size } = chunks;
      const sha256 = chunks.sha256();
      const completed = await this.engine.alone(
        sql`update blobs set size = ${size}, sha256 = ${sha256},
          put_at = ${this.engine.clock().toISOString()} where id = ${id} returning id`,
      );
      if (completed.length === 0) throw new VersionConflict("blobs", id);
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
    let flow: Flow;
    return new ReadableStream<Uint8Array>({
      start: (controller) => void (flow = outflow.open((error) => controller.error(error))),
      pull: async (controller) => {
        flow.taken();
        if (position >= stop) {
          flow.close();
          return controller.close();
        }
        try {
          const most = flow.pieces(PIECE) * PIECE;
          for (const bytes of await this.#read(id, position, Math.min(stop, position + most))) {
            position += bytes.length;
            controller.enqueue(bytes);
          }
        } catch (error) {
          flow.close();
          throw error;
        }
      },
      cancel: () => flow.close(),
    }, { highWaterMark: 0 });
  }

  async remove(id: string, putBefore?: number): Promise<void> {
    const old = putBefore === undefined
      ? sql``
      : sql`and put_at < ${new Date(putBefore).toISOString()}`;
    await this.engine.alone(sql`delete from blobs where id = ${id} ${old}`);
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

  /** Some bytes from `start` on, none beyond `stop`: whole chunks where `start` begins one, else a part of one. */
  async #read(id: string, start: number, stop: number): Promise<Uint8Array[]> {
    const first = Math.floor(start / CHUNK);
    const offset = start - first * CHUNK;
    const whole = offset > 0 ? 0 : Math.min(Math.floor((stop - start) / CHUNK), CHUNKS_AT_ONCE);
    const span = whole > 0 ? { first, last: first + whole - 1, part: null } : {
      first,
      last: first,
      part: { offset, length: Math.min(CHUNK - offset, stop - start) },
    };
    const chunks = this.readChunks
      ? await this.engine.guard(() => this.readChunks!(id, span))
      : await this.#query(id, span);
    const length = chunks.reduce((sum, bytes) => sum + bytes.length, 0);
    if (length !== (span.part?.length ?? whole * CHUNK)) {
      throw new BlobRemoved(id);
    }
    return chunks;
  }

  async #query(id: string, { first, last, part }: Span): Promise<Uint8Array[]> {
    const bytes = part ? sql`substr(bytes, ${part.offset + 1}, ${part.length})` : sql`bytes`;
    const rows = await this.engine.alone<{ bytes: Uint8Array }>(
      sql`select ${bytes} as bytes from blob_chunks
        where blob_id = ${id} and n between ${first} and ${last} order by n`,
    );
    return rows.map((row) =>
      new Uint8Array(row.bytes.buffer, row.bytes.byteOffset, row.bytes.length)
    );
  }
}
