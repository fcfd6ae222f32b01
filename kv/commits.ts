// Sends commits to KV: those that wait at the same time share one atomic operation, and one that does not fit into an
// operation becomes a large commit. Memory is brought up to date in the same turn as the answer.
import { admission } from "../core/admission.ts";
import { atOnce, slices, type Work } from "../core/slices.ts";
import {
  type Actor,
  type Change,
  type Entity,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { type Client, CommitSize, LIMITS } from "./client.ts";
import type { Gate } from "./gate.ts";
import { operationsOf, type SmallCommit, takeGroup } from "./group.ts";
import { type Journal, positionOf, versionstampOf } from "./journal.ts";
import { keyText, recordKey } from "./keys.ts";
import { findConflict, type LargeCommits, type LargeCommitted } from "./large_commit.ts";
import type { Applied, Memory } from "../storage/memory/memory.ts";
import { type CommitPlan, type Declarations, planCommit, type PlannedWrite } from "./plan.ts";
import { seal } from "../storage/records.ts";

// deno-lint-ignore no-explicit-any -- memories of different records in one map
export type Memories = ReadonlyMap<string, Memory<any>>;

/** What a commit changed, by collection, and where it is in the journal. */
export interface Committed {
  readonly seq: string;
  readonly changes: ReadonlyMap<string, readonly Applied<Entity>[]>;
  readonly written: readonly PlannedWrite[];
}

/** What a commit has inserted into a collection. */
export function insertedBy({ written }: Committed): (name: string) => Iterable<Entity> {
  return function* (name) {
    for (const { collection, isNew, after } of written) {
      if (isNew && after && collection === name) yield after;
    }
  };
}

/**
 * How often a commit is tried whose checks failed although no conflict is found afterwards: then it was the lease of
 * another process's large commit that was in the way.
 */
const MAX_TRIES = 20;

/** Records between two places where making a large commit known may be interrupted. */
const PIECE = 100;

/** Atomic operations that may be under way at a time. */
const MAX_ON_THEIR_WAY = 2;

/** Changes whose commits are planned in one turn of the event loop. Few groups have more: each change checks its record. */
const PLANNED_AT_ONCE = LIMITS.checks;

/** Whoever waits for a commit. */
interface Waiter {
  readonly resolve: (committed: Committed | null) => void;
  readonly reject: (error: unknown) => void;
}

interface Pending extends Waiter {
  readonly changes: readonly Change[];
  readonly actor: Actor;
}

type Planned = SmallCommit & Waiter;

export class Commits {
  /** Settles when the last operation that was sent is done: memory takes the commits in the order they were sent. */
  #last: Promise<void> = Promise.resolve();
  readonly #queue: Pending[] = [];
  /** Those that did not fit into the groups for which they were planned. */
  readonly #left: Planned[] = [];
  #onTheirWay = 0;
  /** Commits that are not answered yet, and what is resolved when none is. */
  #unanswered = 0;
  #allAnswered: PromiseWithResolvers<void> | null = null;

  /**
   * @param shared Other processes may run large commits: each commit checks their lease.
   * @param onCommit Called once for each commit, in the order of commits, before `commit` answers.
   * @param position The last entry of the journal that memory has followed.
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
      readonly journal: Journal;
      readonly position: () => string;
      readonly onCommit: (committed: Committed) => void;
      readonly onLost: () => Promise<void>;
    },
  ) {}

  /** Resolves to null when there was nothing to write. */
  async commit(changes: readonly Change[], actor: Actor): Promise<Committed | null> {
    this.#unanswered++;
    try {
      // So many fit no operation: each is a mutation or a check.
      if (changes.length > LIMITS.mutations + LIMITS.checks) {
        return await this.#commitLarge(await slices.run(this.#planning(changes, actor)));
      }
      return await new Promise((resolve, reject) => {
        this.#queue.push({ changes, actor, resolve, reject });
        this.#sendNext();
      });
    } finally {
      if (--this.#unanswered === 0) {
        this.#allAnswered?.resolve();
        this.#allAnswered = null;
      }
    }
  }

  /** Resolves when all commits are answered; those that come meanwhile are waited for too. */
  async idle(): Promise<void> {
    if (this.#unanswered === 0) return;
    await (this.#allAnswered ??= Promise.withResolvers()).promise;
  }

  #planning(changes: readonly Change[], actor: Actor): Work<CommitPlan> {
    return planCommit(this.declarations, changes, actor, this.options.clock());
  }

  /** Sends the next group, if another may be under way; what has to wait gathers into larger groups. */
  readonly #sendNext = (): void => {
    const commits = this.#queue.length + this.#left.length;
    if (this.#onTheirWay === MAX_ON_THEIR_WAY || commits === 0) return;
    if (admission.expectsMore(commits, this.#sendNext)) return;
    this.#onTheirWay++;
    this.#sendGroup(commits).finally(() => {
      this.#onTheirWay--;
      this.#sendNext();
    });
  };

  /** Plans what waits, and sends it: each apart, and apart from letting the requests in, all of which would be too long. */
  async #sendGroup(commits: number): Promise<void> {
    const waiting = this.#take(), planned = this.#left.splice(0);
    await this.#stepAside(commits);
    for (const pending of waiting) this.#plan(pending, planned);
    await this.#stepAside(commits);
    const group = takeGroup(planned, this.client.maxChecks);
    this.#left.push(...planned);
    if (group.length > 0) await this.#commitGroup(group);
  }

  #take(): Pending[] {
    let planned = 0;
    const count = this.#queue.findIndex(({ changes }) =>
      (planned += changes.length) > PLANNED_AT_ONCE
    );
    return this.#queue.splice(0, count === -1 ? this.#queue.length : Math.max(count, 1));
  }

  /** Adds what fits into an operation to `planned`, and sees to the rest. */
  #plan({ changes, actor, resolve, reject }: Pending, planned: Planned[]): void {
    try {
      const plan = atOnce(this.#planning(changes, actor));
      const size = new CommitSize(operationsOf([plan], this.#mark()));
      if (size.fits(this.client.maxChecks)) planned.push({ plan, size, resolve, reject });
      else this.#commitLarge(plan).then(resolve, reject);
    } catch (error) {
      reject(error);
    }
  }

  /** Resolves when the group's operation is answered; it does not wait for commits that are then retried alone. */
  async #commitGroup(group: readonly Planned[]): Promise<void> {
    try {
      const committed = await this.#send(group.map(({ plan }) => plan));
      group.forEach(({ plan, resolve, reject }, n) => {
        if (committed) resolve(committed[n]!);
        else this.#retry(plan, group.length === 1).then(resolve, reject);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** @param failed Whether the commit has already been sent alone, and failed. */
  async #retry(plan: CommitPlan, failed: boolean): Promise<Committed | null> {
    for (let tries = 1;; tries++) {
      if (tries > 1 || !failed) {
        const committed = await this.#send([plan]);
        if (committed) return committed[0]!;
      }
      if (this.options.shared) await this.large.settled();
      const conflict = await findConflict(this.client, plan.guards);
      if (conflict) throw conflict;
      if (tries === MAX_TRIES) throw [...plan.guards.values()][0]!.conflict();
    }
  }

  /** Null when a check failed. */
  async #send(plans: readonly CommitPlan[]): Promise<readonly (Committed | null)[] | null> {
    return await this.gate.together(async () => {
      const before = this.#last;
      const mark = this.#mark();
      const since = this.options.position();
      const find = () => mark ? this.options.journal.find(mark, since) : Promise.resolve(null);
      const sent = this.#answered(
        this.client.commit(operationsOf(plans, mark), find),
        plans.length,
      );
      // It resolves to undefined, because a result would keep the result before it in memory, and so all of them.
      this.#last = Promise.allSettled([before, sent]).then(() => {});
      const rev = await sent;
      await before;
      if (rev === null) return null;
      let place = 0;
      return plans.map((plan) =>
        plan.entry === null
          ? null
          : this.#done(atOnce(committedBy(plan, positionOf(rev, place++), () => rev)))
      );
    });
  }

  async #answered(sent: Promise<string | null>, commits: number): Promise<string | null> {
    const rev = await sent;
    await this.#stepAside(commits);
    return rev;
  }

  /** Of a shared store another process might follow a commit long before this one makes it known. */
  async #stepAside(commits: number): Promise<void> {
    if (!this.options.shared) await admission.stepAside(commits);
  }

  /** By which the journal finds an atomic operation; a store of this process alone has no need of it. */
  #mark(): string | undefined {
    return this.options.shared ? crypto.randomUUID() : undefined;
  }

  async #commitLarge(plan: CommitPlan): Promise<Committed | null> {
    return await this.gate.alone(async () => {
      const { seq, revs } = await this.#runLarge(plan);
      const revOf = (collection: string, id: string) =>
        revs.get(keyText(recordKey(collection, id))) ?? seq;
      if (plan.records.length === 0) return null;
      return this.#done(await slices.run(committedBy(plan, seq, revOf)));
    });
  }

  async #runLarge(plan: CommitPlan): Promise<LargeCommitted> {
    try {
      return await this.large.run(plan);
    } catch (error) {
      if (isConflict(error)) throw error;
      // It is unknown whether the commit was decided: nothing may pass until its log is finished or dropped.
      this.gate.repair = async () => {
        await (this.options.shared ? this.large.settled() : this.large.recover());
        await this.options.onLost();
      };
      throw error;
    }
  }

  #done(committed: Committed): Committed {
    this.options.onCommit(committed);
    return committed;
  }
}

function* committedBy(
  plan: CommitPlan,
  seq: string,
  revOf: (collection: string, id: string) => string,
): Work<Committed> {
  const changes = new Map<string, Applied<Entity>[]>();
  for (let n = 0; n < plan.records.length; n++) {
    const { collection, id, after, text, bytes } = plan.records[n]!;
    const rev = after ? revOf(collection, id) : versionstampOf(seq);
    const record = after && seal(after, rev);
    const list = changes.get(collection);
    if (list) list.push({ id, record, rev, text, bytes });
    else changes.set(collection, [{ id, record, rev, text, bytes }]);
    if (n % PIECE === PIECE - 1) yield;
  }
  return { seq, changes, written: plan.records };
}

function isConflict(error: unknown): boolean {
  return error instanceof VersionConflict || error instanceof UniqueConflict;
}
