// The redo log of a large commit: its writes as values of KV, and in groups that each fit a commit.
import { KIB } from "../core/units.ts";
import { CommitSize, type Mutation, type Op } from "./client.ts";
import { valueSize } from "./codec.ts";
import { keySize, LEASE_KEY, stagedKey } from "./keys.ts";

/** One value of the redo log. */
export interface Staged {
  readonly writes: readonly Mutation[];
  /** True for writes that must be done only once: they go into the commit that ends the lease. */
  readonly closing: boolean;
}

/** Bytes of writes gathered into one value of the redo log; a larger write gets a value of its own, which KV holds. */
const STAGED_BYTES = 56 * KIB;

/** The operations that renew the lease, which take up room in each commit. */
export const LEASE_OPS: readonly Op[] = [
  { kind: "check", key: LEASE_KEY, versionstamp: null },
  { kind: "set", key: LEASE_KEY, value: "x".repeat(200) },
];

/**
 * Mutations in one operation of a large commit, and their bytes, at most: KV takes an operation in one turn of the
 * event loop.
 */
const BATCH = { mutations: 200, bytes: 160 * KIB };

/** Mutations in groups that fit a commit beside the lease. */
export function* batches(mutations: Iterable<Mutation>): Iterable<Mutation[]> {
  let batch: Mutation[] = [];
  let size = new CommitSize(LEASE_OPS);
  for (const mutation of mutations) {
    size.add(mutation);
    const whole = size.bytes > BATCH.bytes || batch.length === BATCH.mutations;
    if (batch.length > 0 && (whole || !size.fits(1))) {
      yield batch;
      batch = [];
      size = new CommitSize([...LEASE_OPS, mutation]);
    }
    batch.push(mutation);
  }
  if (batch.length > 0) yield batch;
}

/** The redo log of a commit. */
export function* stagedSets(
  transaction: string,
  writes: readonly Mutation[],
  closing: readonly Mutation[],
): Iterable<Mutation> {
  let n = 0;
  for (const [mutations, last] of [[writes, false], [closing, true]] as const) {
    for (const value of stagedParts(mutations, last)) {
      yield { kind: "set", key: stagedKey(transaction, n++), value };
    }
  }
}

function* stagedParts(mutations: readonly Mutation[], closing: boolean): Iterable<Staged> {
  let writes: Mutation[] = [];
  let bytes = 0;
  for (const mutation of mutations) {
    const size = 128 + (mutation.kind === "journal" ? 0 : keySize(mutation.key)) +
      ("value" in mutation ? valueSize(mutation.value) : 0);
    if (writes.length > 0 && bytes + size > STAGED_BYTES) {
      yield { writes, closing };
      writes = [];
      bytes = 0;
    }
    bytes += size;
    writes.push(mutation);
  }
  if (writes.length > 0) yield { writes, closing };
}
