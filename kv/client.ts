// Deno KV as this engine uses it: typed operations, KV's limits, and lost connections as StoreUnavailable.
import { StoreFull, StoreUnavailable } from "../storage/port.ts";
import { Room } from "../storage/room.ts";
import { valueSize } from "./codec.ts";
import { type Key, keySize } from "./keys.ts";
import { KIB } from "../core/units.ts";
import { delay } from "../core/delay.ts";
import { RemoteKv } from "./remote.ts";

/** https://docs.deno.com/deploy/kv/ and the `ext/kv` of Deno, which also bounds the total of all keys. */
export const LIMITS = {
  checks: 100,
  mutations: 1000,
  keysOfGetMany: 10,
  commitBytes: 800 * KIB,
  commitKeyBytes: 80 * KIB,
} as const;

/** Of the public KV Connect server: https://github.com/denoland/denokv/blob/main/proto/limits.rs */
const REMOTE_CHECKS = 10;

/** Milliseconds to try again while another process writes to the same file, and between tries. */
const LOCKED_TIMEOUT = 5000;
const LOCKED_DELAY = 2;
/** How KV words its refusal of an operation that is itself wrong, such as a value over its limit. */
const MISUSE = /too large|too many|expected |empty|sum/i;

export interface Check {
  readonly kind: "check";
  readonly key: Key;
  readonly versionstamp: string | null;
}

export type Mutation =
  | {
    readonly kind: "set";
    readonly key: Key;
    readonly value: unknown;
    /** Milliseconds. */
    readonly expireIn?: number;
  }
  | { readonly kind: "delete"; readonly key: Key }
  | { readonly kind: "sum"; readonly key: Key; readonly by: number }
  /** A set of ["journal", versionstamp of this commit]. */
  | { readonly kind: "journal"; readonly value: string; readonly expireIn: number };

export type Op = Check | Mutation;

/** A stored value, or none. */
export interface Entry {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly versionstamp: string | null;
}

/** How much of KV's limits for one commit some operations use up. */
export class CommitSize {
  checks = 0;
  mutations = 0;
  bytes = 0;
  keyBytes = 0;

  constructor(ops: readonly Op[] = []) {
    for (const op of ops) this.add(op);
  }

  add(op: Op): void {
    const key = op.kind === "journal" ? 32 : keySize(op.key);
    this.bytes += 2 * key + (op.kind === "set" || op.kind === "journal" ? valueSize(op.value) : 8);
    if (op.kind === "check") this.checks++;
    else {
      this.mutations++;
      this.keyBytes += key;
    }
  }

  plus(other: CommitSize): CommitSize {
    const sum = new CommitSize();
    sum.checks = this.checks + other.checks;
    sum.mutations = this.mutations + other.mutations;
    sum.bytes = this.bytes + other.bytes;
    sum.keyBytes = this.keyBytes + other.keyBytes;
    return sum;
  }

  /** @param checks How many a commit may have. */
  fits(checks: number): boolean {
    return this.checks <= checks && this.mutations <= LIMITS.mutations &&
      this.bytes <= LIMITS.commitBytes && this.keyBytes <= LIMITS.commitKeyBytes;
  }
}

export class Client {
  constructor(readonly kv: Deno.Kv | RemoteKv, readonly room: Room = new Room()) {}

  get remote(): boolean {
    return this.kv instanceof RemoteKv;
  }

  /** How many checks a commit may have. */
  get maxChecks(): number {
    return this.remote ? REMOTE_CHECKS : LIMITS.checks;
  }

  async get(key: Key): Promise<Entry> {
    return await this.#read((kv) => kv.get(key as Deno.KvKey, { consistency: "strong" }));
  }

  /** The entries in the order of the keys; every ten keys are read as one snapshot. */
  async getMany(keys: readonly Key[]): Promise<readonly Entry[]> {
    const batches: Promise<readonly Entry[]>[] = [];
    for (let at = 0; at < keys.length; at += LIMITS.keysOfGetMany) {
      const batch = keys.slice(at, at + LIMITS.keysOfGetMany) as Deno.KvKey[];
      batches.push(this.#read((kv) => kv.getMany<unknown[]>(batch)));
    }
    return (await Promise.all(batches)).flat();
  }

  /** One batch of a listing; ask again with the cursor, or from the last key, for more. */
  async list(
    selector: Deno.KvListSelector,
    options: { readonly limit: number; readonly reverse?: boolean },
  ): Promise<Entry[]> {
    return await this.#read((kv) =>
      Array.fromAsync(kv.list(selector, { ...options, batchSize: Math.min(options.limit, 500) }))
    );
  }

  /**
   * The versionstamp of the commit, or null when a check failed.
   *
   * @param find Looks whether the commit was done, where the answer does not tell: the client of KV sends a commit
   * whose answer is lost once more, and then it fails by its own checks. Resolves to its versionstamp, or null.
   */
  async commit(
    ops: readonly Op[],
    find: () => Promise<string | null> = () => Promise.resolve(null),
  ): Promise<string | null> {
    try {
      const result = await this.#guard((kv) => atomic(kv, ops).commit(), false);
      return result.ok ? result.versionstamp : await find();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const found = await find().catch(() => null);
      if (found === null) throw error;
      return found;
    }
  }

  close(): void {
    this.kv.close();
  }

  #read<T>(operate: (kv: Deno.Kv) => Promise<T>): Promise<T> {
    return this.#guard(operate, true);
  }

  async #guard<T>(operate: (kv: Deno.Kv) => Promise<T>, repeatable: boolean): Promise<T> {
    const { kv } = this;
    const end = performance.now() + LOCKED_TIMEOUT;
    for (;;) {
      try {
        return await (kv instanceof RemoteKv ? kv.run(operate, repeatable) : operate(kv));
      } catch (error) {
        if (!isLocked(error) || performance.now() > end) throw this.room.noting(unavailable(error));
      }
      await delay(LOCKED_DELAY);
    }
  }
}

function atomic(kv: Deno.Kv, ops: readonly Op[]): Deno.AtomicOperation {
  const atomic = kv.atomic();
  for (const op of ops) {
    if (op.kind === "check") {
      atomic.check({ key: op.key as Deno.KvKey, versionstamp: op.versionstamp });
    } else if (op.kind === "delete") atomic.delete(op.key as Deno.KvKey);
    else if (op.kind === "set") {
      atomic.set(op.key as Deno.KvKey, op.value, { expireIn: op.expireIn });
    } else if (op.kind === "sum") {
      // KV adds unsigned numbers modulo 2^64, so that a negative one is its complement.
      atomic.sum(op.key as Deno.KvKey, BigInt.asUintN(64, BigInt(op.by)));
    } else {
      atomic.set(["journal", kv.commitVersionstamp()], op.value, { expireIn: op.expireIn });
    }
  }
  return atomic;
}

/** A failure of KV itself as StoreUnavailable; misuse (a value too large) stays what it is. */
export function unavailable(error: unknown): unknown {
  const reason = error instanceof Error ? error.message : String(error);
  const misuse = error instanceof RangeError ||
    (error instanceof TypeError && MISUSE.test(reason));
  if (misuse || error instanceof StoreUnavailable) return error;
  if (/disk is full|No space left/i.test(reason)) return new StoreFull({ cause: error });
  return new StoreUnavailable(`Cannot reach Deno KV: ${reason}`, { cause: error });
}

/** Whether the operation failed, with nothing done, because another process is writing to the same file. */
function isLocked(error: unknown): boolean {
  return error instanceof TypeError && error.message === "database is locked";
}
