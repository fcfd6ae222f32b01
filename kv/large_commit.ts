// Commits beyond KV's limits, still all or nothing: the writes are staged as a redo log, one commit decides, then
// they are applied in batches. A decided log is finished by whoever finds it; an undecided one is dropped.
import { chunks } from "../core/chunks.ts";
import { StoreUnavailable, VersionConflict } from "../storage/port.ts";
import { type Check, type Client, CommitSize, LIMITS, type Mutation, type Op } from "./client.ts";
import { Journal } from "./journal.ts";
import { type Key, keyText, LEASE_KEY, STAGED_PREFIX, stagedKey } from "./keys.ts";
import { closingOf, type CommitPlan } from "./plan.ts";
import { batches, LEASE_OPS, type Staged, stagedSets } from "./redo_log.ts";
import { delay } from "../core/delay.ts";

/** What holds the store while a large commit runs, or while nobody is to write. */
interface Lease {
  readonly transaction: string;
  readonly decided: boolean;
  /** Which commit wrote it: so it is known whether one was done whose answer was lost. */
  readonly step: string;
}

interface Held {
  readonly transaction: string;
  /** Versionstamp of the lease: it changes with every renewal, and when another process takes over. */
  rev: string;
}

/**
 * Milliseconds without renewal after which a lease counts as abandoned: seen by this process and by its own monotonic
 * clock, since the clocks of two machines need not agree.
 */
const ABANDONED_AFTER = 10_000;
/** Values of the redo log that are read at a time: a mebibyte, which KV decodes in one turn of the event loop. */
const STAGED_AT_A_TIME = 16;
/** Milliseconds between looks at the lease of another process. */
const POLL = 25;

/** Versionstamps of the written keys, by the text of the key. */
export type Revs = ReadonlyMap<string, string>;

export interface LargeCommitted {
  /** Where the commit is in the journal. */
  readonly seq: string;
  readonly revs: Revs;
}

/**
 * Another process has taken over the lease, because it believed the commit abandoned; whether that one finished it or
 * dropped it is not known here, as after an outage.
 */
class LeaseLost extends StoreUnavailable {
  override readonly name = "LeaseLost";
}

export class LargeCommits {
  readonly #journal: Journal;
  /** The version of another process's lease, and since when it has been seen unchanged. */
  #watched: { rev: string | null; since: number } = { rev: null, since: 0 };

  /**
   * @param shared Other processes may write too.
   * @param abandonedAfter In milliseconds.
   */
  constructor(
    readonly client: Client,
    readonly shared: boolean,
    readonly abandonedAfter = ABANDONED_AFTER,
  ) {
    this.#journal = new Journal(client);
  }

  /**
   * Runs a large commit. Nothing else of this process may write meanwhile.
   *
   * @throws {VersionConflict}
   * @throws {UniqueConflict}
   */
  async run(plan: CommitPlan): Promise<LargeCommitted> {
    const transaction = crypto.randomUUID();
    const closing = closingOf([plan], transaction);
    const ops = [...plan.writes, ...closing];
    const whole = plan.writes.length <= LIMITS.mutations &&
      new CommitSize([...LEASE_OPS, ...ops]).fits(this.client.maxChecks);
    if (whole && !this.shared) return await this.#commitTogether(plan, ops);
    const held = await this.#take(transaction);
    try {
      await this.#verify(plan.guards);
      if (whole) {
        const seq = await this.#finish(held, ops);
        return { seq, revs: new Map(revsOf(ops, seq)) };
      }
      await this.#stage(held, plan.writes, closing);
    } catch (error) {
      await this.#drop(held);
      throw error;
    }
    await this.#commit(held, [], true);
    return await this.#apply(held, plan.writes, closing);
  }

