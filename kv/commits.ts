// Commits: one atomic operation where it fits, a large commit where not; then memory follows, in the same turn.
import { type Actor, type Change, type Entity, UniqueConflict, VersionConflict } from "../store.ts";
import { seal } from "../transact.ts";
import { type Client, CommitSize, type Op } from "./client.ts";
import type { Gate } from "./gate.ts";
import { keyText, LEASE_KEY, recordKey } from "./keys.ts";
import { findConflict, type LargeCommits, type LargeCommitted } from "./large_commit.ts";
import type { Applied, Memory } from "./memory.ts";
import { type CommitPlan, type Declarations, planCommit } from "./plan.ts";

// deno-lint-ignore no-explicit-any -- memories of different records in one map
export type Memories = ReadonlyMap<string, Memory<any>>;

/** What a commit changed, by collection, and where it is in the journal. */
export interface Committed {
  readonly seq: string;
  readonly changes: ReadonlyMap<string, readonly Applied<Entity>[]>;
}

/** A check that fails for no reason to be found is tried again this often: another's large commit has passed. */
const MAX_TRIES = 20;

export class Commits {
  /** The last commit that was sent: memory follows in that order. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param shared Other processes may run large commits: each commit checks their lease.
   * @param onCommit Called once for each commit, in the order of commits, before `commit` answers.
   * @param onLost Called when it is not known what a commit did: memory is no longer to be trusted.
   */
  constructor(
    readonly client: Client,
    readonly gate: Gate,
    readonly large: LargeCommits,
    readonly declarations: Declarations,
    readonly options: {
      readonly shared: boolean;
      readonly clock: () => Date;
      readonly onCommit: (committed: Committed) => void;
      readonly onLost: () => Promise<void>;
    },
  ) {}

  async commit(changes: readonly Change[], actor: Actor): Promise<Committed | null> {
    const plan = planCommit(this.declarations, changes, actor, this.options.clock());
    const ops = this.#operations(plan);
    if (!new CommitSize(ops).fits) return await this.#commitLarge(plan);
    for (let tries = 1;; tries++) {
      const committed = await this.gate.together(() => this.#send(plan, ops));
      if (committed !== "failed") return committed;
      if (this.options.shared) await this.large.settled();
      const conflict = await findConflict(this.client, plan.guards);
      if (conflict) throw conflict;
      if (tries === MAX_TRIES) throw plan.guards[0]!.conflict();
    }
  }

  #operations(plan: CommitPlan): Op[] {
    const lease: Op[] = this.options.shared
      ? [{ kind: "check", key: LEASE_KEY, versionstamp: null }]
      : [];
    return [...lease, ...plan.guards, ...plan.writes, ...plan.closing];
  }

  /** Null when there was nothing to write. */
  async #send(plan: CommitPlan, ops: readonly Op[]): Promise<Committed | "failed" | null> {
    const before = this.#last;
    const sent = this.client.commit(ops);
    this.#last = Promise.allSettled([before, sent]);
    const rev = await sent;
    await before;
    if (rev === null) return "failed";
    return plan.records.length === 0 ? null : this.#done(plan, rev, () => rev);
  }

  async #commitLarge(plan: CommitPlan): Promise<Committed | null> {
    return await this.gate.alone(async () => {
      const { seq, revs } = await this.#runLarge(plan);
      const revOf = (collection: string, id: string) =>
        revs.get(keyText(recordKey(collection, id))) ?? seq;
      return plan.records.length === 0 ? null : this.#done(plan, seq, revOf);
    });
  }

  async #runLarge(plan: CommitPlan): Promise<LargeCommitted> {
    try {
      return await this.large.run(plan);
    } catch (error) {
      if (isConflict(error)) throw error;
      // It may be decided: nobody passes before it is finished or dropped.
      this.gate.repair = async () => {
        await (this.options.shared ? this.large.settled() : this.large.recover());
        await this.options.onLost();
      };
      throw error;
    }
  }

  #done(
    plan: CommitPlan,
    seq: string,
    revOf: (collection: string, id: string) => string,
  ): Committed {
    const changes = new Map<string, Applied<Entity>[]>();
    for (const { collection, id, after, size } of plan.records) {
      const rev = after ? revOf(collection, id) : seq;
      const record = after && seal(after, rev);
      const list = changes.get(collection);
      if (list) list.push({ id, record, rev, size });
      else changes.set(collection, [{ id, record, rev, size }]);
    }
    const committed = { seq, changes };
    this.options.onCommit(committed);
    return committed;
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof VersionConflict || error instanceof UniqueConflict;
}
