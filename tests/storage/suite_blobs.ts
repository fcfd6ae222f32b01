// The port: bytes.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers";
import { BlobRemoved, ReferenceConflict, TooLarge, VersionConflict } from "../../storage/port.ts";
import { steppingClock } from "./people.ts";
import type { StorageTest } from "./storage_test_case.ts";

const KIB = 1024;
const MAX = { maxBytes: 8 * KIB * KIB };

/** Bytes that differ from place to place. */
function bytesOf(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >>> 8)) & 0xff;
  return bytes;
}

/** A stream in pieces of a size that divides nothing. */
function streamOf(bytes: Uint8Array, piece = 7777): ReadableStream<Uint8Array> {
  return ReadableStream.from((function* () {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  })());
}

async function read(stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  return await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).bytes();
}

const clock = steppingClock();

export const blobTests: readonly StorageTest[] = [
  {
    name: "others get their turn while bytes are put that are all there already",
    run: async ({ blobs }) => {
      const bytes = bytesOf(6 * KIB * KIB);
      let turns = 0;
      let done = false;
      const turn = () => {
        turns++;
        if (!done) setImmediate(turn);
      };
      setImmediate(turn);
      await blobs.put(streamOf(bytes, KIB * KIB), MAX);
      done = true;
      assert.ok(turns >= 5, `${turns} turns for 6 MiB`);
    },
  },
  {
    name: "bytes that are removed while they are put are refused, and none stay",
    run: async ({ blobs }) => {
      for (const pauseAt of [1, 1_500_000, 2_999_999]) {
        const paused = Promise.withResolvers<void>();
        const go = Promise.withResolvers<void>();
        const bytes = bytesOf(3_000_000);
        const stream = ReadableStream.from((async function* () {
          yield bytes.subarray(0, pauseAt);
          paused.resolve();
          await go.promise;
          yield bytes.subarray(pauseAt);
        })());
        const put = blobs.put(stream, MAX).then(() => null, (error: unknown) => error);
        await paused.promise;
        const { id } = (await Array.fromAsync(blobs.list()))[0]!;
        await blobs.remove(id);
        go.resolve();
        const error = await put;
        assert.ok(
          error instanceof VersionConflict || error instanceof ReferenceConflict,
          String(error),
        );
        assert.equal(await blobs.get(id), null);
        assert.deepEqual(await Array.fromAsync(blobs.list()), []);
      }
    },
  },
  {
    name: "bytes that are removed while they are read are told from any other failure",
    run: async ({ blobs }) => {
      const { id } = await blobs.put(streamOf(bytesOf(6 * KIB * KIB), KIB * KIB), MAX);
      const stream = await blobs.get(id);
      await blobs.remove(id);
      await assert.rejects(read(stream), BlobRemoved);
    },
  },
  {
    name: "bytes count from when they are complete, and what is younger than asked for stays",
    clock,
    run: async ({ blobs }) => {
      let begun = NaN;
      const stream = ReadableStream.from((function* () {
        yield bytesOf(10);
        begun = clock().getTime();
      })());
      const { id } = await blobs.put(stream, MAX);
      const [listed] = await Array.fromAsync(blobs.list());
      assert.ok(listed!.putAt > begun, "completed after it was begun");
      await blobs.remove(id, listed!.putAt);
      assert.ok(await blobs.get(id));
      await blobs.remove(id, listed!.putAt + 1);
      assert.equal(await blobs.get(id), null);
    },
  },
  {
    name: "blobs of any size come back byte for byte",
    run: async ({ blobs }) => {
      for (const size of [0, 1, 60 * KIB - 1, 60 * KIB, 60 * KIB + 1, 64 * KIB, 3_000_001]) {
        const bytes = bytesOf(size);
        const stored = await blobs.put(streamOf(bytes), MAX);
        assert.equal(stored.size, size);
        assert.equal(stored.sha256, createHash("sha256").update(bytes).digest("hex"));
        assert.deepEqual(await read(await blobs.get(stored.id)), bytes);
      }
    },
  },
  {
    name: "a range is read without the rest",
    run: async ({ blobs }) => {
      const bytes = bytesOf(200 * KIB);
      const { id } = await blobs.put(streamOf(bytes), MAX);
      const ranges = [[0, 1], [1, 5], [60 * KIB - 1, 60 * KIB + 1], [61440, 122880], [199 * KIB]];
      for (const [start, end] of [...ranges, [5, 5], [0, 900 * KIB], [200 * KIB]]) {
        assert.deepEqual(await read(await blobs.get(id, { start, end })), bytes.slice(start, end));
      }
      assert.deepEqual(await read(await blobs.get(id, { end: 10 })), bytes.slice(0, 10));
    },
  },
  {
    name: "a reader may leave in the middle, and one whose blob is removed is told",
    run: async ({ blobs }) => {
      const { id } = await blobs.put(streamOf(bytesOf(4_000_000)), MAX);
      const leaving = (await blobs.get(id))!.getReader();
      assert.ok((await leaving.read()).value!.length > 0);
      await leaving.cancel();
      const staying = (await blobs.get(id))!;
      const reader = staying.getReader();
      await reader.read();
      await blobs.remove(id);
      reader.releaseLock();
      await assert.rejects(Array.fromAsync(staying), /Cannot read blob/);
    },
  },
  {
    name: "a blob over its limit, or cut off, leaves nothing",
    run: async ({ blobs }) => {
      const tooLong = blobs.put(streamOf(bytesOf(900 * KIB)), { maxBytes: 800 * KIB });
      await assert.rejects(tooLong, TooLarge);
      const exact = await blobs.put(streamOf(bytesOf(800 * KIB)), { maxBytes: 800 * KIB });
      const broken = ReadableStream.from((function* () {
        yield bytesOf(900 * KIB);
        throw new RangeError("the sender went away");
      })());
      await assert.rejects(blobs.put(broken, MAX), RangeError);
      const left = await Array.fromAsync(blobs.list());
      assert.deepEqual(left.map(({ id }) => id), [exact.id]);
    },
  },
  {
    name: "blobs are listed with their time, and removed",
    clock: () => new Date("2026-03-01T00:00:00Z"),
    run: async ({ blobs }) => {
      const stored = [];
      for (let i = 0; i < 3; i++) stored.push(await blobs.put(streamOf(bytesOf(i * 90_000)), MAX));
      const listed = await Array.fromAsync(blobs.list());
      assert.deepEqual(listed.map(({ id }) => id).sort(), stored.map(({ id }) => id).sort());
      assert.ok(listed.every(({ putAt }) => putAt === Date.UTC(2026, 2, 1)));
      await blobs.remove(stored[1]!.id);
      await blobs.remove("none");
      assert.equal(await blobs.get(stored[1]!.id), null);
      assert.equal(await blobs.get("none"), null);
      assert.equal((await Array.fromAsync(blobs.list())).length, 2);
      assert.equal((await read(await blobs.get(stored[2]!.id))).length, 180_000);
    },
  },
];