  /** What has too many checks alone: nothing else writes meanwhile, so they may be made before. */
  async #commitTogether(plan: CommitPlan, ops: readonly Mutation[]): Promise<LargeCommitted> {
    await this.#verify(plan.guards);
    const seq = await this.client.commit(ops);
    return { seq: seq!, revs: new Map(revsOf(ops, seq!)) };
  }

  /**
   * Lets every commit of every process wait while `work` runs, which has to be short: what has stood for as long as
   * `abandonedAfter` is taken over.
   *
   * @returns Null: it was taken over, so that others may have committed meanwhile.
   */
  async hold<R>(work: () => Promise<R>): Promise<R | null> {
    const held = await this.#take(crypto.randomUUID());
    try {
      const result = await work();
      // This proves that nobody has taken it over until now.
      await this.#commit(held, [], false);
      return result;
    } catch (error) {
      if (error instanceof LeaseLost) return null;
      throw error;
    } finally {
      // Where that cannot be told, the others find it abandoned.
      await this.#drop(held).catch(() => {});
    }
  }

  /** Waits until no large commit is running; finishes or drops one that was abandoned. */
  async settled(): Promise<void> {
    for (;;) {
      const entry = await this.client.get(LEASE_KEY);
      if (entry.value === null) return;
      if (this.#isAbandoned(entry.versionstamp)) await this.recover();
      else await delay(POLL);
    }
  }

  /** Whether the lease has kept its version too long: every renewal changes it. */
  #isAbandoned(rev: string | null): boolean {
    const now = performance.now();
    if (this.#watched.rev !== rev) this.#watched = { rev, since: now };
    return now - this.#watched.since > this.abandonedAfter;
  }

  /** Finishes a decided commit and drops an undecided one, whoever began it. */
  async recover(): Promise<void> {
    const entry = await this.client.get(LEASE_KEY);
    const lease = entry.value as Lease | null;
    if (lease === null) return await this.#clear(STAGED_PREFIX as Deno.KvKey);
    const held: Held = { transaction: lease.transaction, rev: entry.versionstamp! };
    try {
      if (!lease.decided) return await this.#drop(held);
      await this.#commit(held, [], true);
      const staged = await this.#read(lease.transaction);
      const of = (closing: boolean) =>
        staged.filter((part) => part.closing === closing).flatMap((part) => part.writes);
      await this.#apply(held, of(false), of(true));
    } catch (error) {
      // Another process has finished or dropped it first.
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  async #take(transaction: string): Promise<Held> {
    const free: Check = { kind: "check", key: LEASE_KEY, versionstamp: null };
    for (;;) {
      const rev = await this.#writeLease(free, [], { transaction, decided: false });
      if (rev) return { transaction, rev };
      await this.settled();
    }
  }

  async #verify(guards: CommitPlan["guards"]): Promise<void> {
    const conflict = await findConflict(this.client, guards);
    if (conflict) throw conflict;
  }

  async #stage(
    held: Held,
    writes: readonly Mutation[],
    closing: readonly Mutation[],
  ): Promise<void> {
    const sets = stagedSets(held.transaction, writes, closing);
    for (const batch of batches(sets)) await this.#commit(held, batch, false);
  }

  async #apply(
    held: Held,
    writes: readonly Mutation[],
    closing: readonly Mutation[],
  ): Promise<LargeCommitted> {
    const revs = new Map<string, string>();
    for (const batch of batches(writes)) {
      const rev = await this.#commit(held, batch, true);
      for (const [key, value] of revsOf(batch, rev)) revs.set(key, value);
    }
    const seq = await this.#finish(held, closing, async () => {
      // It may be that another process has taken over, done the writes once more, and finished.
      const keys = writes.flatMap((op) => op.kind === "set" ? [op.key] : []);
      for (const { key, versionstamp } of await this.client.getMany(keys)) {
        if (versionstamp !== null) revs.set(keyText(key as Key), versionstamp);
      }
    });
    await this.#clear(["staged", held.transaction]);
    return { seq, revs };
  }

  /**
   * Commits what is left, and ends the lease.
   *
   * @param onFound Called when it had been done, though its answer did not tell.
   */
  async #finish(
    held: Held,
    ops: readonly Mutation[],
    onFound: () => Promise<void> = () => Promise.resolve(),
  ): Promise<string> {
    const all: Op[] = [leaseCheck(held), ...ops, { kind: "delete", key: LEASE_KEY }];
    const seq = await this.client.commit(all, async () => {
      const found = await this.#journal.find(held.transaction, held.rev);
      if (found !== null) await onFound();
      return found;
    });
    if (!seq) throw new LeaseLost(`Cannot finish ${held.transaction}: its lease was taken over`);
    return seq;
  }

  /** Commits while the lease is held, and renews it. */
  async #commit(held: Held, mutations: readonly Mutation[], decided: boolean): Promise<string> {
    const { transaction } = held;
    const rev = await this.#writeLease(leaseCheck(held), mutations, { transaction, decided });
    if (!rev) {
      throw new LeaseLost(`Cannot go on with ${held.transaction}: its lease was taken over`);
    }
    held.rev = rev;
    return rev;
  }

  /** Null when the check failed. */
  async #writeLease(
    check: Check,
    mutations: readonly Mutation[],
    lease: Omit<Lease, "step">,
  ): Promise<string | null> {
    const step = crypto.randomUUID();
    const value: Lease = { ...lease, step };
    const ops: Op[] = [check, ...mutations, { kind: "set", key: LEASE_KEY, value }];
    return await this.client.commit(ops, async () => {
      const now = await this.client.get(LEASE_KEY);
      return (now.value as Lease | null)?.step === step ? now.versionstamp : null;
    });
  }

  async #drop(held: Held): Promise<void> {
    const dropped = await this.client.commit([
      leaseCheck(held),
      { kind: "delete", key: LEASE_KEY },
    ]);
    if (dropped) await this.#clear(["staged", held.transaction]);
  }

  async #read(transaction: string): Promise<Staged[]> {
    const staged: Staged[] = [];
    for (let n = 0;; n += STAGED_AT_A_TIME) {
      const start = stagedKey(transaction, n) as Deno.KvKey;
      const end = stagedKey(transaction, n + STAGED_AT_A_TIME) as Deno.KvKey;
      const entries = await this.client.list({ start, end }, { limit: STAGED_AT_A_TIME });
      staged.push(...entries.map((entry) => entry.value as Staged));
      if (entries.length < STAGED_AT_A_TIME) return staged;
    }
  }

  async #clear(prefix: Deno.KvKey): Promise<void> {
    for (;;) {
      const entries = await this.client.list({ prefix }, { limit: STAGED_AT_A_TIME });
      if (entries.length === 0) return;
      await this.client.commit(
        entries.map(({ key }) => ({ kind: "delete", key: key as readonly string[] })),
      );
    }
  }
}

/** Why a commit failed: a changed record goes before a taken unique value; null when nothing conflicts any more. */
export async function findConflict(
  client: Client,
  guards: CommitPlan["guards"],
): Promise<Error | null> {
  const failed: Error[] = [];
  for (const some of chunks([...guards.values()])) {
    const entries = await client.getMany(some.map((guard) => guard.key));
    for (const [n, guard] of some.entries()) {
      if (entries[n]!.versionstamp !== guard.versionstamp) failed.push(guard.conflict());
    }
  }
  return failed.find((error) => error instanceof VersionConflict) ?? failed[0] ?? null;
}

export function isDecided(value: unknown): boolean {
  return value !== null && (value as Lease).decided;
}

function leaseCheck(held: Held): Check {
  return { kind: "check", key: LEASE_KEY, versionstamp: held.rev };
}

function* revsOf(ops: readonly Mutation[], rev: string): Iterable<[string, string]> {
  for (const op of ops) {
    if (op.kind === "set") yield [keyText(op.key), rev];
  }
}
