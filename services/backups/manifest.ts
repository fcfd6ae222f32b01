// A backup as one file: a whole store as a file of SQLite or Deno KV, then what it holds (the manifest), then where that is.
import { z } from "zod";
import { delay } from "../../core/delay.ts";
import { sha256 } from "../../core/hashing.ts";
import { KIB, MIB } from "../../core/units.ts";
import { readAt, type Source } from "./source.ts";

/** How backups end in their names. */
export const EXTENSION = ".qdbackup";
/** The form of the file; to be raised when older programs would misread it. */
const FORMAT = 1;
/** Bytes that have a hash of their own, so that damage can be named, and a restore holds no more in memory. */
const PART = 8 * MIB;
const MAGIC = "quarterdeck backup";
/** The last line: the magic, how long the manifest is (10 digits) and its SHA-256. */
const TRAILER = MAGIC.length + 1 + 10 + 1 + 64 + 1;
/** Bytes that are read of the end at first: with them the manifest of some gigabytes. */
const TAIL = 64 * KIB;
/** Bytes of a manifest, at most: the hashes of 2 TiB. */
const MAX_MANIFEST = 32 * MIB;

/** Characters of what is wrong with a manifest that a message repeats. */
const SHOWN = 300;

const count = z.int().min(0);

const schema = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** What was backed up, for people. */
  source: z.string(),
  /** What the data is a file of. */
  engine: z.enum(["kv", "sqlite"]),
  /** The layout of that store. */
  layout: z.string(),
  /** In the journal of what was backed up: everything up to there is in it, and nothing after. */
  position: z.string(),
  /** Records by collection. */
  counts: z.record(z.string(), count),
  /** Bytes of the data. */
  size: count,
  partSize: z.int().min(1),
  /** SHA-256 of each part, in hexadecimal. */
  parts: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});

export type Manifest = z.output<typeof schema>;
/** What the one who took the snapshot tells of it. */
export type Contents = Omit<Manifest, "format" | "size" | "partSize" | "parts">;

/** A backup is no backup, or not what it was; the message says where. */
export class BackupDamaged extends Error {
  override readonly name = "BackupDamaged";
  constructor(path: string, problem: string) {
    super(`Cannot use the backup ${path}: ${problem}`);
  }
}

/** Puts the manifest behind the data in a file; what is returned has reached the disk. */
export async function sealBackup(path: string, contents: Contents): Promise<Manifest> {
  using file = await Deno.open(path, { read: true, write: true });
  const { size } = await file.stat();
  const parts: string[] = [];
  const buffer = new Uint8Array(Math.min(PART, size));
  for (let at = 0; at < size; at += PART) {
    const began = performance.now();
    parts.push(sha256(await readAt(file, at, Math.min(PART, size - at), buffer)));
    // As long as it took: others on the machine get their turn.
    await delay(performance.now() - began);
  }
  const manifest: Manifest = { format: FORMAT, ...contents, size, partSize: PART, parts };
  const text = new TextEncoder().encode(JSON.stringify(manifest));
  const length = String(text.length).padStart(10, "0");
  const trailer = new TextEncoder().encode(`${MAGIC} ${length} ${sha256(text)}\n`);
  await file.seek(size, Deno.SeekMode.Start);
  for (const bytes of [text, trailer]) {
    for (let written = 0; written < bytes.length;) {
      written += await file.write(bytes.subarray(written));
    }
  }
  await file.sync();
  return manifest;
}

/**
 * What a backup says of itself; its data is not read.
 *
 * @throws {BackupDamaged}
 */
export async function readManifest(source: Source): Promise<Manifest> {
  const { name, size } = source;
  if (size < TRAILER) throw new BackupDamaged(name, "it is too short to be one");
  // Most manifests are short: one read is enough.
  const from = Math.max(0, size - TAIL);
  const tail = await source.read(from, size - from);
  const trailer = new TextDecoder().decode(tail.subarray(-TRAILER));
  const [, digits, hash] = new RegExp(`^${MAGIC} (\\d{10}) ([0-9a-f]{64})\n$`).exec(trailer) ?? [];
  if (!digits || !hash) {
    throw new BackupDamaged(name, "its end is damaged or missing, or it is no backup");
  }
  const length = Number(digits);
  const start = size - TRAILER - length;
  if (length > MAX_MANIFEST || start < 0) {
    throw new BackupDamaged(name, "its end names a manifest that cannot be");
  }
  const text = start >= from
    ? tail.subarray(start - from, -TRAILER)
    : await source.read(start, length);
  if (sha256(text) !== hash) throw new BackupDamaged(name, "its manifest is damaged");
  return parseManifest(name, text, start);
}

function parseManifest(path: string, text: Uint8Array, size: number): Manifest {
  const found = readJson(path, text);
  if (Number.isInteger(found?.format) && found.format > FORMAT) {
    throw new BackupDamaged(
      path,
      `it has format ${found.format}, of a newer version of the program; this version knows formats up to ${FORMAT}`,
    );
  }
  const { data: manifest, error } = schema.safeParse(found);
  if (!manifest) {
    throw new BackupDamaged(path, `its manifest cannot be: ${error.message.slice(0, SHOWN)}`);
  }
  const parts = Math.ceil(manifest.size / manifest.partSize);
  if (manifest.size !== size || manifest.parts.length !== parts) {
    throw new BackupDamaged(
      path,
      `it has ${size} bytes of data, and the manifest ${manifest.size}`,
    );
  }
  return manifest;
}

function readJson(path: string, text: Uint8Array) {
  try {
    return JSON.parse(new TextDecoder().decode(text));
  } catch {
    throw new BackupDamaged(path, "its manifest is no JSON");
  }
}

/** The data, part after part, each compared with its hash. @throws {BackupDamaged} Naming the bytes. */
export async function* partsOf(source: Source, manifest: Manifest): AsyncIterable<Uint8Array> {
  const { size, partSize } = manifest;
  for (const [n, hash] of manifest.parts.entries()) {
    const at = n * partSize;
    const part = await source.read(at, Math.min(partSize, size - at));
    if (sha256(part) !== hash) {
      throw new BackupDamaged(
        source.name,
        `of its bytes ${at} to ${at + part.length - 1} (part ${
          n + 1
        } of ${manifest.parts.length}) some are not those that were backed up`,
      );
    }
    yield part;
  }
}
