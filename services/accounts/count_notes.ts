// The note in which a process tells the others on its store what it has counted: sealed, since it names addresses and
// accounts, and no longer than a store takes.
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { Sealer } from "../../core/sealing.ts";
import { KIB } from "../../core/units.ts";

/** Bytes of a note before it is sealed: sealed and in base64 it fits one value of Deno KV (64 KiB). */
const NOTE_BYTES = 44 * KIB;
/** Bytes of them that are for what was forgiven. */
const FORGIVEN_BYTES = 8 * KIB;
/** Bytes of one entry. The longest e-mail address has 254 characters: what is longer belongs to no account. */
const ENTRY_BYTES = 512;

const count = z.object({
  /** What is counted. */
  id: z.string(),
  hits: z.int().positive(),
  /** Milliseconds until its window ends, when the note was written. */
  remaining: z.number().nonnegative(),
});

const forgiven = z.object({
  /** From 1, in the order in which the process forgave. */
  number: z.int().positive(),
  /** Name of the limit. */
  limit: z.string(),
  account: z.string(),
  /** Without an address and a device, it is forgiven from all networks. */
  address: z.string().optional(),
  device: z.string().optional(),
});

const countNote = z.object({
  /** By the clock of the process that wrote it. */
  at: z.iso.datetime(),
  counts: z.array(count),
  forgiven: z.array(forgiven),
});

export type Count = z.infer<typeof count>;
/** Failures that someone who signed in is no longer held to. */
export type Forgiven = Omit<z.infer<typeof forgiven>, "number">;
export type NumberedForgiven = z.infer<typeof forgiven>;
export type CountNote = z.infer<typeof countNote>;

/** The first of the counts that fit a note, and the last of what was forgiven. */
export function fitting({ at, counts, forgiven }: CountNote): CountNote {
  const last = firstWithin(forgiven.toReversed(), FORGIVEN_BYTES).reverse();
  return { at, counts: firstWithin(counts, NOTE_BYTES - FORGIVEN_BYTES), forgiven: last };
}

export function seal(note: CountNote, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(note));
}

/** Null for what is not a note of a process with the same secret. */
export function unseal(text: string, sealer: Sealer): CountNote | null {
  const opened = sealer.open(text);
  if (opened === null) return null;
  return countNote.safeParse(JSON.parse(opened)).data ?? null;
}

/** Entries from the front, without those that are too long, as many as the bytes allow. */
function firstWithin<T>(entries: readonly T[], bytes: number): T[] {
  const kept: T[] = [];
  let left = bytes;
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (size > ENTRY_BYTES) continue;
    left -= size;
    if (left < 0) break;
    kept.push(entry);
  }
  return kept;
}
