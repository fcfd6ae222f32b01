// Several commits in one atomic operation, so that they share its cost, above all the sync to disk.
import { CommitSize, type Op } from "./client.ts";
import { LEASE_KEY } from "./keys.ts";
import { closingOf, type CommitPlan } from "./plan.ts";

/** Characters of a group's journal entries: together they are one KV value, with two bytes a character at most. */
const MAX_ENTRIES_LENGTH = 30_000;

/** A commit that fits into one atomic operation. */
export interface SmallCommit {
  readonly plan: CommitPlan;
  readonly size: CommitSize;
}

/**
 * The operations of commits.
 *
 * @param commit On a store that other processes share, by which the journal finds the operation; the lease of their
 * large commits is checked.
 */
export function operationsOf(plans: readonly CommitPlan[], commit?: string): Op[] {
  const operations: Op[] = [];
  if (commit !== undefined) operations.push({ kind: "check", key: LEASE_KEY, versionstamp: null });
  const guarded = new Set<string>();
  for (const { guards } of plans) {
    guards.forEach((guard, text) => {
      if (!guarded.has(text)) operations.push(guard);
      guarded.add(text);
    });
  }
  for (const { writes } of plans) for (const write of writes) operations.push(write);
  operations.push(...closingOf(plans, commit));
  return operations;
}

/**
 * Takes from the queue what can go together: commits of which none writes what another one reads or writes, within
 * KV's limits. The first is always taken; the others keep their order.
 *
 * @param maxChecks How many checks an operation may have.
 */
export function takeGroup<C extends SmallCommit>(queue: C[], maxChecks: number): C[] {
  const group = new Group(maxChecks);
  const taken: C[] = [];
  const left: C[] = [];
  for (const commit of queue) (group.takes(commit) ? taken : left).push(commit);
  queue.splice(0, queue.length, ...left);
  return taken;
}

class Group {
  /** Versionstamps that are checked, by the text of the key. */
  readonly #checked = new Map<string, string | null>();
  readonly #written = new Set<string>();
  #size = new CommitSize();
  #entriesLength = 0;

  constructor(readonly maxChecks: number) {}

  takes({ plan, size }: SmallCommit): boolean {
    const first = this.#checked.size === 0 && this.#written.size === 0;
    const together = this.#size.plus(size);
    const entriesLength = this.#entriesLength + (plan.entry?.length ?? 0) + 1;
    const fits = together.fits(this.maxChecks) && entriesLength <= MAX_ENTRIES_LENGTH;
    if (!first && !(fits && this.#isIndependentOf(plan))) return false;
    this.#size = together;
    this.#entriesLength = entriesLength;
    for (const [key, { versionstamp }] of plan.guards) this.#checked.set(key, versionstamp);
    for (const key of plan.written) this.#written.add(key);
    return true;
  }

  #isIndependentOf({ guards, written }: CommitPlan): boolean {
    for (const key of written) {
      if (this.#written.has(key) || this.#checked.has(key)) return false;
    }
    for (const [key, { versionstamp }] of guards) {
      if (this.#written.has(key)) return false;
      // Two commits that expect different versions of a key cannot both succeed: apart, only one of them fails.
      const other = this.#checked.get(key);
      if (other !== undefined && other !== versionstamp) return false;
    }
    return true;
  }
}
